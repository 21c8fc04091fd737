"""A run as its trajectory: each call with its reason and what came of it, and what a review looks for in it.

Which patterns a review looks for, what each suggests, and what each instruction prevents are the lecture's;
what is found is `core.agent.review`'s.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from core.agent import Finding, review
from core.agent.guards import REASON, call_key
from core.figures.loop_timeline import arguments_of, counted, shortened, steps_named
from core.messages.types import ToolCall, ToolResultMessage
from core.trace import Step, StepKind, Trace
from core.values import Value

START = 120
"""Characters of a result that a trajectory keeps."""

LONGEST = 600
"""Characters of a reason, of arguments, or of what a finding says."""

MOST_NAMED = 5  # steps
JUDGED = "for a reader to judge"
PATTERNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("a call that does not fit its reason", "the tool is misread: improve its description", ()),
    (
        "a call without a reason, or not recorded",
        "no review: add a reason, record every run",
        ("missing reason",),
    ),
    (
        "the same search run again, or reworded",
        "the search is weak, or the documents lack it",
        ("repeated call", "similar calls"),
    ),
    (
        "a fact of the answer that no result has",
        "invented: stricter instructions, and checks",
        ("unsupported number", "answer without a result"),
    ),
    ("many steps for a simple question", "nothing tells it when to stop", ("many steps",)),
    ("an action before its condition is checked", "add a rule of order: look up, then act", ()),
)
"""What a reviewer looks for, what it suggests, and the kinds of finding that tell of it, if a rule can."""

INSTRUCTIONS = (
    ("before a call: what for, and why?", "aimless calls"),
    ("a result: enough? a new plan?", "ignoring what changes the plan"),
    ("no call twice; other words once", "loops that waste steps and money"),
    ("take facts from results only", "invented observations"),
    ("when you know enough, answer", "needless calls"),
    ("name each fact and its source", "answers that nobody can trace"),
)
"""What an agent is told, and what that prevents."""


class Line(Value):
    """A call: its step, from 1; its signature, which leaves the reason out, and how often that was there.

    `tone` is good, bad or open.
    """

    step: int
    tool: str
    arguments: str
    reason: str
    times: str
    verdict: str
    tone: str
    result: str


class Pattern(Value):
    """What a reviewer looks for, what it suggests, and what was found of it in this run."""

    pattern: str
    suggests: str
    found: str
    how: str
    tone: str


class Instruction(Value):
    """What an agent is told, and what that prevents."""

    says: str
    prevents: str


class TrajectoryView(Value):
    """All that the picture draws. `ended` is the step of the answer or the stop, and its text."""

    sums: str
    lines: tuple[Line, ...]
    ended: tuple[int, str] | None
    patterns: tuple[Pattern, ...]
    instructions: tuple[Instruction, ...]


def trajectory_view(trace: Trace) -> TrajectoryView:
    """Return a run, call by call, and its review."""
    findings = review(trace)
    lines = tuple(_lines(trace))
    last = trace.steps[-1] if trace.steps else None
    ends = last is not None and last.kind in (StepKind.ANSWER, StepKind.STOP)
    return TrajectoryView(
        sums=f"{counted(len(lines), 'tool call')} · {counted(len(trace.calls), 'model call')}",
        lines=lines,
        ended=(len(trace.steps), shortened(last.text, LONGEST)) if last is not None and ends else None,
        patterns=tuple(_pattern(*row, findings) for row in PATTERNS),
        instructions=tuple(Instruction(says=says, prevents=prevents) for says, prevents in INSTRUCTIONS),
    )


def _lines(trace: Trace) -> Iterator[Line]:
    seen: Counter[str] = Counter()
    thoughts = {step.turn: step.text for step in trace.steps if step.kind is StepKind.THOUGHT}
    for index, step in enumerate(trace.steps):
        call = step.tool_call
        if step.kind is not StepKind.TOOL_CALL or call is None:
            continue
        given = arguments_of(call.arguments or "{}")
        key = call_key(call.name, given) if given is not None else f"{call.name} {call.arguments}"
        seen[key] += 1
        reason = "" if given is None else str(given.get(REASON) or "").strip()
        verdict, tone, result = _outcome(_until_its_result(trace.steps[index + 1 :], call))
        yield Line(
            step=index + 1,
            tool=call.name,
            arguments=shortened(key.removeprefix(f"{call.name} "), LONGEST),
            reason=shortened(reason or thoughts.get(step.turn, ""), LONGEST),
            times=f"{seen[key]}×",
            verdict=verdict,
            tone=tone,
            result=shortened(result, LONGEST) if tone == "bad" else _start(result),
        )


def _start(result: str) -> str:
    return result if len(result) <= START else f"{result[:START]}…"


def _until_its_result(steps: Sequence[Step], call: ToolCall) -> list[Step]:
    """The steps of a call after it was taken up: a later one may have the same id."""
    own: list[Step] = []
    for step in steps:
        if step.tool_call is None or step.tool_call.id != call.id:
            continue
        if step.kind is StepKind.TOOL_CALL:
            break
        own.append(step)
        if step.kind is StepKind.OBSERVATION:
            break
    return own


def _outcome(steps: Sequence[Step]) -> tuple[str, str, str]:
    """What came of a call: a word, its tone, and the result that the model was told."""
    observed = next((step for step in steps if step.kind is StepKind.OBSERVATION), None)
    result = observed.text if observed else ""
    refused = next((step.validation for step in steps if step.validation and not step.validation.ok), None)
    if any(step.guard == "repeat" for step in steps):
        return "REPEATING", "bad", result
    if refused is not None:
        return ("not permitted" if refused.stage == "policy" else "not valid"), "bad", result
    if observed is None:
        return "no result", "open", result
    failed = isinstance(observed.appended, ToolResultMessage) and observed.appended.is_error
    return ("failed", "bad", result) if failed else ("ok", "good", result)


def _pattern(pattern: str, suggests: str, kinds: Sequence[str], findings: Sequence[Finding]) -> Pattern:
    own = [finding for finding in findings if finding.kind in kinds]
    if not kinds:
        found, tone = JUDGED, "open"
    elif not own:
        found, tone = "not found", "good"
    else:
        steps = sorted({step for finding in own for step in finding.steps})
        found, tone = steps_named(steps) if len(steps) <= MOST_NAMED else f"{len(steps):,} steps", "bad"
    how = " ".join(dict.fromkeys(f"{finding.text} {finding.how}" for finding in own))
    return Pattern(pattern=pattern, suggests=suggests, found=found, how=shortened(how, LONGEST), tone=tone)
