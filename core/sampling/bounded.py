"""What is known of a distribution of which a source reports only the most probable tokens.

reported = partial(logprobs, vocab_size=151_936)                   # Ollama's twenty
reported.at(0.7).low, reported.at(0.7).high                        # between which each probability lies
reported.after(SamplerSettings(top_p=0.9, engine="ollama")).badge  # "exact", "bounded" or "unknown"

Nothing is ever normalised over the shown tokens alone. The bounds are derived in `core.sampling.head`.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.sampling.checks import uniform_value, whole_number
from core.sampling.head import SUM_ERROR, Head
from core.sampling.head_filters import KeptPrefix, kept_prefix
from core.sampling.settings import SamplerSettings

Badge = Literal["exact", "bounded", "unknown"]
Membership = Literal["kept", "cut", "unknown"]


@dataclass(frozen=True, eq=False)
class Intervals:
    """Between which values the probabilities of the draw lie. Arrays in the order of `Partial.logprobs`.

    `low`, `high`: of the shown tokens, float64 (n,). `membership`: whether the filters keep each of them.
    `tail`: low and high of the mass of all hidden tokens. `hidden`: whether the filters keep these; "unknown"
    stands for some or perhaps some.
    `badge`: "exact" if all this is known, "bounded" if the intervals are narrower than that, "unknown" if the
    tail may have nearly all the mass.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    membership: tuple[Membership, ...]
    tail: tuple[float, float]
    hidden: Membership
    badge: Badge

    def picked(self, u: float) -> int | None:
        """The index of the token that u certainly draws, as `core.sampling.draw` would; else `None`.

        u in [0, 1) draws the first token, by falling probability, at which the running sum exceeds u. That
        sum is known from two sides: by the tokens up to there, and by those after it and the tail.
        Errors: `InputError` if u is not in [0, 1).
        """
        u = uniform_value(u)
        order = np.argsort(-self.high, kind="stable")
        low, high = self.low[order], self.high[order]
        least = np.maximum(np.cumsum(low), 1 - (self.tail[1] + high.sum() - np.cumsum(high)))
        most = np.minimum(np.cumsum(high), 1 - (self.tail[0] + low.sum() - np.cumsum(low)))
        position = int(np.searchsorted(least, u, side="right"))
        if position == len(order) or (position and most[position - 1] > u):
            return None
        return int(order[position])


@dataclass(frozen=True, eq=False)
class Partial:
    """The n most probable tokens of a distribution, at T = 1, as a source reported them.

    `logprobs`: natural logarithms, float64 (n,), read-only. `vocab_size`: n and the hidden tokens together;
    `None` if the source does not tell.
    """

    logprobs: NDArray[np.float64]
    vocab_size: int | None

    def __post_init__(self) -> None:
        if len(self.logprobs):
            _ = self._head  # checks

    @property
    def badge(self) -> Badge:
        """What is known at every temperature, without filters.

        "exact": nothing is hidden. "bounded": an interval for each token. "unknown": no log-probabilities, or
        nobody knows how many tokens are hidden, and then there is no lower bound above T = 1.
        """
        if not len(self.logprobs) or self.vocab_size is None:
            return "unknown"
        return "bounded" if self.vocab_size > len(self.logprobs) else "exact"

    @property
    def hidden_mass(self) -> float:
        """The probability at T = 1 of all tokens that are not shown."""
        return self._head.tail_mass if len(self.logprobs) else 1.0

    def at(self, temperature: float) -> Intervals:
        """The distribution at a temperature, without filters.

        T = 1 is exact, and so is T = 0: the most probable token, the first reported if several tie.
        Errors: `InputError` for a temperature that is negative or not finite.
        """
        return self.after(SamplerSettings(temperature=temperature))

    def after(self, settings: SamplerSettings) -> Intervals:
        """What the temperature and the filters make of it, in the order of the settings' engine."""
        if not len(self.logprobs):
            return Intervals(np.empty(0), np.empty(0), (), (1.0, 1.0), "unknown", "unknown")
        return _intervals(kept_prefix(self._head, settings), self._order)

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """Indices by falling log-probability, ties as reported."""
        return np.argsort(-self.logprobs, kind="stable")

    @cached_property
    def _head(self) -> Head:
        hidden = math.inf if self.vocab_size is None else self.vocab_size - len(self.logprobs)
        return Head(self.logprobs[self._order], hidden)


def partial(logprobs: ArrayLike, vocab_size: int | None) -> Partial:
    """The n largest log-probabilities of a distribution as a source reported them at T = 1, in any order.

    Several may be equal; -inf is a token that the source forbids. None at all is allowed: nothing is known.
    Errors: `InputError` for numbers that are no log-probabilities of one distribution, are not its largest,
    or are more than the vocabulary has tokens.
    """
    values = np.array(logprobs, dtype=np.float64)
    if vocab_size is not None and whole_number("The vocabulary's size", vocab_size) < max(len(values), 1):
        raise InputError(
            f"There are {len(values):,} log-probabilities for a vocabulary of {vocab_size:,} tokens: "
            "one of the two numbers is wrong."
        )
    if np.isnan(values).any() or (values > SUM_ERROR).any():
        raise InputError("A log-probability is at most 0; among those reported is one that is not.")
    values.flags.writeable = False
    return Partial(values, vocab_size)


def _intervals(kept: KeptPrefix, order: NDArray[np.intp]) -> Intervals:
    shown, hidden = len(order), kept.head.hidden
    least, most = kept.totals
    rank = np.arange(shown)
    low, high = np.empty(shown), np.empty(shown)
    low[order] = np.where(rank < kept.low, kept.weights / most, 0.0)
    # Where a token is kept that need not be, all before it are too.
    divisor = np.where(rank < kept.low, least, np.maximum(least, kept.sums[1:]))
    high[order] = np.where(rank < kept.high, kept.weights / divisor, 0.0)
    membership = np.empty(shown, dtype=object)
    membership[order] = np.select([rank < kept.low, rank < kept.high], ["kept", "unknown"], "cut")

    badge: Badge = "exact" if kept.low == kept.high and least == most else "bounded"
    if math.isinf(most):
        badge = "unknown"
    if not hidden or kept.high <= shown:
        return Intervals(low, high, tuple(membership.tolist()), (0.0, 0.0), "cut", badge)
    all_shown = float(kept.sums[-1])
    tail = (_share(least - all_shown, least) if kept.low > shown else 0.0, _share(most - all_shown, most))
    whole = kept.low == shown + hidden
    return Intervals(low, high, tuple(membership.tolist()), tail, "kept" if whole else "unknown", badge)


def _share(part: float, whole: float) -> float:
    return 1.0 if math.isinf(whole) else max(0.0, part) / whole
