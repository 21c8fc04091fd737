"""What a runtime does to a context just before it sends it, as far as one may suppose it otherwise."""

from collections.abc import Sequence

from core.context.assemble import Insert
from core.context.supposition import Supposition
from core.context.writer import ContextWriter
from core.messages import (
    AssistantMessage,
    Message,
    ToolSchema,
)
from core.messages.parts import CONTENT_PARTS

CLOCK = "It is 10:{:02}:{:02}."
LABEL = "clock"
SECONDS_APART = 8


class Habits:
    """The habits of a supposition, for the calls of one run.

    Args:
        messages: all messages of the run.
        tools: the tools that it advertises.
        supposition: what is otherwise.
        writer: learns where the clock stands in a message.
    """

    def __init__(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        supposition: Supposition,
        writer: ContextWriter,
    ) -> None:
        self._writer = writer
        self._supposition = supposition
        some = tuple(tools[: supposition.tools])
        self._tools = (some, some[::-1] if supposition.reorder_tools else some)
        # One copy for all calls: what is the same is written once.
        self._bare = {
            id(message): message.model_copy(update={"content": "", "thinking": None})
            for message in messages
            if supposition.drop_thoughts
            and isinstance(message, AssistantMessage)
            and message.tool_calls
            and (message.content or message.thinking)
        }

    def tools(self, number: int) -> tuple[ToolSchema, ...]:
        """The tools that a call advertises; calls are numbered from 0."""
        return self._tools[number % 2]

    @property
    def leave_out(self) -> bool:
        """Whether there are thoughts that are left out."""
        return bool(self._bare)

    def messages(self, history: tuple[Message, ...], number: int) -> tuple[Message, ...]:
        """The messages of a call as they are sent."""
        return self.in_full(self._without_thoughts(history) if self._bare else history, number)

    def in_full(self, history: tuple[Message, ...], number: int) -> tuple[Message, ...]:
        """The messages of a call as they would be sent with all thoughts."""
        clock = self._supposition.clock
        if clock == "none" or not history:
            return history
        time = CLOCK.format(number * SECONDS_APART // 60, number * SECONDS_APART % 60)
        if clock == "head":
            return (self._saying(history[0], time, f"{time} {history[0].content}"), *history[1:])
        time = f" {time}"
        return (*history[:-1], self._saying(history[-1], time, f"{history[-1].content}{time}"))

    def _saying(self, message: Message, time: str, content: str) -> Message:
        saying = message.model_copy(update={"content": content})
        self._writer.mark(saying, Insert(part=CONTENT_PARTS[message.role], label=LABEL, text=time))
        return saying

    def _without_thoughts(self, history: Sequence[Message]) -> tuple[Message, ...]:
        """The thoughts of the last reply are still sent."""
        places = range(len(history) - 1, -1, -1)
        last = next((place for place in places if isinstance(history[place], AssistantMessage)), 0)
        return tuple(
            message if place == last else self._bare.get(id(message), message)
            for place, message in enumerate(history)
        )
