"""The pairing invariant: every tool call has exactly one result, and every result has its call.

A server refuses a history that breaks it. Results belong to the nearest assistant message before them; their
order is free, because the id pairs them. Two calls of one message with the same id are paired with their
results in order, though a server refuses the second.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from core.messages.chat_dialect import MessageLike, as_messages
from core.messages.types import AssistantMessage, Message, ToolResultMessage
from core.values import Value


class Problem(Value):
    """One breach, at the message with this index, of the call with this id."""

    kind: Literal["no result", "no call", "second result", "repeated id", "missing id", "empty message"]
    index: int
    call_id: str = ""

    def __str__(self) -> str:
        return {
            "no result": f"Message {self.index}: the call {self.call_id!r} has no result.",
            "no call": f"Message {self.index}: the result {self.call_id!r} belongs to no open call.",
            "second result": f"Message {self.index}: the call {self.call_id!r} already has its result.",
            "repeated id": f"Message {self.index}: two calls have the id {self.call_id!r}.",
            "missing id": f"Message {self.index}: a call has no id.",
            "empty message": f"Message {self.index}: the assistant message has neither text nor calls.",
        }[self.kind]


class Pair(Value):
    """A call and the message that answers it; `result` is `None` where none does.

    `call` is the index of the assistant message, `place` the call's among its calls.
    """

    call: int
    place: int
    call_id: str
    result: int | None = None


def check_pairing(messages: Iterable[MessageLike]) -> list[Problem]:
    """The breaches of the pairing invariant, by message; an empty list means that the history may be sent.

    Errors: `InputError` for a message that is neither typed nor one of the chat dialect.
    """
    return _scan(as_messages(messages))[2]


def pairs(messages: Iterable[MessageLike]) -> list[Pair]:
    """Every call with its result, in order, to draw the pairing.

    Errors: `InputError` for a message that is neither typed nor one of the chat dialect.
    """
    calls, result_of, _ = _scan(as_messages(messages))
    return [
        Pair(call=call, place=place, call_id=call_id, result=result_of.get(at))
        for at, (call, place, call_id) in enumerate(calls)
    ]


def repaired(messages: Iterable[MessageLike], note: str = "This call was not executed.") -> list[Message]:
    """The history with a result for every call that has none, and without results that belong to no call.

    Calls that were answered stay as they are; a call whose id is missing or repeated stays a breach.

    Errors: `InputError` for a message that is neither typed nor one of the chat dialect.
    """
    typed = as_messages(messages)
    calls, result_of, problems = _scan(typed)
    stray = {problem.index for problem in problems if problem.kind in ("no call", "second result")}
    open_ = {(problem.index, problem.call_id) for problem in problems if problem.kind == "no result"}
    unanswered: dict[int, list[Message]] = {}
    for at, (call, place, call_id) in enumerate(calls):
        if (call, call_id) in open_ and at not in result_of:
            open_.remove((call, call_id))
            asked = typed[call]
            name = asked.tool_calls[place].name if isinstance(asked, AssistantMessage) else None
            result = ToolResultMessage(tool_call_id=call_id, name=name, content=note, is_error=True)
            unanswered.setdefault(call, []).append(result)
    mended: list[Message] = []
    added: list[Message] = []
    for index, message in enumerate(typed):
        if not isinstance(message, ToolResultMessage):
            mended += added
            added = unanswered.get(index, [])
        if index not in stray:
            mended.append(message)
    return [*mended, *added]


_Found = tuple[int, int, str]
"""A call: the index of its message, its place there, its id."""


def _scan(messages: Sequence[Message]) -> tuple[list[_Found], dict[int, int], list[Problem]]:
    """The calls, the index of the result of each by its place among them, and the breaches."""
    calls: list[_Found] = []
    result_of: dict[int, int] = {}  # by the place in `calls`
    problems: list[Problem] = []
    expected: list[int] = []  # places in `calls` of those that need a result
    open_: dict[str, list[int]] = {}  # those of the nearest assistant message, by id
    for index, message in enumerate(messages):
        if isinstance(message, ToolResultMessage):
            call_id = message.tool_call_id
            same_id = open_.get(call_id, [])
            at = next((at for at in same_id if at not in result_of), None)
            if at is not None:
                result_of[at] = index
            if not same_id:
                problems.append(Problem(kind="no call", index=index, call_id=call_id))
            elif at != same_id[0]:
                problems.append(Problem(kind="second result", index=index, call_id=call_id))
            continue
        open_ = {}
        if not isinstance(message, AssistantMessage):
            continue
        if not message.tool_calls and not message.content.strip():
            problems.append(Problem(kind="empty message", index=index))
        for place, call in enumerate(message.tool_calls):
            calls.append((index, place, call.id))
            if not call.id:
                problems.append(Problem(kind="missing id", index=index))
            elif call.id in open_:
                problems.append(Problem(kind="repeated id", index=index, call_id=call.id))
                open_[call.id].append(len(calls) - 1)
            else:
                open_[call.id] = [len(calls) - 1]
                expected.append(len(calls) - 1)
    for at in expected:
        if at not in result_of:
            problems.append(Problem(kind="no result", index=calls[at][0], call_id=calls[at][2]))
    return calls, result_of, sorted(problems, key=lambda problem: problem.index)
