"""What a reader may suppose about a run: other limits, another strategy, other habits of the runtime."""

from enum import StrEnum
from typing import Literal

from pydantic import ValidationError

from core.context.supplies import Choice
from core.errors import InputError
from core.values import Value

SMALLEST_WINDOW, LARGEST_WINDOW = 32, 1_048_576
SUMMARY = (
    "Summary of the conversation so far: the tools were called as planned, their results were read, and what "
    "matters of them for the question was noted. Go on from here."
)
"""What stands for compacted turns. It is scripted: no model has read them."""


class Strategy(StrEnum):
    """What happens to a context that outgrows its limit."""

    NONE = "no strategy"
    OLLAMA = "as Ollama does"
    OLDEST = "drop oldest"
    BLOCKS = "drop whole pairs"
    COMPACT = "compact"
    ELIDE = "elide results"


Clock = Literal["none", "head", "end"]


class Supposition(Value):
    """A run under other conditions.

    `window` is in tokens; without one nothing is ever too much. `reserve` is kept free for the answer, and
    `tools` is how many of the run's tools are advertised, from the first; all, if `None`. The strategies
    shorten to `window - reserve`, compaction and elision as soon as the `threshold`, in percent of that, is
    passed; Ollama knows of no reserve. Compaction keeps about the last `keep_last` messages and puts
    `summary` in the place of the others.

    `choice` is what is added to the system prompt, of a run that adds something.

    The last three change what a prefix cache finds: a `clock` at the head of the system prompt, or at the end
    of the last message; tools in reverse order in every second call; and the thoughts beside tool calls,
    which are sent once and then left out.
    """

    window: int | None = None
    reserve: int = 0
    tools: int | None = None
    strategy: Strategy = Strategy.NONE
    threshold: int = 80
    keep_last: int = 4
    summary: str = SUMMARY
    choice: Choice = Choice()
    clock: Clock = "none"
    reorder_tools: bool = False
    drop_thoughts: bool = False

    @property
    def limit(self) -> int | None:
        """The tokens that a context may have before the strategy acts."""
        if self.window is None or self.strategy is Strategy.OLLAMA:
            return self.window
        room = self.window - self.reserve
        return max(1, room * self.threshold // 100 if self.has_threshold else room)

    @property
    def has_threshold(self) -> bool:
        """Whether the strategy acts before the window is full."""
        return self.strategy in (Strategy.COMPACT, Strategy.ELIDE)

    @classmethod
    def of(cls, **fields: object) -> "Supposition":
        """A checked supposition.

        Raises:
            InputError: a value that makes no sense.
        """
        try:
            made = cls.model_validate(fields)
        except ValidationError as error:
            name = error.errors()[0]["loc"][0]
            raise InputError(f"One cannot suppose {name} = {fields.get(str(name))!r}.") from None
        if made.window is not None and not SMALLEST_WINDOW <= made.window <= LARGEST_WINDOW:
            raise InputError(f"A window has {SMALLEST_WINDOW} to {LARGEST_WINDOW:,} tokens: choose another.")
        if made.reserve < 0 or (made.window is not None and made.reserve >= made.window):
            raise InputError(
                "The reserve for the answer must be smaller than the window, and not negative; until then "
                "nothing is supposed."
            )
        if made.strategy is not Strategy.NONE and made.window is None:
            raise InputError("A strategy shortens to a window: choose one.")
        if made.tools is not None and made.tools < 0:
            raise InputError("The number of tools must be 0 or more.")
        if not 1 <= made.threshold <= 100:
            raise InputError("The threshold is a share of the window, from 1 to 100 percent.")
        if made.choice.documents < 0 or made.choice.facts < 0:
            raise InputError("The number of documents and facts must be 0 or more.")
        if made.keep_last < 0:
            raise InputError("The number of messages to keep must be 0 or more.")
        return made


def window_of(text: str) -> int:
    """The window that somebody has typed: 8192, 8,192, 32k or 1M, with k for 1,024.

    Raises:
        InputError: it is no number of tokens that a window may have.
    """
    plain = text.strip().lower().replace(",", "").replace(" ", "").replace("_", "")
    scale = {"k": 1024, "m": 1024 * 1024}.get(plain[-1:], 1)
    digits = plain if scale == 1 else plain[:-1]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise InputError("Give the window in tokens, such as 2048, 32k or 1M.")
    return Supposition.of(window=int(digits) * scale).window or 0
