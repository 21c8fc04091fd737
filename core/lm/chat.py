"""What the loop needs of a model: messages and tool schemas in, one reply out."""

from collections.abc import Generator, Sequence
from typing import Protocol

from core.messages.reply import TokenChoice, Usage
from core.messages.types import AssistantMessage, Message, ToolSchema
from core.values import Value


class Reply(Value):
    """One reply of a model. What a model does not tell is `None`.

    `notes` are sentences on what happened on the way: the server was asked again, or has cut the prompt.
    """

    message: AssistantMessage
    finish_reason: str | None = None
    usage: Usage = Usage()
    tokens: tuple[TokenChoice, ...] | None = None
    notes: tuple[str, ...] = ()


class Piece(Value):
    """What a reply grows by while it streams in: some of its text, or of its thinking.

    `tokens` are those that it consists of, where the model tells them. `note` is a sentence about the
    request, not a part of the reply. A piece can be empty: the model is still at work, and whoever watches
    has a moment to stop it.
    """

    text: str = ""
    thinking: str = ""
    tokens: tuple[TokenChoice, ...] = ()
    note: str = ""


class ChatModel(Protocol):
    """A model behind a chat interface: stateless, so every call gets the whole context.

    `window` is the number of tokens that context and reply share, `None` where it is not known.
    """

    @property
    def name(self) -> str: ...
    @property
    def window(self) -> int | None: ...
    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """The next assistant message.

        Raises:
            InputError: the model cannot be reached or refuses the request, with the way out.
        """
        ...


class StreamingModel(ChatModel, Protocol):
    """A model whose reply can be watched as it comes, and stopped."""

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> Generator[Piece, None, Reply]:
        """The reply in pieces, in order; the generator returns it whole. Closing it stops the model.

        Raises:
            InputError: as `reply`, also in the middle: the pieces so far are then all there is.
        """
        ...


def drained(stream: Generator[Piece, None, Reply]) -> Reply:
    """The whole reply of a stream, for those who do not watch it."""
    while True:
        try:
            next(stream)
        except StopIteration as end:
            reply: Reply = end.value
            return reply
