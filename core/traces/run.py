"""What a reader of a format returns: a run as its file tells it, before it becomes steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.messages.reply import TokenChoice, Usage
from core.messages.types import Message, ToolSchema

MOST_MESSAGES = 5_000
"""Of one run; what follows is left out, with a notice. A run of a thousand calls has some 2,000."""


@dataclass(frozen=True)
class Said:
    """A message, and what the file tells of the model call that made it."""

    message: Message
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    tokens: tuple[TokenChoice, ...] | None = None


@dataclass(frozen=True)
class Run:
    """One run of a file. `stop` says why it ended, in the words of the file; `notices` are sentences.

    The first message that is a system message becomes the system prompt, unless `system` names one.
    """

    said: Sequence[Said]
    title: str = ""
    model: str | None = None
    system: str | None = None
    tools: tuple[ToolSchema, ...] | None = None
    stop: str = ""
    notices: tuple[str, ...] = ()


class Notices:
    """Collects what a reader of the run should know; each sentence once, in order."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}

    def add(self, sentence: str) -> None:
        """Note a sentence, unless it is noted already."""
        self._sentences[sentence] = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._sentences)
