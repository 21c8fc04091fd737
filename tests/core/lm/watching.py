"""Watching a model's reply come in."""

from collections.abc import Sequence

import pytest

from core.errors import InputError
from core.lm.chat import Piece, Reply, StreamingModel
from core.messages.types import Message, ToolSchema, UserMessage

ASK = (UserMessage(content="What is the weather in Oslo?"),)


def watch(
    model: StreamingModel, tools: Sequence[ToolSchema] = (), messages: Sequence[Message] = ASK
) -> tuple[list[Piece], Reply]:
    """What was shown while the reply came, without the empty pieces, and the reply."""
    pieces: list[Piece] = []
    stream = model.stream(messages, tools)
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            return [piece for piece in pieces if piece != Piece()], end.value


def failure(
    model: StreamingModel, tools: Sequence[ToolSchema] = (), messages: Sequence[Message] = ASK
) -> tuple[str, str]:
    """The text that was shown before a reply failed, and the sentence."""
    shown: list[str] = []

    def read() -> None:
        for piece in model.stream(messages, tools):
            shown.append(piece.text)

    with pytest.raises(InputError) as refusal:
        read()
    return "".join(shown), str(refusal.value)
