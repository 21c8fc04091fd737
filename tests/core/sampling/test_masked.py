"""The mask: forbidden tokens get -inf, and an empty mask is a dead end."""

import math

import numpy as np
import pytest

from core.errors import InputError
from core.sampling import NoTokenAllowed, SamplerSettings, distribution, masked, softmax

pytestmark = pytest.mark.filterwarnings("error")

INF = math.inf


@pytest.mark.parametrize("allowed", [[0, 2], {2, 0}, np.array([2, 0]), np.array([True, False, True])])
def test_masked_keeps_the_allowed_logits_and_forbids_the_rest(allowed) -> None:
    assert masked([2.0, 5.0, 1.0], allowed).tolist() == [2.0, -INF, 1.0]


def test_allowed_tokens_share_the_mass_as_before() -> None:
    # The definition: P'(i) = P(i) / sum of P over the allowed ones
    model = softmax([2.0, 1.0, 0.0, -1.0])
    assert softmax(masked([2.0, 1.0, 0.0, -1.0], [1, 3]))[1] == pytest.approx(
        model[1] / (model[1] + model[3])
    )


@pytest.mark.parametrize("allowed", [[], set(), np.array([False, False, False])])
def test_an_empty_mask_is_a_dead_end(allowed) -> None:
    with pytest.raises(NoTokenAllowed, match="No token is allowed"):
        masked([2.0, 1.0, 0.0], allowed)


def test_allowing_only_forbidden_tokens_is_a_dead_end() -> None:
    with pytest.raises(NoTokenAllowed):
        masked([2.0, -INF, 0.0], [1])


@pytest.mark.parametrize("allowed", [[3], [-1], [0.5], ["a"], np.array([True])])
def test_a_mask_that_does_not_fit_the_vocabulary_is_refused(allowed) -> None:
    with pytest.raises(InputError):
        masked([2.0, 1.0, 0.0], allowed)


def test_masked_does_not_change_its_argument() -> None:
    logits = np.array([2.0, 1.0])
    masked(logits, [0])
    assert logits.tolist() == [2.0, 1.0]


def test_the_dead_end_is_a_value_error() -> None:
    assert issubclass(NoTokenAllowed, ValueError)


def test_a_forbidden_token_is_cut_by_the_mask() -> None:
    result = distribution([2.0, -INF, 1.0], SamplerSettings())
    assert [result.cut_by(token_id) for token_id in range(3)] == [None, "mask", None]


def test_a_forbidden_token_does_not_count_as_kept() -> None:
    assert distribution([2.0, -INF, 1.0], SamplerSettings()).kept.tolist() == [True, False, True]


def test_a_forbidden_token_adds_nothing_to_the_entropy() -> None:
    # 0.58220311 nats for (0.73105858, 0.26894142)
    result = distribution([2.0, -INF, 1.0], SamplerSettings())
    assert result.entropy_bits * math.log(2) == pytest.approx(0.58220311, abs=1e-8)


def test_the_surprisal_of_a_forbidden_token_is_infinite() -> None:
    assert distribution([2.0, -INF, 1.0], SamplerSettings()).token(1).surprisal_bits == INF
