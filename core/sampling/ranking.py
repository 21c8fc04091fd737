"""Logits in falling order: sorted once per prompt, reused by every setting.

Temperature never changes the order, and each filter keeps the first so many tokens of it (tied
tokens are neighbours). So once the logits are sorted, a filter is one number, the count of kept tokens.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.sampling.logits import checked_logits

# exp(-x) is 0 in float64 from x = 745.14 on: weights beyond are not computed.
EXP_UNDERFLOW = 746.0
# No model's logits are this far apart; the limit keeps the sums over the vocabulary finite.
FARTHEST = 1e300


@dataclass(frozen=True, eq=False)
class SortedLogits:
    """The logits of one prompt in falling order. All arrays are read-only.

    `order` int (V,): token ids by falling logit, ties by lowest id.
    `logits` float64 (V,): in that order.
    `gap` float64 (V,): how far each logit is below the largest, so rising from 0; inf if forbidden.
    `allowed`: the number of tokens whose logit is not -inf; they come first.
    """

    order: NDArray[np.intp]
    logits: NDArray[np.float64]
    gap: NDArray[np.float64] = field(repr=False)
    allowed: int

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def model(self) -> "Prefix":
        """The model's own distribution: T = 1, no filter. Every setting starts from it."""
        return Prefix(Tempered(self, 1.0), self.allowed)


@dataclass(frozen=True, eq=False)
class Tempered:
    """Sorted logits at one temperature, as weights exp((z - max) / T) that are not yet normalised.

    T = 0 is the limit: the first token has all the weight, and no formula is evaluated.
    """

    ranked: SortedLogits
    temperature: float

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """exp((z - max) / T) by falling logit, as far as it is above 0. Tokens beyond the end weigh 0."""
        if self.temperature == 0:
            return np.ones(1)
        reach = min(EXP_UNDERFLOW * self.temperature, FARTHEST)
        count = np.searchsorted(self.ranked.gap, reach, side="right")
        weights = self.ranked.gap[:count] / -self.temperature
        return np.asarray(np.exp(weights, out=weights), dtype=np.float64)

    @cached_property
    def cumulative(self) -> NDArray[np.float64]:
        """Running sum of the weights."""
        return np.asarray(np.cumsum(self.weights), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Prefix:
    """The first `kept` tokens by falling logit at one temperature, renormalised."""

    tempered: Tempered
    kept: int

    @cached_property
    def total(self) -> float:
        """The sum of the kept weights, by which each is divided."""
        return float(self.tempered.weights[: self.kept].sum())

    @cached_property
    def entropy_bits(self) -> float:
        """Entropy in bits, as log2 Z + sum w g / (T Z), with g the gaps, w = exp(-g / T) and Z = sum w.

        This form needs no logarithm of a probability, so a probability of 0 counts as 0.
        """
        temperature, weights = self.tempered.temperature, self.tempered.weights[: self.kept]
        if temperature == 0:
            return 0.0
        # einsum, as np.dot wakes the threads of the linear-algebra library, which costs milliseconds here.
        gaps = float(np.einsum("i,i->", weights, self.tempered.ranked.gap[: len(weights)]))
        return (math.log(self.total) + gaps / self.total / temperature) / math.log(2)

    @cached_property
    def probs(self) -> NDArray[np.float64]:
        """Probability of every token by id, float64 (V,), read-only; 0 for those that are not kept."""
        falling = self.falling(self.kept)
        probs = np.zeros(len(self.tempered.ranked))
        probs[self.tempered.ranked.order[: len(falling)]] = falling
        probs.flags.writeable = False
        return probs

    def falling(self, count: int) -> NDArray[np.float64]:
        """Probabilities of the first `count` tokens by falling logit. Shorter where the rest are 0."""
        return np.asarray(self.tempered.weights[: min(count, self.kept)] / self.total, dtype=np.float64)

    def mass(self, start: int) -> float:
        """Probability of all tokens from rank `start` on."""
        return float(self.tempered.weights[start : self.kept].sum()) / self.total


def presort(logits: ArrayLike) -> SortedLogits:
    """Sort logits (V,) once, for many calls of `distribution`. Errors: as `checked_logits`."""
    values = checked_logits(logits)
    order = _falling_order(values)
    falling = values[order]
    with np.errstate(over="ignore"):
        gap = falling[0] - falling
    for array in (order, falling, gap):
        array.flags.writeable = False
    return SortedLogits(order, falling, gap, allowed=int(np.count_nonzero(falling != -np.inf)))


def _falling_order(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Ids by falling value, ties by lowest id.

    numpy's own sort takes a fifth of the time of its stable one, and puts ties in any order: these are put
    right afterwards.
    """
    order = np.argsort(-values)
    falling = values[order]
    with_next = falling[1:] == falling[:-1]
    if with_next.any():
        run = np.concatenate(([0], np.cumsum(~with_next)))  # equal values have the same number
        tied = np.concatenate((with_next, [False])) | np.concatenate(([False], with_next))
        order[tied] = np.sort(run[tied] * len(values) + order[tied]) % len(values)
    return order
