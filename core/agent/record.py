"""From a run to a trace."""

from collections.abc import Iterable, Sequence
from typing import Literal

from core.errors import InputError
from core.messages.types import Message, ToolSchema
from core.trace import Step, StepKind, Trace


def record(
    steps: Iterable[Step],
    *,
    title: str,
    source: Literal["recorded", "scripted", "live"],
    model: str | None = None,
    description: str = "",
    system: str | None = None,
    tools: Sequence[ToolSchema] | None = None,
    max_steps: int | None = None,
    history: Sequence[Message] = (),
) -> Trace:
    """The trace of a run, drained to its end; the arguments beside the steps are those that the run was
    given.

    Raises:
        InputError: what was given is no run.
    """
    if not isinstance(steps, Iterable):
        raise InputError(f"A run to record is an iterator of steps, not {type(steps).__name__}.")
    drained = tuple(steps)
    return Trace(
        title=title,
        source=source,
        model=model,
        description=description,
        system=system,
        tools=None if tools is None else tuple(tools),
        max_steps=max_steps,
        history=tuple(history),
        steps=drained,
        stop_reason=stop_reason(drained),
    )


def stop_reason(steps: Sequence[Step]) -> str:
    """Why a run ended, by its last step: an answer, the step cap, or the sentence of what stopped it."""
    match steps[-1] if steps else None:
        case Step(kind=StepKind.ANSWER):
            return "answer"
        case Step(kind=StepKind.STOP, guard="step cap"):
            return "step budget exhausted"
        case Step(kind=StepKind.STOP, text=sentence):
            return sentence
    return "not finished"
