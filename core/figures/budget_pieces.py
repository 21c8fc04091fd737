"""The text of every call of a run, piece by piece, for the budget screen.

Most of a call stands in the next one too. So each piece and each text is held once, and a call says how many
pieces it takes over from the call before, and in which ranges the others lie. Pieces that follow each other
in a context are numbered so, as far as they can be: the ranges are then few.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from core.context.tally import shared_prefix
from core.trace import Part, Segment
from core.values import Value

UNKNOWN = "not in this trace"


class Piece(Value):
    """A stretch of a context: whose it is, which text, its tokens, and what is said of it where it is new."""

    part: int
    text: int
    label: str
    count: str
    new: str


class Stretch(Value):
    """Pieces in a row, from `start` to before `stop`, that are sent, or `fell` out where they stand."""

    start: int
    stop: int
    fell: bool = False


class Laid(Value):
    """The pieces of a call: the first `taken` of the call before, and then those of `stretches`.

    Of those that are sent, the first `fresh` are not new; `None` where it is not known. `seam` says what of
    the next one is new, where not all of it is.
    """

    taken: int
    stretches: tuple[Stretch, ...]
    fresh: int | None
    seam: str


class Pieces:
    """The pieces and texts of some calls in a row, each once."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = {part: index for index, part in enumerate(parts)}
        self._pieces: list[Piece] = []
        self._tokens: list[int] = []
        self._texts: dict[str, int] = {}
        self._by_value: dict[tuple[object, ...], int] = {}
        self._by_id: dict[int, int] = {}  # segments are shared, and to hash one takes longer than all else
        self._held: list[Segment] = []  # so that no id is used twice
        self._chains: list[list[int]] = []  # pieces that follow each other
        self._chain_of: list[list[int]] = []
        self._before: tuple[Sequence[Segment], list[int]] = ((), [])
        self._row = np.zeros((2, 0), np.int64)  # of the last call: its pieces, and whether they fell out
        self._calls: list[tuple[int, NDArray[np.int64], int | None, str]] = []

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(self._pieces[number] for chain in self._chains for number in chain)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def add(self, segments: Sequence[Segment], resent: int | None, fallen: Sequence[Segment]) -> None:
        """Note a call with these segments, and those that fell out of it where they stood."""
        same = shared_prefix(self._before[0], segments)
        known = self._before[1][:same]
        numbers = known + self._numbers(segments[same:], known[-1] if known else None)
        self._before = segments, numbers
        row = self._with_fallen(segments, numbers, fallen)
        shorter = min(row.shape[1], self._row.shape[1])
        other = np.flatnonzero((row[:, :shorter] != self._row[:, :shorter]).any(axis=0))
        taken = int(other[0]) if len(other) else shorter
        self._row = row
        fresh, seam = (None, "") if resent is None else self._fresh(numbers, resent)
        self._calls.append((taken, row[:, taken:], fresh, seam))

    def laid(self) -> Iterator[Laid]:
        """What was noted of each call."""
        place = np.zeros(len(self._pieces), np.int64)
        place[[number for chain in self._chains for number in chain]] = np.arange(len(self._pieces))
        for taken, row, fresh, seam in self._calls:
            stretches = tuple(_stretches(place[row[0]], row[1]))
            yield Laid(taken=taken, stretches=stretches, fresh=fresh, seam=seam)

    def _fresh(self, numbers: list[int], resent: int) -> tuple[int, str]:
        ends = np.array(self._tokens)[numbers].cumsum()
        fresh = int(np.searchsorted(ends, resent, side="right"))
        if fresh == len(numbers):
            return fresh, ""
        new = int(ends[fresh]) - resent
        return fresh, note(new) if new < self._tokens[numbers[fresh]] else ""

    def _with_fallen(
        self, segments: Sequence[Segment], numbers: list[int], fallen: Sequence[Segment]
    ) -> NDArray[np.int64]:
        gone = self._numbers(fallen, None)
        places = [segment.message or 0 for segment in fallen]
        starts = list(accumulate((segment.message or 0 for segment in segments), max)) if fallen else []
        order, fell = [], []
        at = done = 0
        while done < len(fallen):  # all that stood before the next message that is sent
            here = max(at, bisect_right(starts, places[done]))
            end = bisect_left(places, starts[here], done + 1) if here < len(starts) else len(places)
            order += numbers[at:here] + gone[done:end]
            fell += [0] * (here - at) + [1] * (end - done)
            at, done = here, end
        fell += [0] * (len(numbers) - at)
        return np.array((order + numbers[at:], fell), np.int64)

    def _numbers(self, segments: Sequence[Segment], before: int | None) -> list[int]:
        for segment in segments:
            number = self._by_id.get(id(segment))
            if number is None:
                number = self._by_id[id(segment)] = self._piece(segment)
                self._held.append(segment)
                if number == len(self._chain_of):
                    self._follow(number, before)
            before = number
        return list(map(self._by_id.__getitem__, map(id, segments)))

    def _follow(self, number: int, before: int | None) -> None:
        """Put a piece behind the one before it, unless another piece stands there."""
        if before is None or self._chain_of[before][-1] != before:
            self._chains.append([])
            self._chain_of.append(self._chains[-1])
        else:
            self._chain_of.append(self._chain_of[before])
        self._chain_of[number].append(number)

    def _piece(self, segment: Segment) -> int:
        key = (segment.part, segment.text, segment.message, segment.label, segment.tokens)
        if key not in self._by_value:
            self._by_value[key] = len(self._pieces)
            message = None if segment.message is None else f"message {segment.message + 1}"
            tokens = segment.tokens
            self._tokens.append(tokens or 0)
            self._pieces.append(
                Piece(
                    part=self._parts[segment.part],
                    text=self._texts.setdefault(segment.text, len(self._texts)),
                    label=" · ".join(word for word in (segment.label, message) if word) or segment.part.value,
                    count=f"tokens: {UNKNOWN}" if tokens is None else many(tokens, "token"),
                    new=note(tokens) if tokens else "",
                )
            )
        return self._by_value[key]


def _stretches(places: NDArray[np.int64], fell: NDArray[np.int64]) -> Iterator[Stretch]:
    breaks = np.flatnonzero((np.diff(places) != 1) | np.diff(fell)) + 1
    for stretch in np.split(np.arange(len(places)), breaks):
        if len(stretch):
            first, last = stretch[0], stretch[-1]
            yield Stretch(start=int(places[first]), stop=int(places[last]) + 1, fell=bool(fell[first]))


def note(new: int | None) -> str:
    """How much of some tokens is new, in a word."""
    if new is None:
        return ""
    return f"+{new:,} new" if new else "re-sent"


def many(count: int, thing: str) -> str:
    """A number and what it counts."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def share(part: int, whole: int) -> str:
    """A percentage without decimals; what is neither nothing nor all never reads as 0 % or 100 %."""
    if not whole:
        return "0 %"
    percent = round(100 * part / whole)
    if percent == 0 and part:
        return "<1 %"
    if percent == 100 and part != whole:
        return ">99 %"
    return f"{percent} %"
