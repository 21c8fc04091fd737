"""A trajectory reviewed: what a person would look for in it, found by rules that are said with each finding.

The rules are simple on purpose. A finding is a place to look at, not a verdict.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from core.agent.guards import REASON, call_key
from core.errors import InputError
from core.messages import strict_json
from core.messages.types import ToolCall, ToolResultMessage, UserMessage
from core.trace import StepKind, Trace
from core.values import Value

SIMPLE_WORDS = 15
MANY_CALLS = 4
ALIKE = 0.5


class Finding(Value):
    """Something to look at: `steps` are indices into the trace, `how` says how it was computed."""

    kind: str
    text: str
    steps: tuple[int, ...]
    how: str


def review(trace: Trace) -> tuple[Finding, ...]:
    """The findings in the order of the rules; none means that no rule found anything.

    Raises:
        InputError: what was given is no trace.
    """
    if not isinstance(trace, Trace):
        raise InputError(f"A trace can be reviewed, not {type(trace).__name__}.")
    rules = (_repeats, _alike, _unsupported, _without_result, _many_steps, _without_reason)
    return tuple(finding for rule in rules for finding in rule(trace))


def _repeats(trace: Trace) -> Iterator[Finding]:
    results = _results(trace)
    same: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for index, call in _calls(trace):
        same[call_key(call.name, _arguments(call)), results.get(index)].append(index)
    for (key, result), steps in same.items():
        if len(steps) > 1 and result is not None:
            yield Finding(
                kind="repeated call",
                text=f"The same call was made {len(steps)} times and had the same result: {key}.",
                steps=tuple(steps),
                how=(
                    "Calls are the same if tool and arguments are, compared as JSON values: the order of "
                    f"keys and `{REASON}` do not count. Calls with other results are left out: they may poll."
                ),
            )


def _alike(trace: Trace) -> Iterator[Finding]:
    latest: dict[str, tuple[int, set[str]]] = {}
    for index, call in _calls(trace):
        words = _words(" ".join(str(value) for key, value in _arguments(call).items() if key != REASON))
        before = latest.get(call.name)
        latest[call.name] = (index, words)
        if before is None or not words or before[1] == words:
            continue
        share = len(words & before[1]) / len(words | before[1])
        if share >= ALIKE:
            yield Finding(
                kind="similar calls",
                text=f"{call.name} was called again with slightly other words ({share:.0%} in common).",
                steps=(before[0], index),
                how=(
                    "Two calls of one tool in a row, whose arguments share at least half of all their words, "
                    "but not all (Jaccard index)."
                ),
            )


def _unsupported(trace: Trace) -> Iterator[Finding]:
    given = [trace.system or ""]
    for message in trace.messages:
        if isinstance(message, ToolResultMessage | UserMessage):
            given.append(message.content)
    known = set(_numbers(" ".join(given)))
    for index, step in enumerate(trace.steps):
        missing = [number for number in _numbers(step.text) if number not in known]
        if step.kind is StepKind.ANSWER and missing:
            yield Finding(
                kind="unsupported number",
                text=f"The answer says {', '.join(dict.fromkeys(missing))}, which no tool result contains.",
                steps=(index,),
                how=(
                    "Every number of the answer is looked up in the tool results, the user's words and the "
                    "system prompt. One that the model has computed from them is listed too."
                ),
            )


def _without_result(trace: Trace) -> Iterator[Finding]:
    usable = any(isinstance(m, ToolResultMessage) and not m.is_error for m in trace.messages)
    for index, step in enumerate(trace.steps):
        if step.kind is StepKind.ANSWER and trace.tools and not usable:
            yield Finding(
                kind="answer without a result",
                text="The answer rests on no tool result, though there were tools.",
                steps=(index,),
                how="There are tools and an answer, but no tool result that is not an error.",
            )


def _many_steps(trace: Trace) -> Iterator[Finding]:
    question = next((step for step in trace.steps if step.kind is StepKind.USER_INPUT), None)
    if question is None:
        return
    length, calls = len(question.text.split()), len(trace.calls)
    if length <= SIMPLE_WORDS and calls > MANY_CALLS:
        yield Finding(
            kind="many steps",
            text=f"A question of {length} words took {calls} calls of the model.",
            steps=tuple(n for n, step in enumerate(trace.steps) if step.kind is StepKind.MODEL_CALL),
            how=f"At most {SIMPLE_WORDS} words count as simple, more than {MANY_CALLS} calls as many.",
        )


def _without_reason(trace: Trace) -> Iterator[Finding]:
    thoughtful = {step.turn for step in trace.steps if step.kind is StepKind.THOUGHT}
    steps = tuple(
        index
        for index, call in _calls(trace)
        if trace.steps[index].turn not in thoughtful and not str(_arguments(call).get(REASON) or "").strip()
    )
    if steps:
        yield Finding(
            kind="missing reason",
            text="A call states no reason." if len(steps) == 1 else f"{len(steps)} calls state no reason.",
            steps=steps,
            how=f"The call has no argument “{REASON}”, or an empty one, and there is no thought in its turn.",
        )


def _calls(trace: Trace) -> Iterator[tuple[int, ToolCall]]:
    for index, step in enumerate(trace.steps):
        if step.kind is StepKind.TOOL_CALL and step.tool_call is not None:
            yield index, step.tool_call


def _results(trace: Trace) -> dict[int, str]:
    """The result of each call that was executed, by the step that took up the call."""
    taken_up: dict[str, int] = {}
    results = {}
    for index, step in enumerate(trace.steps):
        if step.tool_call is None:
            continue
        if step.kind is StepKind.TOOL_CALL:
            taken_up[step.tool_call.id] = index
        elif step.kind is StepKind.OBSERVATION and step.tool_call.id in taken_up:
            results[taken_up[step.tool_call.id]] = step.text
    return results


def _arguments(call: ToolCall) -> dict[str, object]:
    """The arguments as values; what is no JSON object is one argument as it was written."""
    try:
        arguments = strict_json.parse(call.arguments or "{}")
    except strict_json.JSONFault:
        arguments = call.arguments
    return arguments if isinstance(arguments, dict) else {"": arguments}


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _numbers(text: str) -> list[str]:
    """The numbers of a text, without the commas that group thousands."""
    return [re.sub(r",(?=\d{3})", "", number) for number in re.findall(r"\d+(?:[.,]\d+)*", text)]
