"""The pairing invariant: every tool call has exactly one result, and every result has its call.

A server refuses a history that breaks it. Results belong to the nearest assistant message before them; their
order is free, because the id pairs them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from core.messages.chat_dialect import as_messages
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


def check_pairing(messages: Sequence[Message | Mapping[str, Any]]) -> list[Problem]:
    """The breaches of the pairing invariant, by message; an empty list means that the history may be sent.

    Errors: `InputError` for a message that is neither typed nor one of the chat dialect.
    """
    problems: list[Problem] = []
    asked_at = 0
    asked: list[str] = []
    answered: list[str] = []

    def close() -> None:
        problems.extend(
            Problem(kind="no result", index=asked_at, call_id=call_id)
            for call_id in asked
            if call_id not in answered
        )

    for index, message in enumerate(as_messages(messages)):
        if isinstance(message, ToolResultMessage):
            call_id = message.tool_call_id
            if call_id in answered:
                problems.append(Problem(kind="second result", index=index, call_id=call_id))
            elif call_id not in asked:
                problems.append(Problem(kind="no call", index=index, call_id=call_id))
            else:
                answered.append(call_id)
            continue
        close()
        asked_at, asked, answered = index, [], []
        if not isinstance(message, AssistantMessage):
            continue
        if not message.tool_calls and not message.content.strip():
            problems.append(Problem(kind="empty message", index=index))
        for call in message.tool_calls:
            if not call.id:
                problems.append(Problem(kind="missing id", index=index))
            elif call.id in asked:
                problems.append(Problem(kind="repeated id", index=index, call_id=call.id))
            else:
                asked.append(call.id)
    close()
    return sorted(problems, key=lambda problem: problem.index)
