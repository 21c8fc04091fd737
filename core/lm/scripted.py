"""A model that replays replies written beforehand, through the interface that every model has."""

from collections.abc import Iterable, Sequence

from core.errors import InputError
from core.lm.chat import Reply
from core.messages.types import AssistantMessage, Message, ToolSchema


class ScriptedModel:
    """Replays its replies in order, one a call, whatever it is asked.

    Args:
        name: shown as the name of the model.
        replies: assistant messages, or whole replies where the finish reason matters.
        window: the context window to pretend, in tokens.
    """

    def __init__(
        self, name: str, replies: Iterable[AssistantMessage | Reply], window: int | None = None
    ) -> None:
        self.name = name
        self.window = window
        self._replies = tuple(map(_as_reply, replies))
        self._next = 0

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:  # noqa: ARG002
        """The next reply of the script.

        Raises:
            InputError: the script has ended.
        """
        if self._next == len(self._replies):
            raise InputError(
                f"The scripted model {self.name!r} has only {len(self._replies)} replies and was called once "
                "more. Add a reply, or lower the number of steps."
            )
        self._next += 1
        return self._replies[self._next - 1]


def _as_reply(reply: AssistantMessage | Reply) -> Reply:
    """The finish reason of a bare message is the one that a server would report (OpenAI chat API)."""
    if isinstance(reply, Reply):
        return reply
    return Reply(message=reply, finish_reason="tool_calls" if reply.tool_calls else "stop")
