"""The ladder of one pasted call: what each check found, and what goes back to the model."""

from collections.abc import Sequence

from core.agent import Tool
from core.agent.pasted import PastedCall
from core.figures.kinds_view import program_of
from core.figures.loop_cards import LONGEST
from core.figures.loop_timeline import counted, shortened
from core.messages import ToolResultMessage, strict_json
from core.trace import Step, StepKind, Validation
from core.values import Value

CHECKS = ("json", "tool", "schema", "policy")
NAMES = ("JSON", "tool", "schema", "policy", "execution")
QUESTIONS = (
    "Can the arguments be parsed?",
    "Was a tool of this name advertised?",
    "Do they match its schema?",
    "Is this call permitted?",
    "Does the tool succeed?",
)
FAILED = (
    "They cannot: this is no JSON.",
    "No tool has this name.",
    "They do not: jsonschema finds a fault.",
    "It is not permitted.",
    "It does not.",
)
BROKEN = "They cannot: the whole call is no JSON."
REPAIR = (
    "The tool does not run, and no exception reaches the user: the message is the result of the call. The "
    "model reads it and can repair the call."
)
STRICT = (
    "Where the provider constrains the decoding (OpenAI's strict mode, Ollama's format), such a call cannot "
    "be sampled. Elsewhere the schema only makes a right call likelier. The check stays all the same."
)
NOTHING = "There are none, which is read as {}: a tool without arguments is called so."


class Rung(Value):
    """A check: `tone` is good, bad or open, and `note` what it found."""

    name: str
    question: str
    verdict: str
    tone: str
    note: str


class Entry(Value):
    """A line of the table in which a name is looked up; `function` is empty for an unknown one."""

    name: str
    function: str
    found: bool


class CallView(Value):
    """The call as it was read, the way it went, and the message that answers it.

    The arguments are in three pieces: `fault` is the character at which they stop being JSON: empty at their
    end, `None` where they do not stop. `program` is what a code tool is to run, or empty. `tool_set` is empty
    where no name was looked up.
    """

    form: str
    name: str
    call_id: str
    before: str
    fault: str | None
    after: str
    program: str
    rungs: tuple[Rung, ...]
    tool_set: tuple[Entry, ...]
    outcome: str
    result: str
    is_error: bool
    guard: str = ""


def call_view(pasted: PastedCall, steps: Sequence[Step], tools: Sequence[Tool]) -> CallView:
    """The view of a call that went through the runtime.

    Args:
        pasted: the call.
        steps: what `core.agent.execution.Executor.steps` made of it.
        tools: those that the model was told of.
    """
    verdicts = [step.validation for step in steps if step.validation is not None]
    executed = any(step.kind is StepKind.EXECUTION for step in steps)
    answer = steps[-1].appended
    assert isinstance(answer, ToolResultMessage)
    failed = 0 if pasted.is_broken else _failed_at(verdicts, executed, answer.is_error)
    before, fault, after = (
        _at_fault(pasted.call.arguments) if failed == 0 else (pasted.call.arguments, None, "")
    )
    return CallView(
        form=_form(pasted),
        name=pasted.call.name,
        call_id=pasted.call.id,
        before=before,
        fault=fault,
        after=after,
        program=program_of(verdicts[0].arguments or {}),
        rungs=tuple(_rung(index, failed, pasted, verdicts, len(tools)) for index in range(len(NAMES))),
        tool_set=_tool_set(pasted.call.name, tools) if failed >= CHECKS.index("tool") else (),
        outcome=_outcome(failed),
        result=shortened(answer.content, LONGEST),
        is_error=answer.is_error,
        guard=next((step.text for step in steps if step.guard), ""),
    )


def _failed_at(verdicts: Sequence[Validation], executed: bool, is_error: bool) -> int:
    """The index of the rung at which the call failed: -1 before the first one, 5 where it passed them all."""
    if executed:
        return len(CHECKS) if is_error else len(NAMES)
    stage = verdicts[-1].stage
    return -1 if stage is None else CHECKS.index(stage)


def _rung(
    index: int, failed: int, pasted: PastedCall, verdicts: Sequence[Validation], advertised: int
) -> Rung:
    if index > failed:
        return Rung(name=NAMES[index], question=QUESTIONS[index], verdict="not reached", tone="open", note="")
    if index == failed:
        return Rung(
            name=NAMES[index],
            question=QUESTIONS[index],
            verdict="failed",
            tone="bad",
            note=BROKEN if pasted.is_broken else FAILED[index],
        )
    notes = (
        verdicts[0].repaired or ("They can." if pasted.call.arguments.strip() else NOTHING),
        f"{pasted.call.name} is one of {counted(advertised, 'tool')}.",
        _matched(verdicts[0]),
        "No rule of the school is against it.",
        "It does.",
    )
    return Rung(
        name=NAMES[index], question=QUESTIONS[index], verdict="passed", tone="good", note=notes[index]
    )


def _tool_set(wanted: str, tools: Sequence[Tool]) -> tuple[Entry, ...]:
    known = tuple(
        Entry(name=tool.name, function=f"{tool.function.__name__}()", found=tool.name == wanted)
        for tool in tools
    )
    if any(entry.found for entry in known):
        return known
    return (*known, Entry(name=wanted, function="", found=True))


def _at_fault(arguments: str) -> tuple[str, str | None, str]:
    """The arguments before, at and after the place that the message names."""
    try:
        strict_json.parse(arguments)
    except strict_json.JSONFault as fault:
        at = fault.position
        return arguments[:at], arguments[at : at + 1], arguments[at + 1 :]
    return arguments, None, ""


def _matched(verdict: Validation) -> str:
    return f"They do: {counted(len(verdict.arguments or {}), 'field')}, read by jsonschema."


def _form(pasted: PastedCall) -> str:
    beside = ""
    if pasted.others:
        beside = (
            f" {counted(pasted.others, 'more call')} in it: each is checked alone and has its own result."
        )
    return f"Read as {pasted.form}.{beside}"


def _outcome(failed: int) -> str:
    match failed:
        case -1:
            return "No check is made: the reply was cut off, so nobody knows whether the call is whole."
        case 1:
            return REPAIR
        case 0 | 2:
            return f"{REPAIR} {STRICT}"
        case 3:
            return (
                "The call is well-formed, and the tool does not run: permission (for a path, a domain, a "
                "sum of money) is another question, the policy's, at the security boundary."
            )
        case 4:
            return "The tool raised an error. The runtime catches it: it becomes the result."
    return (
        "The call passed, and the runtime ran the tool. Its result goes back to the model: the observation."
    )
