"""Exercises by kind and seed, and the sheet of a class."""

import zlib
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from core.errors import InputError
from core.teaching.exercises.base import Exercise, Verdict
from core.teaching.exercises.catalogue import KINDS
from core.teaching.exercises.checking import Written, separated, verdicts

HIGHEST_SEED = 999_999
TRIES = 200  # of figures; of each kind at least two in five separate


@lru_cache(maxsize=256)
def make(kind: str, seed: int) -> Exercise:
    """The exercise of a kind, by its slug, with the figures of a seed: 0 to 999,999.

    Errors: `InputError` for a kind that is not here, and another seed.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"There is no exercise “{kind}” here; choose one of the list.")
    if not isinstance(seed, int) or not 0 <= seed <= HIGHEST_SEED:
        raise InputError(f"The number of an exercise is a whole one from 0 to {HIGHEST_SEED:,}.")
    # The kind goes into the seed, so that kinds with one number do not share their figures.
    rng = np.random.default_rng((seed, zlib.crc32(kind.encode())))
    made = KINDS[kind].make(rng)
    for _ in range(TRIES):
        if separated(made):
            break
        made = KINDS[kind].make(rng)
    return Exercise(KINDS[kind], seed, made)


def check(kind: str, seed: int, answers: Mapping[str, Written | None]) -> tuple[Verdict, ...]:
    """What is said about each field, in their order. Errors: as `make`; answers raise none."""
    return verdicts(make(kind, seed).made, answers)


def sheet(number: int) -> tuple[Exercise, ...]:
    """One exercise of every kind: the same for all who have the same number. Errors: as `make`."""
    return tuple(make(kind, number) for kind in KINDS)
