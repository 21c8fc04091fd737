"""What a count of outcomes tells: the interval of a share, and whether a law explains the counts."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError

Z95 = 1.959963984540054  # the standard normal's 97.5 % quantile
FEWEST_EXPECTED = 5.0
"""Below this many expected, a cell is joined with others: chi-square is a limit law (Cochran 1954)."""


@dataclass(frozen=True)
class Share:
    """`count` of `total`, and the 95 % interval of the probability behind it."""

    count: int
    total: int
    low: float
    high: float


def wilson(count: int, total: int) -> Share:
    """The score interval of a share: right also for 0 of n and n of n, where the textbook's has no width.

    Wilson 1927; Brown, Cai & DasGupta 2001, "Interval Estimation for a Binomial Proportion", section 3.1.1.
    With nothing counted it is 0 to 1. Errors: `InputError` unless 0 <= count <= total.
    """
    if not 0 <= count <= total:
        raise InputError(f"{count} of {total} is no share.")
    if total == 0:
        return Share(0, 0, 0.0, 1.0)
    share, spread = count / total, Z95**2 / total
    centre = (share + spread / 2) / (1 + spread)
    half = Z95 * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    # Both ends are exact there, and rounding would miss them.
    low = 0.0 if count == 0 else max(0.0, centre - half)
    high = 1.0 if count == total else min(1.0, centre + half)
    return Share(count, total, low, high)


@dataclass(frozen=True)
class ChiSquare:
    """Pearson's statistic over `cells` cells.

    `p_value`: how probable a statistic at least as large is if the law holds; `None` with one cell, where
    there is nothing to test.
    """

    statistic: float
    cells: int
    p_value: float | None


def chi_square(observed: ArrayLike, probs: ArrayLike) -> ChiSquare:
    """Whether counts (V,) come from the law `probs` (V,).

    Cells are single outcomes by falling probability, as long as 5 are expected of each; the rest is one cell.
    Something observed that cannot be gives p = 0.
    """
    counts, law = np.asarray(observed, dtype=np.float64), np.asarray(probs, dtype=np.float64)
    if (counts[law == 0] > 0).any():
        return ChiSquare(math.inf, int(np.count_nonzero(counts)), 0.0)
    order = np.argsort(-law, kind="stable")
    expected, seen = law[order] * counts.sum(), counts[order]
    single = int(np.count_nonzero(expected >= FEWEST_EXPECTED))
    rest = expected[single:].sum()
    if rest < FEWEST_EXPECTED and single:  # too few for a cell of their own: they join the smallest
        single -= 1
    expected = np.append(expected[:single], expected[single:].sum())
    seen = np.append(seen[:single], seen[single:].sum())
    if len(expected) < 2:
        return ChiSquare(0.0, 1, None)
    statistic = float(((seen - expected) ** 2 / expected).sum())
    return ChiSquare(statistic, len(expected), chi_square_tail(statistic, len(expected) - 1))


def chi_square_tail(statistic: float, degrees: int) -> float:
    """P(X >= statistic) for the chi-square law with k `degrees` of freedom: Q(k / 2, statistic / 2).

    By Q(a + 1, x) = Q(a, x) + x^a e^-x / Γ(a + 1) from Q(1 / 2, x) = erfc(√x) or Q(1, x) = e^-x on.
    Abramowitz & Stegun, 26.4.4 and 26.4.5.
    """
    x = statistic / 2
    if x <= 0:
        return 1.0
    a = 0.5 if degrees % 2 else 1.0
    tail = math.erfc(math.sqrt(x)) if degrees % 2 else math.exp(-x)
    while a < degrees / 2:
        tail += math.exp(a * math.log(x) - x - math.lgamma(a + 1))
        a += 1
    return min(tail, 1.0)
