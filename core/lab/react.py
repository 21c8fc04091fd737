"""The ReAct screen as code: the loop over a scripted model gives the messages of the run."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from core.errors import InputError
from core.lab.lab import Lab, lab
from core.lab.python import comment, given, shortened
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from core.trace import Trace

LONGEST = 120  # characters of a text in a snippet
MOST_REPLIES = 8  # in a snippet
NOT_ONE_LOOP = (
    "This run is not one loop from a question to its end, so a short program cannot make it again. "
    "Choose a bundled run, or a run that has come to its answer."
)


def react_lab(trace: Trace) -> Lab:
    """The messages of a run, by the loop of the lecture.

    Raises:
        InputError: the messages are not those that the loop appends, as in a file of several runs, or the run
            has not yet come to a message that ends it.
    """
    start, question, turn = _parted(trace)
    return lab(
        "react",
        brief=_state(trace, start, question, turn, LONGEST),
        whole=_state(trace, start, question, turn, None),
        screen=given(screen=[_written(message, None) for message in (question, *turn)]),
    )


def _parted(trace: Trace) -> tuple[list[Message], UserMessage, Sequence[Message]]:
    """What stood before the question, the question, and what the loop appended after it."""
    system = [SystemMessage(content=trace.system)] if trace.system else []
    history, messages = trace.history, trace.messages[len(trace.history) :]
    if not history:  # a file tells one list: the loop is what follows the last question
        users = [n for n, message in enumerate(messages) if isinstance(message, UserMessage)]
        last = users[-1] if users else len(messages)
        history, messages = messages[:last], messages[last:]
    if not messages or not isinstance(messages[0], UserMessage):
        raise InputError(NOT_ONE_LOOP)
    question, turn = messages[0], messages[1:]
    return [*system, *history], question, list(_looped(turn))


def _looped(turn: Sequence[Message]) -> Iterator[Message]:
    """The messages as the loop appends them: each reply, then the results of its calls, in their order."""
    rest = list(turn)
    while rest:
        reply, rest = rest[0], rest[1:]
        if not isinstance(reply, AssistantMessage) or (rest and not reply.tool_calls):
            raise InputError(NOT_ONE_LOOP)
        yield reply
        count = len(reply.tool_calls)
        came = {one.tool_call_id: one for one in rest[:count] if isinstance(one, ToolResultMessage)}
        if came.keys() != {call.id for call in reply.tool_calls} or len(came) != count:
            raise InputError(NOT_ONE_LOOP)
        yield from (came[call.id] for call in reply.tool_calls)
        rest = rest[count:]


def _state(
    trace: Trace,
    start: Sequence[Message],
    question: UserMessage,
    turn: Sequence[Message],
    longest: int | None,
) -> str:
    replies = [_written(one, longest) for one in turn if isinstance(one, AssistantMessage)]
    shown = len(replies) if longest is None else min(len(replies), MOST_REPLIES)
    for reply in replies:
        del reply["role"]
    goes_on = isinstance(turn[-1], ToolResultMessage) if turn else True
    left_out = f"# The first {shown} of {len(replies)} replies; the notebook has them all."
    return "\n".join(
        [
            comment(trace.title),
            "# What stood before the question, the question, the model's replies, and what each tool gave.",
            *([left_out] if shown < len(replies) else []),
            given(
                start=[_written(message, longest) for message in start],
                user_input=_cut(question.content, longest),
                replies=replies[:shown],
                gave=_gave(turn, shown, longest),
                MAX_STEPS=shown if goes_on or shown < len(replies) else max(shown, trace.max_steps or 0),
            ),
        ]
    )


def _gave(turn: Sequence[Message], replies: int, longest: int | None) -> dict[str, dict[str, list[str]]]:
    """By tool and arguments: the results in order, one where they are all the same."""
    asked = [message.tool_calls for message in turn if isinstance(message, AssistantMessage)][:replies]
    results = [message.content for message in turn if isinstance(message, ToolResultMessage)]
    gave: dict[str, dict[str, list[str]]] = {}
    for call, result in zip(chain.from_iterable(asked), results, strict=False):
        table = gave.setdefault(call.name, {})
        table.setdefault(_cut(call.arguments, longest), []).append(_cut(result, longest))
    return {
        name: {arguments: texts[:1] if len(set(texts)) == 1 else texts for arguments, texts in table.items()}
        for name, table in gave.items()
    }


def _written(message: Message, longest: int | None) -> dict[str, Any]:
    match message:
        case AssistantMessage(content=text, thinking=thinking, tool_calls=calls):
            thought = {"thinking": _cut(thinking, longest)} if thinking else {}
            asked = [
                {"id": call.id, "name": call.name, "arguments": _cut(call.arguments, longest)}
                for call in calls
            ]
            return {"role": "assistant", **thought, "text": _cut(text, longest), "calls": asked}
        case ToolResultMessage(tool_call_id=id_, content=text):
            return {"role": "tool", "id": id_, "content": _cut(text, longest)}
        case _:
            return {"role": message.role, "content": _cut(message.content, longest)}


def _cut(text: str, longest: int | None) -> str:
    return text if longest is None else shortened(text, longest)
