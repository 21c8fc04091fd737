"""The ReAct loop as a picture: what the screen shows at every step of a trace, as plain values.

Everything is worded and formatted here; the browser lays it out and steps through it.
"""

import json
from collections.abc import Mapping, Sequence

from core.messages.types import ToolCall
from core.trace import Part, Step, StepKind, Trace

View = dict[str, object]

# A step has the colour of the part of the context which it is about. A model call is about all of them.
PARTS: Mapping[StepKind, Part] = {
    StepKind.USER_INPUT: Part.USER,
    StepKind.MODEL_CALL: Part.TEMPLATE,
    StepKind.THOUGHT: Part.ASSISTANT,
    StepKind.TOOL_CALL: Part.TOOL_CALL,
    StepKind.VALIDATION: Part.TOOL_CALL,
    StepKind.EXECUTION: Part.TOOL_CALL,
    StepKind.OBSERVATION: Part.TOOL_RESULT,
    StepKind.ANSWER: Part.ASSISTANT,
    StepKind.STOP: Part.TEMPLATE,
}
ACTS: Mapping[StepKind, str] = {
    StepKind.TOOL_CALL: "request",
    StepKind.VALIDATION: "validate",
    StepKind.EXECUTION: "execute",
    StepKind.OBSERVATION: "result of",
}


def slug(word: str) -> str:
    """Return `word` as it stands in the names of classes and colours."""
    return word.replace(" ", "-")


def call_text(call: ToolCall) -> str:
    """Return a call as code, `get_weather(city="Paris")`; arguments that are no JSON object stay raw."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return f"{call.name}({call.arguments})"
    words = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{call.name}({', '.join(words)})"


def timeline(trace: Trace) -> list[View]:
    """Return one entry a step for the stepper: colour, kind, turn, and a caption in two parts."""
    return [
        {
            "part": slug(PARTS[step.kind]),
            "kind": slug(step.kind),
            "turn": step.turn,
            "place": _place(number, len(trace.steps), step.turn),
            "caption": _caption(step, _call_of(trace.steps, number - 1)),
        }
        for number, step in enumerate(trace.steps, start=1)
    ]


def _place(number: int, count: int, turn: int) -> str:
    return f"step {number} of {count}" + (f" · turn {turn}" if turn else "")


def _caption(step: Step, call: ToolCall | None) -> str:
    if step.kind in ACTS and call is not None:
        return f"{ACTS[step.kind]} {call_text(call)}"
    return str(step.kind)


def _call_of(steps: Sequence[Step], index: int) -> ToolCall | None:
    return steps[index].tool_call
