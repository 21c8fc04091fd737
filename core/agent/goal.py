"""A goal that the runtime tests: then a reply without tool calls ends the run only if the goal is reached."""

from collections.abc import Callable, Generator, Sequence

from core.messages.types import Message, UserMessage
from core.trace import Step, StepKind, Validation

Goal = Callable[[Sequence[Message]], str]
"""Looks at the whole context, and says in a sentence what is missing: nothing where the goal is reached."""

NOT_REACHED = "The goal is not reached: "


def goal_steps(
    goal: Goal, context: Sequence[Message], turn: int, passed: tuple[int, ...], appended: Message | None
) -> Generator[Step, None, bool]:
    """The test, and where it fails, the words that send the model back; returns whether it is reached.

    `passed` and `appended` belong to the first step. A test that raises ends nothing: what it raised is said.
    """
    try:
        missing = goal(context)
    except Exception as error:
        missing = f"its test failed with {type(error).__name__}."
    yield Step(
        kind=StepKind.GUARD,
        turn=turn,
        line=5,
        passed=passed,
        appended=appended,
        guard="goal test",
        validation=Validation(ok=not missing, message=missing),
        text=missing,
    )
    if missing:
        told = NOT_REACHED + missing
        yield Step(
            kind=StepKind.OBSERVATION, turn=turn, line=8, appended=UserMessage(content=told), text=told
        )
    return not missing
