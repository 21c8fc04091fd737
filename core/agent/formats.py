"""How turns are put to a model, and read from what it replies: the loop is the same for all formats."""

from collections.abc import Sequence
from typing import Protocol

from core.messages.types import AssistantMessage, Message, ToolSchema
from core.values import Value


class Turn(Value):
    """What a reply says: the message as it enters the history.

    `problem` tells the model why its reply could not be read; then the message holds what it wrote. `ignored`
    is the part of the reply that counts for nothing.
    """

    message: AssistantMessage
    problem: str = ""
    ignored: str = ""


class Format(Protocol):
    """A way to ask for tool calls."""

    def sent(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> tuple[tuple[Message, ...], tuple[ToolSchema, ...]]:
        """The messages that a call sends, one for each of the history, and the tools that it advertises."""
        ...

    def read(self, reply: AssistantMessage, tools: Sequence[ToolSchema]) -> Turn:
        """What a reply says; whatever it holds, never an error."""
        ...

    def is_complete(self, text: str) -> bool:
        """Whether a reply that is still streaming says all that will count."""
        ...


class NativeFormat:
    """Native tool calling: the API takes the schemas, and returns calls as structured objects."""

    def sent(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> tuple[tuple[Message, ...], tuple[ToolSchema, ...]]:
        return tuple(messages), tuple(tools)

    def read(self, reply: AssistantMessage, tools: Sequence[ToolSchema]) -> Turn:  # noqa: ARG002
        return Turn(message=reply)

    def is_complete(self, text: str) -> bool:  # noqa: ARG002
        return False


NATIVE = NativeFormat()
