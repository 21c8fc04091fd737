"""What is drawn for the exercises of part B, from lists and ranges."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    """One of them."""
    return items[int(rng.integers(len(items)))]


def some(rng: np.random.Generator, items: Sequence[T], count: int) -> list[T]:
    """Different ones, in an order of their own; `len(items)` of them are a shuffle."""
    return [items[place] for place in rng.permutation(len(items))[:count].tolist()]


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number, both ends included."""
    return int(rng.integers(low, high + 1))


def happens(rng: np.random.Generator, probability: float) -> bool:
    """Whether something of this probability happens."""
    return float(rng.random()) < probability
