"""Which tokens each filter keeps, on the cases where samplers are known to go wrong."""

import numpy as np
import pytest

from core.sampling import ENGINES, Distribution, SamplerSettings, distribution, logits_from_probs

pytestmark = pytest.mark.filterwarnings("error")

LECTURE = [0.4, 0.3, 0.25, 0.03, 0.02]
LECTURE_PEAKED = [0.6, 0.3, 0.05, 0.03, 0.02]


def sampled(probs: list[float], **settings) -> Distribution:
    return distribution(logits_from_probs(probs), SamplerSettings(**settings))


def kept_ids(result: Distribution) -> list[int]:
    """The kept ids by falling probability."""
    return [int(token_id) for token_id in result.order if result.kept[token_id]]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("probs", "settings", "expected"),
    [
        (LECTURE, {"top_k": 2}, [0.571429, 0.428571, 0, 0, 0]),
        (LECTURE, {"top_p": 0.9}, [0.421053, 0.315789, 0.263158, 0, 0]),
        (LECTURE_PEAKED, {"top_k": 2}, [0.666667, 0.333333, 0, 0, 0]),
        (LECTURE_PEAKED, {"top_p": 0.9}, [0.666667, 0.333333, 0, 0, 0]),
    ],
)
def test_the_examples_of_the_lecture(engine: str, probs, settings, expected) -> None:
    assert sampled(probs, engine=engine, **settings).probs == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("probs", "top_p", "expected"),
    [
        ([0.3, 0.1, 0.1, 0.5], 0.8, [3, 0]),
        ([0.3, 0.25, 0.25, 0.2], 0.3, [0]),
        ([0.3, 0.25, 0.25, 0.2], 0.55, [0, 1]),
        ([0.3, 0.25, 0.25, 0.2], 0.8, [0, 1, 2]),
        ([0.5, 0.25, 0.15, 0.1], 0.9, [0, 1, 2]),
    ],
)
def test_top_p_stops_where_the_mass_lands_exactly_on_it(probs, top_p, expected) -> None:
    assert kept_ids(sampled(probs, top_p=top_p)) == expected


def test_top_p_renormalises_what_it_keeps() -> None:
    assert sampled([0.3, 0.1, 0.1, 0.5], top_p=0.8).probs == pytest.approx([0.375, 0, 0, 0.625])


def test_top_p_keeps_the_token_that_crosses_it() -> None:
    assert sampled([0.5, 0.41, 0.09], top_p=0.9).probs == pytest.approx([0.549451, 0.450549, 0], abs=1e-6)


def test_top_p_keeps_the_first_token_even_if_it_is_above() -> None:
    assert kept_ids(sampled([0.9, 0.06, 0.04], top_p=0.5)) == [0]


def test_top_p_zero_keeps_the_first_token() -> None:
    assert kept_ids(sampled([0.2, 0.5, 0.3], top_p=0.0)) == [1]


@pytest.mark.parametrize(("top_p", "count"), [(0.8, 8), (0.9, 9), (1.0, 10)])
def test_top_p_takes_equal_tokens_lowest_id_first(top_p: float, count: int) -> None:
    assert kept_ids(distribution([0] * 10, SamplerSettings(top_p=top_p))) == list(range(count))


def test_top_p_one_is_off_although_the_sum_stays_below_one() -> None:
    assert sampled([0.4, 0.3, 0.2, 0.1], top_p=1.0).kept_count == 4


@pytest.mark.parametrize(("top_k", "count"), [(0, 4), (-1, 4), (50, 4), (4, 4), (1, 1)])
def test_top_k_counts(top_k: int, count: int) -> None:
    assert distribution([1.0, 2.0, 3.0, 4.0], SamplerSettings(top_k=top_k)).kept_count == count


@pytest.mark.parametrize(
    ("engine", "count"), [("transformers", 4), ("vllm", 4), ("llama.cpp", 2), ("ollama", 2)]
)
def test_top_k_keeps_ties_where_the_engine_does(engine: str, count: int) -> None:
    logits = [3.0, 2.0, 1.0, 2.0, 2.0]
    assert distribution(logits, SamplerSettings(top_k=2, engine=engine)).kept_count == count


def test_top_k_without_ties_keeps_the_lowest_id() -> None:
    assert kept_ids(distribution([3.0, 2.0, 2.0], SamplerSettings(top_k=2, engine="llama.cpp"))) == [0, 1]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("settings", [{"temperature": 0}, {"top_k": 1}])
def test_both_forms_of_greedy_give_a_tie_to_the_lowest_id(engine: str, settings) -> None:
    result = distribution([21.375, 5.0, 21.375], SamplerSettings(engine=engine, **settings))
    assert result.probs.tolist() == [1, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_temperature_zero_is_greedy_whatever_the_filters(engine: str) -> None:
    settings = SamplerSettings(0, top_k=3, top_p=0.5, min_p=0.1, engine=engine)
    result = distribution([0.5, -1.2, 3.1, 0.8, -0.3, 2.7, -0.9, 1.4], settings)
    assert result.probs.tolist() == [0, 0, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(("min_p", "count"), [(0.5, 2), (0.3, 3), (0.2, 4), (1.0, 1), (0.0, 4)])
def test_min_p_keeps_a_token_exactly_on_the_threshold(min_p: float, count: int) -> None:
    # 0.25, 0.15 and 0.1 are 0.5, 0.3 and 0.2 of the largest
    assert sampled([0.5, 0.25, 0.15, 0.1], min_p=min_p).kept_count == count


@pytest.mark.parametrize("engine", ENGINES)
def test_top_p_after_top_k_sees_renormalised_probabilities(engine: str) -> None:
    # 0.4 / 0.7 = 0.571 >= 0.5 alone; of the original probabilities 0.4 < 0.5 would need a second token
    assert kept_ids(sampled([0.1, 0.2, 0.3, 0.4], top_k=2, top_p=0.5, engine=engine)) == [3]


def test_top_p_after_top_k_keeps_a_single_weak_token() -> None:
    probs = [0.15, 0.14, 0.13, 0.12, 0.12, 0.12, 0.11, 0.11]
    assert kept_ids(sampled(probs, top_k=1, top_p=0.8)) == [0]


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("transformers", [1, 0, 0]),
        ("vllm", [1, 0, 0]),
        ("llama.cpp", [0.880797, 0.119203, 0]),
        ("ollama", [0.880797, 0.119203, 0]),
    ],
)
def test_temperature_first_or_last_decides_what_top_p_keeps(engine: str, expected: list[float]) -> None:
    result = distribution([3, 2, 1], SamplerSettings(temperature=0.5, top_p=0.8, engine=engine))
    assert result.probs == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("engine", "expected"), [("vllm", [0]), ("transformers", [0, 1])])
def test_min_p_before_or_after_top_p_decides_what_is_kept(engine: str, expected: list[int]) -> None:
    # min-p 0.7 keeps 0.4 and 0.3; renormalised, 0.571 reaches 0.55 alone. Top-p first needs 0.4 + 0.3.
    assert kept_ids(sampled(LECTURE, min_p=0.7, top_p=0.55, engine=engine)) == expected


@pytest.mark.parametrize("temperature", [0.1, 0.5, 2.0, 10.0])
def test_temperature_commutes_with_top_k(temperature: float) -> None:
    logits = [1.3, -0.2, 4.0, 2.2, 0.1]
    first, last = (
        distribution(logits, SamplerSettings(temperature, top_k=3, engine=engine)).probs
        for engine in ("transformers", "llama.cpp")
    )
    assert np.allclose(first, last, rtol=1e-12, atol=0)


def test_top_p_before_top_k_keeps_more_than_after_it() -> None:
    logits = logits_from_probs([0.1, 0.2, 0.3, 0.4])
    first = SamplerSettings(top_k=2, top_p=0.5, order=("top-p", "top-k", "min-p", "temperature"))
    assert kept_ids(distribution(logits, first)) == [3, 2]
    assert kept_ids(distribution(logits, SamplerSettings(top_k=2, top_p=0.5))) == [3]
