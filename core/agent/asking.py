"""Line 3 of Prompt-ToolLoop: one call of the model, and what is left of a reply that breaks off."""

from collections.abc import Callable, Sequence

from core.errors import InputError
from core.lm.chat import ChatModel, Piece, Reply, StreamingModel
from core.messages.types import AssistantMessage, Message, ToolSchema

STOPPED = "stopped by hand"

Watch = Callable[[Piece], None]
"""Gets every piece of a reply as it comes. May raise `StopRun`."""


class StopRun(Exception):
    """Raised by whoever watches: the model is stopped, and the run ends with what had come."""


def ask(
    model: ChatModel | StreamingModel,
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    *,
    watch: Watch | None,
    is_complete: Callable[[str], bool],
) -> tuple[Reply, str]:
    """The reply, and why it broke off: empty where it did not.

    A model that can stream does, so that it can be stopped: by `StopRun`, by any other exception of `watch`,
    which goes on to the caller, or because the reply says all that will count.
    """
    came: list[Piece] = []
    try:
        if not hasattr(model, "stream"):
            return model.reply(messages, tools), ""
        stream = model.stream(messages, tools)
        try:
            while True:
                try:
                    piece = next(stream)
                except StopIteration as end:
                    reply: Reply = end.value
                    return reply, ""
                came.append(piece)
                if watch is not None:
                    watch(piece)
                # A label ends with a colon, so nothing else can complete a reply.
                if ":" in piece.text and is_complete(_text(came)):
                    return _so_far(came, finish_reason="stop"), ""
        finally:
            stream.close()
    except InputError as error:
        return _so_far(came, finish_reason=None), str(error)
    except StopRun:
        return _so_far(came, finish_reason=None), STOPPED


def _text(came: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in came)


def _so_far(came: Sequence[Piece], finish_reason: str | None) -> Reply:
    thinking = "".join(piece.thinking for piece in came)
    return Reply(
        message=AssistantMessage(content=_text(came), thinking=thinking or None),
        finish_reason=finish_reason,
        tokens=tuple(token for piece in came for token in piece.tokens) or None,
        notes=tuple(piece.note for piece in came if piece.note),
    )
