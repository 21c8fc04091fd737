"""The tokens of one context after another, by part: what two contexts have in common is looked at once.

Every call of a run sends all of the one before again, so to look at each segment of each call takes time that
grows with the square of the run. Segments are values and are shared, so every one gets a number at its first
sight, and a context is then an array of numbers, summed by numpy.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, takewhile

import numpy as np
from numpy.typing import NDArray

from core.trace import Part, Segment

PARTS = tuple(Part)
_PLACE = {part: place for place, part in enumerate(PARTS)}
_Row = NDArray[np.int64]


class Tally:
    """The tokens of a context, which is replaced by the next one of a run.

    `total` is the sum of its counts as far as they are known. `uncounted` is how many of its segments have no
    count, and `idless` how many no token ids.
    """

    def __init__(self) -> None:
        self.segments: Sequence[Segment] = ()
        self.total = 0
        self.uncounted = 0
        self.idless = 0
        self._numbers: _Row = np.zeros(0, np.int64)
        self._tokens: _Row = np.zeros(0, np.int64)  # of each segment of the context
        self._number_of: dict[int, int] = {}  # by identity, for to hash a segment takes longer than all else
        self._met: list[Segment] = []
        # One row for each segment met: its part, its tokens, whether it has no count, whether it has no ids.
        self._facts = np.zeros((4, 1024), np.int64)

    def replace(self, segments: Sequence[Segment]) -> tuple[int, int]:
        """Go over to another context.

        Returns:
            How many segments both begin with, and how many tokens these have.
        """
        same = shared_prefix(self.segments, segments)
        later = segments[same:]
        met = dict(zip(map(id, later), later, strict=True))
        for unmet in met.keys() - self._number_of.keys():
            self._meet(met[unmet])
        numbers = list(map(self._number_of.__getitem__, map(id, later)))
        self.segments = segments
        self._numbers = np.concatenate((self._numbers[:same], np.array(numbers, np.int64)))
        _, self._tokens, uncounted, idless = self._facts[:, self._numbers]
        self.total, self.uncounted, self.idless = map(
            int, (self._tokens.sum(), uncounted.sum(), idless.sum())
        )
        return same, int(self._tokens[:same].sum())

    @property
    def counts(self) -> Counter[Part]:
        """The tokens of each part that has some."""
        return self._sums(self._tokens)

    @property
    def by_part(self) -> dict[Part, int]:
        """The tokens of each part that occurs and is counted whole, in the order of the parts."""
        parts, _, uncounted, _ = self._facts[:, self._numbers]
        there, partly = set(parts.tolist()), set(parts[uncounted > 0].tolist())
        counts = self.counts
        return {part: counts[part] for place, part in enumerate(PARTS) if place in there - partly}

    def behind(self, tokens: int) -> dict[Part, int]:
        """What comes after so many tokens, for each part that has tokens, in the order of the parts."""
        ends = self._tokens.cumsum()
        behind = self._sums(np.minimum(self._tokens, np.maximum(ends - tokens, 0)))
        return {part: behind[part] for part in self.counts}

    def _sums(self, tokens: _Row) -> Counter[Part]:
        sums = np.bincount(self._facts[0, self._numbers], tokens, len(PARTS))
        return Counter({part: int(sum_) for part, sum_ in zip(PARTS, sums, strict=True) if sum_})

    def _meet(self, segment: Segment) -> None:
        number = self._number_of[id(segment)] = len(self._met)
        self._met.append(segment)
        if number == self._facts.shape[1]:
            self._facts = np.concatenate((self._facts, np.zeros_like(self._facts)), axis=1)
        self._facts[:, number] = (
            _PLACE[segment.part],
            segment.tokens or 0,
            segment.tokens is None,
            segment.token_ids is None,
        )


def shared_prefix(first: Sequence[object], second: Sequence[object]) -> int:
    """The number of things that two sequences have in common from the start."""
    low, high = 0, min(len(first), len(second))
    while low < high:  # slices are compared at once, so halving beats a walk from one to the next
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def shared_tokens(first: Sequence[Segment], second: Sequence[Segment]) -> int:
    """The number of tokens that two stretches of known tokens begin with in common, cut as they may be."""
    pairs = zip(_ids(first), _ids(second), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _ids(segments: Iterable[Segment]) -> Iterable[int]:
    return chain.from_iterable(segment.token_ids or () for segment in segments)
