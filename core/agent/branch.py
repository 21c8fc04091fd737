"""Edit a run and let it go on: both branches are traces, and the new one knows where it parted."""

from collections.abc import Iterable
from typing import Literal

from core.agent.execution import ERROR
from core.agent.record import stop_reason
from core.errors import InputError
from core.messages.types import AssistantMessage, Message, ToolResultMessage, UserMessage
from core.trace import Parting, Step, StepKind, Trace


def edited(trace: Trace, step: int, replacement: str) -> Trace:
    """The run up to a step, with another observation or thought in its place. `resume` lets it go on.

    A thought is drawn before the action, so with it go the calls of its reply: what stands in the context is
    the thought alone, and the next call of the model draws an action from it.

    Args:
        trace: any run; it stays as it is.
        step: the index of the step, from 0.
        replacement: what is observed, or thought, instead. An observation that begins with `ERROR: ` is one.

    Raises:
        InputError: there is no such step, it is neither an observation nor a thought, or the text is empty.
    """
    if not isinstance(trace, Trace) or type(step) is not int or not isinstance(replacement, str):
        raise InputError("To edit a run takes a trace, the number of a step, and a text.")
    if not 0 <= step < len(trace.steps):
        raise InputError(f"The run has {len(trace.steps)} steps, and no step {step + 1}.")
    if not replacement.strip():
        raise InputError("An empty observation or thought says nothing: write one.")
    old = trace.steps[step]
    appended = _replaced(old, replacement)
    if appended is None:
        raise InputError(f"Step {step + 1} is neither an observation nor a thought: edit one of these.")
    new = old.model_copy(update={"appended": appended, "text": replacement})
    return trace.model_copy(
        update={
            "steps": (*trace.steps[:step], new),
            "stop_reason": stop_reason((new,)),
            "parting": Parting(step=step, instead_of=old.text),
        }
    )


def continued(
    trace: Trace, steps: Iterable[Step], *, source: Literal["scripted", "live"], model: str | None = None
) -> Trace:
    """The trace of a run that went on, by the steps of `resume`, drained to their end.

    Args:
        source, model: of the steps that are new.
    """
    drained = (*trace.steps, *steps)
    return trace.model_copy(
        update={
            "steps": drained,
            "stop_reason": stop_reason(drained),
            "source": source,
            "model": model,
        }
    )


def _replaced(step: Step, text: str) -> Message | None:
    match step:
        case Step(kind=StepKind.OBSERVATION, appended=ToolResultMessage() as result):
            return result.model_copy(update={"content": text, "is_error": text.startswith(ERROR)})
        case Step(kind=StepKind.OBSERVATION, appended=UserMessage()):
            return UserMessage(content=text)
        case Step(kind=StepKind.THOUGHT, appended=AssistantMessage()):
            return AssistantMessage(content=text)
    return None
