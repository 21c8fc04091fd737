"""Against exact arithmetic: the samplers of all engines written with fractions, where 0.5 + 0.3 is 0.8.

T = 1/2 is exact too: it squares the probabilities.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sampling import SamplerSettings, distribution, logits_from_probs

pytestmark = pytest.mark.filterwarnings("error")

ORDERS = {
    "transformers": ("temperature", "top-k", "top-p", "min-p"),
    "llama.cpp": ("top-k", "top-p", "min-p", "temperature"),
    "ollama": ("top-k", "top-p", "min-p", "temperature"),
    "vllm": ("temperature", "min-p", "top-k", "top-p"),
}
TIES_KEPT = {"transformers", "vllm"}
STEP = Fraction(1, 20)


def exact(twentieths, engine: str, power: int, top_k: int, top_p: Fraction, min_p: Fraction):
    """{id: probability} of the kept tokens, by the definitions of the filters."""
    left = {i: part * STEP for i, part in enumerate(twentieths) if part}
    for stage in ORDERS[engine]:
        ids = sorted(left, key=lambda i: (-left[i], i))
        total = sum(left.values())
        if stage == "temperature":
            left = {i: left[i] ** power for i in ids}
        elif stage == "top-k" and 0 < top_k < len(ids):
            kth = left[ids[top_k - 1]]
            ties = engine in TIES_KEPT and top_k > 1
            left = {i: left[i] for rank, i in enumerate(ids) if rank < top_k or (ties and left[i] == kth)}
        elif stage == "top-p" and top_p < 1:
            before = [sum(left[j] for j in ids[:rank]) / total for rank in range(len(ids))]
            left = {i: left[i] for rank, i in enumerate(ids) if rank == 0 or before[rank] < top_p}
        elif stage == "min-p":
            left = {i: left[i] for i in ids if left[i] >= min_p * left[ids[0]]}
    total = sum(left.values())
    return {i: left[i] / total for i in left}


def partitions(total: int, parts: int, largest: int):
    """All falling tuples of positive whole numbers with this sum."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, parts - 1, first):
            yield (first, *rest)


FOUR_TOKENS = list(partitions(20, 4, 20))


def test_there_are_1280_cases_of_top_p_on_the_grid() -> None:
    assert len(FOUR_TOKENS) * 20 == 1280


@pytest.mark.parametrize("twentieths", FOUR_TOKENS)
def test_top_p_keeps_the_exact_number_of_four_tokens_on_the_grid(twentieths: tuple[int, ...]) -> None:
    logits = logits_from_probs(np.array(twentieths) / 20)
    counts = [distribution(logits, SamplerSettings(top_p=p / 20)).kept_count for p in range(1, 21)]
    assert counts == [
        len(exact(twentieths, "transformers", 1, 0, p * STEP, Fraction(0))) for p in range(1, 21)
    ]


@pytest.mark.parametrize("twentieths", FOUR_TOKENS)
def test_min_p_keeps_the_exact_number_of_four_tokens_on_the_grid(twentieths: tuple[int, ...]) -> None:
    logits = logits_from_probs(np.array(twentieths) / 20)
    counts = [distribution(logits, SamplerSettings(min_p=p / 20)).kept_count for p in range(1, 21)]
    assert counts == [
        len(exact(twentieths, "transformers", 1, 0, Fraction(1), p * STEP)) for p in range(1, 21)
    ]


GRID = {
    "twentieths": st.lists(st.integers(1, 6), min_size=2, max_size=8).map(
        lambda parts: [*parts, *[1] * (20 - sum(parts))] if sum(parts) <= 20 else [4, 4, 4, 4, 4]
    ),
    "power": st.sampled_from([1, 2]),
    "top_k": st.integers(0, 9),
    "top_p": st.integers(0, 20),
    "min_p": st.integers(0, 20),
}


@pytest.mark.parametrize("engine", ORDERS)
@settings(max_examples=150, deadline=None)
@given(**GRID)
def test_all_stages_together_are_exact(engine: str, twentieths, power, top_k, top_p, min_p) -> None:
    expected = exact(twentieths, engine, power, top_k, top_p * STEP, min_p * STEP)
    result = distribution(
        logits_from_probs(np.array(twentieths) / 20),
        SamplerSettings(1 / power, top_k, top_p / 20, min_p / 20, engine),
    )
    assert {int(i): result.probs[i] for i in np.flatnonzero(result.kept)} == pytest.approx(
        {i: float(p) for i, p in expected.items()}
    )
