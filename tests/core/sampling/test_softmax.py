"""The softmax, the maximum and the way from given probabilities to logits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.sampling import NoTokenAllowed, greedy, logits_from_probs, softmax

pytestmark = pytest.mark.filterwarnings("error")

INF = math.inf
LOGITS = st.lists(st.floats(-50, 50), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("logits", "expected"),
    [
        ([1000, 1001, 1002], [0.09003057, 0.24472847, 0.66524096]),
        ([-249.87, -424.13, -460.29, 378.1, -292.61], [0, 0, 0, 1, 0]),
        ([-1000, -1001, -1002], [0.66524096, 0.24472847, 0.09003057]),
    ],
)
def test_softmax_of_large_logits_does_not_overflow(logits: list[float], expected: list[float]) -> None:
    assert softmax(logits) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("temperature", [1e-5, 1e-6, 1e-300, 1e-308, 5e-324])
def test_a_tiny_temperature_is_one_hot_and_not_nan(temperature: float) -> None:
    assert softmax([2.875, 2.955, 11.0625], temperature).tolist() == [0.0, 0.0, 1.0]


def test_temperature_divides_the_logits() -> None:
    # e^6, e^4, e^2 over their sum
    assert softmax([3, 2, 1], 0.5) == pytest.approx([0.86681333, 0.11731043, 0.01587624], abs=1e-8)


def test_a_huge_temperature_is_uniform() -> None:
    assert softmax([9.0, -3.0, 1e4, 0.0], 1e300) == pytest.approx([0.25] * 4)


def test_temperature_zero_is_one_hot_on_the_maximum() -> None:
    logits = [0.5, -1.2, 3.1, 0.8, -0.3, 2.7, -0.9, 1.4]
    assert softmax(logits, 0).tolist() == [0, 0, 1, 0, 0, 0, 0, 0]


def test_temperature_zero_gives_a_tie_to_the_lowest_id() -> None:
    assert softmax([21.375, 5.0, 21.375], 0).tolist() == [1, 0, 0]


def test_a_forbidden_token_has_probability_zero() -> None:
    # 1 / (1 + e^-1) and its complement
    assert softmax([2.0, -INF, 1.0]) == pytest.approx([0.73105858, 0, 0.26894142], abs=1e-8)


def test_float32_logits_are_computed_in_float64() -> None:
    probs = softmax(np.array([0.1, 0.2], dtype=np.float32))
    assert probs.dtype == np.float64
    assert probs.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("logits", [[0.0, INF], [1.0, math.nan, 0.0], [], [[1.0, 2.0]], ["a"], 3.0])
@pytest.mark.parametrize("function", [softmax, greedy])
def test_logits_without_a_softmax_are_refused(function, logits) -> None:
    with pytest.raises(InputError):
        function(logits)


@pytest.mark.parametrize("function", [softmax, greedy])
def test_all_tokens_forbidden_is_a_named_dead_end(function) -> None:
    with pytest.raises(NoTokenAllowed, match="No token is allowed"):
        function([-INF, -INF, -INF])


@pytest.mark.parametrize("temperature", [-1.0, math.nan, INF, "hot", None, True])
def test_a_temperature_that_is_no_number_from_zero_up_is_refused(temperature) -> None:
    with pytest.raises(InputError, match="Temperature"):
        softmax([1.0, 2.0], temperature)


def test_greedy_takes_the_lowest_id_of_a_tie() -> None:
    assert greedy([5.0, 21.375, 21.375]) == 1


@given(LOGITS)
def test_softmax_sums_to_one(logits: list[float]) -> None:
    assert softmax(logits).sum() == pytest.approx(1, abs=1e-12)


@given(LOGITS, st.floats(-1e4, 1e4))
def test_softmax_ignores_a_shift_of_all_logits(logits: list[float], shift: float) -> None:
    assert softmax(np.array(logits) + shift) == pytest.approx(softmax(logits), abs=1e-9)


@given(LOGITS, st.floats(0.05, 20))
def test_softmax_keeps_the_order(logits: list[float], temperature: float) -> None:
    probs = softmax(logits, temperature)[np.argsort(logits)]
    assert (np.diff(probs) >= 0).all()


def test_logits_from_probs_are_undone_by_the_softmax() -> None:
    assert softmax(logits_from_probs([0.4, 0.3, 0.25, 0.03, 0.02])) == pytest.approx(
        [0.4, 0.3, 0.25, 0.03, 0.02]
    )


def test_probability_zero_becomes_minus_infinity() -> None:
    assert logits_from_probs([0.0, 1.0]).tolist() == [-INF, 0.0]


def test_probabilities_that_do_not_sum_to_one_are_refused_with_their_sum() -> None:
    with pytest.raises(InputError, match=r"sum to 0\.9\."):
        logits_from_probs([0.5, 0.4])


@pytest.mark.parametrize("probs", [[1.5, -0.5], [math.nan, 1.0], [INF, 0.0], [], ["a"]])
def test_values_that_are_no_probabilities_are_refused(probs) -> None:
    with pytest.raises(InputError):
        logits_from_probs(probs)
