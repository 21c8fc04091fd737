"""What holds for every prompt, every setting and every engine."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sampling import ENGINES, SamplerSettings, distribution, draw, presort

pytestmark = pytest.mark.filterwarnings("error")

# Quarters make ties common; -inf is a forbidden token. The first stays finite so that one is allowed.
LOGIT = st.one_of(st.integers(-40, 40).map(lambda n: n / 4), st.floats(-1e4, 1e4, width=32))
LOGITS = st.builds(
    lambda first, rest: [first, *rest],
    LOGIT,
    st.lists(st.one_of(LOGIT, st.just(-math.inf)), max_size=40),
)
SETTINGS = st.builds(
    SamplerSettings,
    temperature=st.one_of(st.sampled_from([0, 5e-324, 1e-5, 1.0]), st.floats(0.01, 10)),
    top_k=st.integers(0, 45),
    top_p=st.floats(0, 1),
    min_p=st.one_of(st.just(0.0), st.floats(0, 1)),
    engine=st.sampled_from(list(ENGINES)),
)


@given(LOGITS, SETTINGS)
def test_probabilities_sum_to_one(logits, setting) -> None:
    assert distribution(logits, setting).probs.sum() == pytest.approx(1, abs=1e-12)


@given(LOGITS, SETTINGS)
def test_a_token_that_is_not_kept_has_probability_zero(logits, setting) -> None:
    result = distribution(logits, setting)
    assert not result.probs[~result.kept].any()


@given(LOGITS, SETTINGS)
def test_some_token_is_always_kept(logits, setting) -> None:
    assert distribution(logits, setting).kept.any()


@given(LOGITS, SETTINGS)
def test_the_most_probable_token_is_kept(logits, setting) -> None:
    assert distribution(logits, setting).kept[int(np.argmax(logits))]


@given(LOGITS, SETTINGS)
def test_probabilities_fall_along_the_order(logits, setting) -> None:
    result = distribution(logits, setting)
    assert (np.diff(result.probs[result.order]) <= 0).all()


@given(LOGITS, SETTINGS, st.floats(0, 1, exclude_max=True))
def test_a_drawn_token_is_kept_and_probable(logits, setting, u) -> None:
    result = distribution(logits, setting)
    token_id = draw(result, u)
    assert result.kept[token_id]
    assert result.probs[token_id] > 0


@given(LOGITS, SETTINGS)
def test_presorted_logits_give_the_same_as_unsorted(logits, setting) -> None:
    assert (distribution(presort(logits), setting).probs == distribution(logits, setting).probs).all()


@given(LOGITS, SETTINGS)
def test_every_stage_accounts_for_its_mass(logits, setting) -> None:
    stages = distribution(logits, setting).stages
    filters = [stage for stage in stages if stage.name not in ("softmax", "temperature")]
    assert [stage.normaliser + stage.mass_removed for stage in filters] == pytest.approx([1.0] * 3)


@given(LOGITS, SETTINGS)
def test_the_entropy_equals_its_definition(logits, setting) -> None:
    for stage in distribution(logits, setting).stages:
        present = stage.probs[stage.probs > 0]
        assert stage.entropy_bits == pytest.approx(-(present * np.log2(present)).sum(), abs=1e-9)


@given(LOGITS, SETTINGS, st.integers(0, 50))
def test_top_and_tail_together_are_everything(logits, setting, count) -> None:
    result = distribution(logits, setting)
    shown = sum(token.prob for token in result.top(count))
    assert shown + result.tail(count).mass == pytest.approx(1, abs=1e-12)


@given(LOGITS, SETTINGS)
def test_the_reason_for_a_cut_is_the_first_stage_without_the_token(logits, setting) -> None:
    result = distribution(logits, setting)
    for token in result.top(len(logits)):
        rank_cut = next((stage.name for stage in result.stages if token.rank >= stage.kept), None)
        assert (
            token.cut_by == result.cut_by(token.token_id) == ("mask" if rank_cut == "softmax" else rank_cut)
        )


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=40), SETTINGS, st.integers(-1000, 1000))
def test_a_shift_of_all_logits_changes_nothing(logits, setting, shift) -> None:
    shifted = distribution(np.array(logits) + shift, setting)
    assert shifted.probs == pytest.approx(distribution(logits, setting).probs, abs=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=50)
@given(LOGITS)
def test_a_larger_k_never_keeps_fewer(engine: str, logits) -> None:
    ranked = presort(logits)
    counts = [distribution(ranked, SamplerSettings(top_k=k, engine=engine)).kept_count for k in range(1, 45)]
    assert counts == sorted(counts)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=50)
@given(LOGITS, st.floats(0.1, 5))
def test_a_larger_p_never_keeps_fewer(engine: str, logits, temperature) -> None:
    ranked = presort(logits)
    counts = [
        distribution(ranked, SamplerSettings(temperature, top_p=p / 20, engine=engine)).kept_count
        for p in range(21)
    ]
    assert counts == sorted(counts)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=50)
@given(LOGITS, st.floats(0.1, 5))
def test_a_larger_min_p_never_keeps_more(engine: str, logits, temperature) -> None:
    ranked = presort(logits)
    counts = [
        distribution(ranked, SamplerSettings(temperature, min_p=p / 20, engine=engine)).kept_count
        for p in range(21)
    ]
    assert counts == sorted(counts, reverse=True)


@given(LOGITS)
def test_the_order_falls_with_ties_by_lowest_id(logits) -> None:
    assert presort(logits).order.tolist() == sorted(range(len(logits)), key=lambda id_: (-logits[id_], id_))
