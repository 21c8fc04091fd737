"""The text of every call of a run, piece by piece, for the budget screen.

Most of a call stands in the next one too. So each piece and each text is held once, and a call says how many
pieces it takes over from the call before and which come then.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from core.trace import Part, Segment
from core.values import Value

UNKNOWN = "not in this trace"


class Piece(Value):
    """A stretch of the context in its order: whose it is, how much of it is new, or that it fell out."""

    part: int
    text: int
    label: str
    note: str
    new: bool
    fell: bool = False


class Pieces:
    """The pieces and texts met so far, each once."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = {part: index for index, part in enumerate(parts)}
        self._indices: dict[tuple[object, ...], int] = {}
        self._pieces: list[Piece] = []
        self._texts: dict[str, int] = {}
        self._before: tuple[int, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(self._pieces)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def of_call(
        self, segments: Sequence[Segment], resent: int | None, fallen: Sequence[Segment]
    ) -> tuple[int, tuple[int, ...]]:
        """How many pieces a call takes over from the one before, and the indices of those behind them."""
        indices = tuple(self._all(segments, resent, fallen))
        pairs = zip(self._before, indices, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        self._before = indices
        return same, indices[same:]

    def _all(
        self, segments: Sequence[Segment], resent: int | None, fallen: Sequence[Segment]
    ) -> Iterator[int]:
        left = list(reversed(fallen))
        end: int | None = 0
        for segment in segments:
            while left and segment.message is not None and (left[-1].message or 0) < segment.message:
                yield self._piece(left.pop(), None, fell=True)
            tokens = segment.tokens
            end = None if end is None or tokens is None else end + tokens
            new = (
                None if end is None or tokens is None or resent is None else min(tokens, max(0, end - resent))
            )
            yield self._piece(segment, new, fell=False)
        for segment in reversed(left):
            yield self._piece(segment, None, fell=True)

    def _piece(self, segment: Segment, new: int | None, fell: bool) -> int:
        key = (segment.part, segment.text, segment.message, segment.label, segment.tokens, new, fell)
        if key not in self._indices:
            self._indices[key] = len(self._pieces)
            message = None if segment.message is None else f"message {segment.message + 1}"
            count = f"tokens: {UNKNOWN}" if segment.tokens is None else many(segment.tokens, "token")
            state = "fell out" if fell else note(new) if segment.tokens else ""
            self._pieces.append(
                Piece(
                    part=self._parts[segment.part],
                    text=self._texts.setdefault(segment.text, len(self._texts)),
                    label=" · ".join(word for word in (segment.label, message) if word) or segment.part.value,
                    note=", ".join(word for word in (count, state) if word),
                    new=bool(new),
                    fell=fell,
                )
            )
        return self._indices[key]


def note(new: int | None) -> str:
    """How much of some tokens is new, in a word."""
    if new is None:
        return ""
    return f"+{new:,} new" if new else "re-sent"


def many(count: int, thing: str) -> str:
    """A number and what it counts."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
