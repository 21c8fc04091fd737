"""A reply that comes in parts from a server, put together: the same for every protocol."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.lm.chat import Piece, Reply
from core.lm.patience import Retry
from core.lm.schema_calls import as_calls
from core.messages.reply import TokenChoice, Usage
from core.messages.types import AssistantMessage, ToolCall


@dataclass
class StreamedReply(ABC):
    """What the parts of one reply have brought so far; a protocol says how one of its parts is read."""

    content: str = ""
    thinking: str = ""
    tokens: list[TokenChoice] = field(default_factory=list)
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)

    @abstractmethod
    def read(self, part: Any) -> Piece:
        """Take in one part; what it adds. `BadReply` if it is none."""

    @property
    @abstractmethod
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls that have come."""

    def pieces(self, parts: Iterable[Any]) -> Iterator[Piece]:
        """Take in the parts as `retried` gives them; what each adds, or says of the way."""
        for part in parts:
            if part is None:
                yield Piece()
            elif isinstance(part, Retry):
                yield self.noted(part.sentence)
            elif (piece := self.read(part)) != Piece():
                yield piece

    def noted(self, sentence: str) -> Piece:
        """Keep a sentence on what happened on the way."""
        self.notes.append(sentence)
        return Piece(note=sentence)

    def whole(self, by_schema: bool) -> Reply:
        """The reply, once all of it is there; `by_schema`: its text stands for a call or an answer."""
        message = AssistantMessage(
            content=self.content, thinking=self.thinking or None, tool_calls=self.calls
        )
        return Reply(
            message=as_calls(message) if by_schema else message,
            finish_reason=self.finish_reason,
            usage=self.usage,
            tokens=tuple(self.tokens) or None,
            notes=tuple(self.notes),
        )
