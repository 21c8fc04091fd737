"""From a distribution to a token: one number u picks it."""

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.sampling.checks import uniform_value, whole_number
from core.sampling.distributions import Distribution


def draw(distribution: Distribution, u: float) -> int:
    """The id of the first token, by falling probability, at which the running sum exceeds u.

    Always a token with a probability above 0, for every u in [0, 1). `InputError` for another u.
    """
    us = np.array([uniform_value(u)])
    return int(distribution.order[_ranks(distribution, us)[0]])


def tally(distribution: Distribution, seed: int, count: int) -> NDArray[np.intp]:
    """How often each rank is drawn in `count` draws, those of `uniform(seed, 0)` and on: int (kept,).

    Errors: as `uniform`.
    """
    us = np.random.Generator(_stream(seed, 0)).random(whole_number("The number of draws", count))
    counts = np.bincount(_ranks(distribution, us), minlength=distribution.kept_count)
    return np.asarray(counts, dtype=np.intp)


def _ranks(distribution: Distribution, us: NDArray[np.float64]) -> NDArray[np.intp]:
    cumulative = distribution.cumulative
    # The sum ends near 1, not at 1. u times the sum stays below it in float64 for every u < 1, and the first
    # running sum above that value is where a probability above 0 was added.
    return np.asarray(np.searchsorted(cumulative, us * cumulative[-1], side="right"), dtype=np.intp)


def uniform(seed: int, index: int) -> float:
    """The number u in [0, 1) for draw `index`, counted from 0, under `seed`.

    Equal to numpy.random.default_rng(seed).random(index + 1)[index], without making those before it: a seed
    fixes a stream, and no state is shared between runs. 0 is a seed like any other.
    Errors: `InputError` for a seed or index that is negative or not whole.
    """
    return float(np.random.Generator(_stream(seed, index)).random())


def _stream(seed: int, index: int) -> np.random.PCG64:
    seed, index = whole_number("The seed", seed), whole_number("The number of the draw", index)
    if seed < 0 or index < 0:
        raise InputError("The seed and the number of the draw must be 0 or more.")
    stream = np.random.PCG64(seed)
    stream.advance(index)
    return stream
