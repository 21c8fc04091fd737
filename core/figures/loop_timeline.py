"""The steps of a run as stops on a line, and the words that all pictures of a run share."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.messages.types import SystemMessage, ToolCall
from core.trace import Part, Step, StepKind, Trace
from core.values import Value

# A step has the colour of the part of the context which it is about. A model call is about all of them.
PARTS: Mapping[StepKind, Part] = {
    StepKind.USER_INPUT: Part.USER,
    StepKind.MODEL_CALL: Part.TEMPLATE,
    StepKind.THOUGHT: Part.ASSISTANT,
    StepKind.TOOL_CALL: Part.TOOL_CALL,
    StepKind.VALIDATION: Part.TOOL_CALL,
    StepKind.EXECUTION: Part.TOOL_CALL,
    StepKind.OBSERVATION: Part.TOOL_RESULT,
    StepKind.GUARD: Part.TOOL_CALL,
    StepKind.ANSWER: Part.ASSISTANT,
    StepKind.STOP: Part.TEMPLATE,
}
ACTS: Mapping[StepKind, str] = {
    StepKind.TOOL_CALL: "request",
    StepKind.VALIDATION: "validate",
    StepKind.EXECUTION: "execute",
    StepKind.GUARD: "guard on",
    StepKind.OBSERVATION: "result of",
}


class Stop(Value):
    """One step on the timeline: its colour, its kind, its turn, and its caption in two parts.

    A step in which a guard fired is of the kind "guard", whatever else it is.
    """

    part: str
    kind: str
    turn: int
    place: str
    caption: str


def timeline(trace: Trace) -> tuple[Stop, ...]:
    """Return one stop for each step of a trace."""
    return tuple(
        Stop(
            part=slug(Part.SYSTEM if isinstance(step.appended, SystemMessage) else PARTS[step.kind]),
            kind=slug(StepKind.GUARD if step.guard else step.kind),
            turn=step.turn,
            place=f"step {number} of {len(trace.steps)}" + (f" · turn {step.turn}" if step.turn else ""),
            caption=_caption(step),
        )
        for number, step in enumerate(trace.steps, start=1)
    )


def slug(word: str) -> str:
    """Return a word as it stands in the names of classes and colours: `tool-call`."""
    return word.replace(" ", "-")


def arguments_of(text: str) -> dict[str, Any] | None:
    """The arguments of a call as values; `None` where they are no JSON object."""
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def steps_named(steps: Sequence[int]) -> str:
    """Steps by their numbers, which begin with 1: "steps 2, 7"."""
    word = "step" if len(steps) == 1 else "steps"
    return f"{word} {', '.join(str(step + 1) for step in steps)}"


def call_text(call: ToolCall) -> str:
    """Return a call as code, `get_weather(city="Paris")`; arguments that are no JSON object stay raw."""
    arguments = arguments_of(call.arguments)
    if arguments is None:
        return f"{call.name}({call.arguments})"
    words = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{call.name}({', '.join(words)})"


def _caption(step: Step) -> str:
    if step.guard == "step cap":
        return "guard: step cap"
    if step.guard == "goal test":
        return "guard: goal test"
    if step.guard is not None and step.tool_call is not None:
        return shortened(f"guard, {step.guard}: {call_text(step.tool_call)}", 120)
    if step.validation is not None and step.validation.stage == "policy" and step.tool_call is not None:
        return shortened(f"policy on {call_text(step.tool_call)}", 120)
    if step.kind in ACTS and step.tool_call is not None:
        return shortened(f"{ACTS[step.kind]} {call_text(step.tool_call)}", 120)
    return "system message" if isinstance(step.appended, SystemMessage) else step.kind.value


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def shortened(text: str, longest: int) -> str:
    left_out = len(text) - longest
    return text if left_out <= 0 else f"{text[:longest]} … ({counted(left_out, 'more character')})"
