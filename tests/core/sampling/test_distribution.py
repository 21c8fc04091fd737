"""What a distribution tells a screen: the stages, what cut each token, the top, the tail."""

import math

import numpy as np
import pytest

from core.errors import InputError
from core.sampling import (
    NoTokenAllowed,
    SamplerSettings,
    distribution,
    logits_from_probs,
    presort,
    softmax,
)

pytestmark = pytest.mark.filterwarnings("error")

LECTURE = logits_from_probs([0.4, 0.3, 0.25, 0.03, 0.02])
CHAIN = SamplerSettings(top_k=3, top_p=0.7, engine="llama.cpp")


@pytest.mark.parametrize(
    ("engine", "names"),
    [
        ("transformers", ["softmax", "temperature", "top-k", "top-p", "min-p"]),
        ("llama.cpp", ["softmax", "top-k", "top-p", "min-p", "temperature"]),
        ("ollama", ["softmax", "top-k", "top-p", "min-p", "temperature"]),
        ("vllm", ["softmax", "temperature", "min-p", "top-k", "top-p"]),
    ],
)
def test_the_stages_come_in_the_order_of_the_engine(engine: str, names: list[str]) -> None:
    assert [stage.name for stage in distribution(LECTURE, SamplerSettings(engine=engine)).stages] == names


def test_a_stage_that_is_off_says_so() -> None:
    result = distribution(LECTURE, SamplerSettings(top_p=0.9))
    assert [stage.name for stage in result.stages if stage.active] == ["softmax", "top-p"]


def test_each_stage_counts_what_it_kept() -> None:
    # Top-k 3 leaves 0.421, 0.316, 0.263; the first two reach 0.7
    assert [stage.kept for stage in distribution(LECTURE, CHAIN).stages] == [5, 3, 2, 2, 2]


def test_each_stage_tells_the_mass_it_removed() -> None:
    # 0.03 + 0.02, then 0.25 / 0.95
    removed = [stage.mass_removed for stage in distribution(LECTURE, CHAIN).stages]
    assert removed == pytest.approx([0, 0.05, 0.263158, 0, 0], abs=1e-6)


def test_the_normaliser_of_a_filter_is_the_mass_it_kept() -> None:
    assert [stage.normaliser for stage in distribution(LECTURE, CHAIN).stages][1:4] == pytest.approx(
        [0.95, 0.736842, 1], abs=1e-6
    )


def test_the_normaliser_of_the_temperature_is_its_sum_of_exponentials() -> None:
    # 1 + e^-2 + e^-4
    result = distribution([3, 2, 1], SamplerSettings(temperature=0.5))
    assert result.stages[1].normaliser == pytest.approx(1.15365092)


def test_each_stage_has_its_renormalised_probabilities() -> None:
    probs = distribution(LECTURE, CHAIN).stages[1].probs
    assert probs == pytest.approx([0.421053, 0.315789, 0.263158, 0, 0], abs=1e-6)


def test_the_first_stage_is_the_models_own_distribution() -> None:
    stage = distribution([3, 2, 1], SamplerSettings(temperature=0.1, top_k=1)).stages[0]
    assert stage.probs == pytest.approx([0.66524096, 0.24472847, 0.09003057], abs=1e-8)


def test_each_stage_has_its_entropy() -> None:
    # log2 4, then log2 2
    result = distribution([1, 1, 1, 1], SamplerSettings(top_k=2, engine="llama.cpp"))
    assert [stage.entropy_bits for stage in result.stages] == pytest.approx([2, 1, 1, 1, 1])


def test_effective_choices_of_equal_tokens_is_their_number() -> None:
    assert distribution([7] * 10, SamplerSettings()).effective_choices == pytest.approx(10)


@pytest.mark.parametrize("temperature", [0, 1e-5, 1e-308, 5e-324])
def test_the_entropy_of_a_certain_token_is_exactly_zero(temperature: float) -> None:
    assert distribution([2.875, 2.955, 11.0625], SamplerSettings(temperature)).entropy_bits == 0.0


@pytest.mark.parametrize("temperature", [1e-5, 1e-6, 1e-308, 5e-324])
def test_a_tiny_temperature_is_one_hot(temperature: float) -> None:
    assert distribution([2.875, 2.955, 11.0625], SamplerSettings(temperature)).probs.tolist() == [0, 0, 1]


@pytest.mark.parametrize("temperature", [1e-300, 1.0, 1e300, 1.7e308])
def test_logits_far_apart_give_no_warning_and_no_nan(temperature: float) -> None:
    result = distribution([1.7e308, -1.7e308, -math.inf, 1e4], SamplerSettings(temperature))
    assert np.isfinite([stage.entropy_bits for stage in result.stages]).all()


def test_temperature_zero_removes_all_but_the_maximum() -> None:
    stage = distribution(LECTURE, SamplerSettings(temperature=0)).stages[1]
    assert (stage.kept, stage.mass_removed) == (1, pytest.approx(0.6))


def test_the_order_is_by_falling_logit_and_then_by_id() -> None:
    assert distribution([1.0, 3.0, 1.0, 3.0, 2.0], SamplerSettings()).order.tolist() == [1, 3, 4, 0, 2]


def test_without_filters_all_probabilities_equal_the_softmax() -> None:
    logits = np.random.default_rng(1).normal(0, 3, 500).astype(np.float32)
    assert distribution(logits, SamplerSettings(0.7)).probs == pytest.approx(softmax(logits, 0.7), rel=1e-12)


def test_cut_by_names_the_filter_that_removed_each_token() -> None:
    result = distribution(LECTURE, CHAIN)
    assert [result.cut_by(token_id) for token_id in range(5)] == [None, None, "top-p", "top-k", "top-k"]


def test_cut_stage_is_the_index_of_that_stage() -> None:
    assert distribution(LECTURE, CHAIN).cut_stage.tolist() == [-1, -1, 2, 1, 1]


def test_at_temperature_zero_the_temperature_cuts() -> None:
    assert distribution(LECTURE, SamplerSettings(temperature=0)).cut_by(1) == "temperature"


@pytest.mark.parametrize("token_id", [-1, 5])
def test_an_id_outside_the_vocabulary_is_refused(token_id: int) -> None:
    with pytest.raises(InputError, match="ids run from 0 to 4"):
        distribution(LECTURE, CHAIN).cut_by(token_id)


def test_kept_mass_is_what_the_filters_left_of_the_model() -> None:
    assert distribution(LECTURE, CHAIN).kept_mass == pytest.approx(0.7)


def test_renormalised_by_is_the_factor_on_the_kept_probabilities() -> None:
    assert distribution(LECTURE, CHAIN).renormalised_by == pytest.approx(1 / 0.7)


def test_a_token_shows_its_probability_after_each_stage() -> None:
    token = distribution(LECTURE, CHAIN).token(2)
    assert token.stage_probs == pytest.approx((0.25, 0.263158, 0, 0, 0), abs=1e-6)


def test_the_top_lists_cut_tokens_too() -> None:
    assert [token.token_id for token in distribution(LECTURE, CHAIN).top(4)] == [0, 1, 2, 3]


def test_the_top_ends_with_the_vocabulary() -> None:
    assert len(distribution(LECTURE, CHAIN).top(30)) == 5


def test_the_top_tells_where_u_draws_each_token() -> None:
    starts = [token.start for token in distribution(LECTURE, SamplerSettings()).top(4)]
    assert starts == pytest.approx([0, 0.4, 0.7, 0.95])


def test_the_tail_is_counted() -> None:
    tail = distribution(LECTURE, SamplerSettings(top_k=4)).tail(3)
    assert (tail.tokens, tail.kept) == (2, 1)


def test_the_tail_has_its_mass_before_and_after() -> None:
    tail = distribution(LECTURE, SamplerSettings(top_k=4)).tail(3)
    assert (tail.model_mass, tail.mass) == pytest.approx((0.05, 0.03 / 0.98))


def test_the_tail_names_what_cut_in_it() -> None:
    assert distribution(LECTURE, CHAIN).tail(2).cut_by == ("top-k", "top-p")


def test_the_tail_beyond_the_vocabulary_is_empty() -> None:
    tail = distribution(LECTURE, CHAIN).tail(30)
    assert (tail.tokens, tail.kept, tail.mass, tail.cut_by) == (0, 0, 0.0, ())


@pytest.mark.parametrize("logits", [[math.nan, 1.0], [math.inf, 1.0], []])
def test_bad_logits_are_refused(logits: list[float]) -> None:
    with pytest.raises(InputError):
        distribution(logits, SamplerSettings())


def test_no_token_allowed_is_a_named_dead_end() -> None:
    with pytest.raises(NoTokenAllowed):
        presort([-math.inf, -math.inf])


def test_the_arrays_of_a_shared_value_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        distribution(LECTURE, CHAIN).probs[0] = 1


def test_the_callers_logits_stay_as_they_are() -> None:
    logits = np.array([1.0, 2.0])
    distribution(logits, SamplerSettings())
    logits[0] = 5.0
    assert logits.tolist() == [5.0, 2.0]
