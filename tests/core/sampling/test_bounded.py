"""A distribution of which the head alone is known: what the true one may be, and how narrow that is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.sampling import ENGINES, SamplerSettings, distribution, draw
from core.sampling.bounded import Partial, partial

pytestmark = pytest.mark.filterwarnings("error")

SLACK = 1e-9  # relative; float64 in another order

# Quarters make ties common; -inf is a forbidden token, and the first stays finite so that one is allowed.
LOGIT = st.one_of(st.integers(-80, 80).map(lambda n: n / 4), st.floats(-30, 30, width=32))
LOGITS = st.builds(
    lambda first, rest: np.array([first, *rest]),
    LOGIT,
    st.lists(st.one_of(LOGIT, st.just(-math.inf)), max_size=40),
)
TEMPERATURE = st.one_of(st.sampled_from([0.0, 1.0, 1e4]), st.floats(0.02, 10))
SETTINGS = st.builds(
    SamplerSettings,
    temperature=TEMPERATURE,
    top_k=st.integers(0, 45),
    top_p=st.floats(0, 1),
    min_p=st.one_of(st.just(0.0), st.floats(0, 1)),
    engine=st.sampled_from(list(ENGINES)),
)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max()
    return shifted - math.log(np.exp(shifted).sum())


def largest(logits: np.ndarray, count: int) -> np.ndarray:
    """Ids of the largest logits, ties by lowest id."""
    return np.argsort(-logits, kind="stable")[:count]


def report(logits: np.ndarray, count: int, vocabulary: bool = True) -> Partial:
    """What a server reports of the distribution that these logits have at T = 1."""
    return partial(log_softmax(logits)[largest(logits, count)], len(logits) if vocabulary else None)


def contains(low: float, high: float, true: float, slack: float = SLACK) -> bool:
    return low * (1 - slack) - 1e-12 <= true <= high * (1 + slack) + 1e-12


# The true value lies in the interval, whatever is hidden


@settings(deadline=None)
@given(LOGITS, st.integers(1, 25), SETTINGS, st.booleans())
def test_the_true_probability_lies_in_the_interval(logits, count, setting, vocabulary) -> None:
    known, true = report(logits, count, vocabulary).after(setting), distribution(logits, setting)
    shown = true.probs[largest(logits, count)]
    assert all(map(contains, known.low, known.high, shown))


@settings(deadline=None)
@given(LOGITS, st.integers(1, 25), SETTINGS, st.booleans())
def test_the_true_mass_of_the_hidden_tokens_lies_in_the_interval(logits, count, setting, vocabulary) -> None:
    known, true = report(logits, count, vocabulary).after(setting), distribution(logits, setting)
    assert contains(*known.tail, true.tail(count).mass)


@settings(deadline=None)
@given(LOGITS, st.integers(1, 25), SETTINGS, st.booleans())
def test_a_membership_that_is_told_is_the_true_one(logits, count, setting, vocabulary) -> None:
    known, true = report(logits, count, vocabulary).after(setting), distribution(logits, setting)
    kept = true.kept[largest(logits, count)]
    for told, is_kept in zip(known.membership, kept, strict=True):
        assert told == "unknown" or (told == "kept") == is_kept


@settings(deadline=None)
@given(LOGITS, st.integers(1, 25), SETTINGS, st.booleans())
def test_hidden_tokens_are_called_cut_only_if_all_are(logits, count, setting, vocabulary) -> None:
    known, true = report(logits, count, vocabulary).after(setting), distribution(logits, setting)
    assert known.hidden != "cut" or true.tail(count).kept == 0


@settings(deadline=None)
@given(LOGITS, st.integers(1, 25), TEMPERATURE)
def test_float32_of_a_server_costs_no_more_than_its_rounding(logits, count, temperature) -> None:
    ids = largest(logits, count)
    rounded = log_softmax(logits)[ids].astype(np.float32)
    known = partial(rounded, len(logits)).at(temperature)
    true = distribution(logits, SamplerSettings(temperature)).probs[ids]
    slack = 1e-5 / max(temperature, 0.02)  # log-probabilities down to -64 are rounded by 4e-6
    assert all(
        contains(low, high, p, slack) for low, high, p in zip(known.low, known.high, true, strict=True)
    )


# How narrow it is: both ends are distributions that fit what is shown


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_a_tail_as_probable_as_the_last_shown_token_is_one_end(temperature) -> None:
    # 0.5, 0.1 and, hidden, four times 0.1: m / q is a whole number, and V leaves room for far more tokens.
    probs = np.array([0.5, 0.1, 0.1, 0.1, 0.1, 0.1] + [0.0] * 94)
    known = partial(np.log(probs[:2]), 100).at(temperature)
    true = probs ** (1 / temperature) / (probs ** (1 / temperature)).sum()
    end = known.low if temperature < 1 else known.high
    assert end == pytest.approx(true[:2], rel=1e-4)


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_a_tail_spread_evenly_is_the_other_end(temperature) -> None:
    probs = np.array([0.5, 0.1] + [0.4 / 98] * 98)
    known = partial(np.log(probs[:2]), 100).at(temperature)
    true = probs ** (1 / temperature) / (probs ** (1 / temperature)).sum()
    end = known.high if temperature < 1 else known.low
    assert end == pytest.approx(true[:2], rel=1e-4)


def test_the_interval_by_hand() -> None:
    # T = 0.5, a = 2: head 0.36 + 0.04; m = 0.2, N = 4, q = 0.2: R from 0.04 / 4 = 0.01 to 0.2 * 0.2 = 0.04.
    known = partial(np.log([0.6, 0.2]), 6).at(0.5)
    assert known.low == pytest.approx([0.36 / 0.44, 0.04 / 0.44], rel=1e-4)
    assert known.high == pytest.approx([0.36 / 0.41, 0.04 / 0.41], rel=1e-4)
    assert known.tail == pytest.approx((0.01 / 0.41, 0.04 / 0.44), rel=1e-4)


def test_the_ends_swap_above_one() -> None:
    # T = 2, a = 1/2: head sqrt(0.64) + sqrt(0.16) = 1.2; m = 0.2, N = 5: R from 0.2 / 0.4 to sqrt(5 * 0.2).
    known = partial(np.log([0.64, 0.16]), 7).at(2)
    assert known.low == pytest.approx([0.8 / 2.2, 0.4 / 2.2], rel=1e-4)
    assert known.high == pytest.approx([0.8 / 1.7, 0.4 / 1.7], rel=1e-4)


# Exact, bounded, unknown


@pytest.mark.parametrize("vocabulary", [None, 3, 152_000])
def test_at_temperature_one_the_reported_probabilities_are_exact(vocabulary) -> None:
    known = partial(np.log([0.5, 0.2, 0.3 if vocabulary == 3 else 0.1]), vocabulary).at(1)
    assert known.badge == "exact"
    assert known.low == pytest.approx([0.5, 0.2, 0.3 if vocabulary == 3 else 0.1], abs=1e-12)
    assert (known.low == known.high).all()


def test_at_temperature_one_the_tail_has_what_is_left() -> None:
    assert partial(np.log([0.5, 0.2]), None).at(1).tail == pytest.approx((0.3, 0.3))


def test_at_temperature_zero_the_most_probable_token_is_exact() -> None:
    known = partial(np.log([0.2, 0.5]), None).at(0)
    assert (known.badge, known.low.tolist(), known.high.tolist()) == ("exact", [0, 1], [0, 1])


def test_at_temperature_zero_the_first_reported_wins_a_tie() -> None:
    assert partial(np.log([0.3, 0.3]), 100).at(0).low.tolist() == [1, 0]


@pytest.mark.parametrize("temperature", [0.3, 1, 3])
def test_with_the_whole_vocabulary_every_temperature_is_exact(temperature) -> None:
    logits = np.array([2.0, -1.0, 0.5, -math.inf])
    known = partial(log_softmax(logits), 4).at(temperature)
    weights = np.exp(logits / temperature)
    assert known.badge == "exact"
    assert known.low == pytest.approx(weights / weights.sum(), abs=1e-12)
    assert known.high == pytest.approx(weights / weights.sum(), abs=1e-12)


@pytest.mark.parametrize("temperature", [0.3, 3])
def test_with_a_hidden_tail_other_temperatures_are_bounded(temperature) -> None:
    assert partial(np.log([0.5, 0.2]), 100).at(temperature).badge == "bounded"


def test_without_the_size_of_the_vocabulary_there_is_no_lower_bound_above_one() -> None:
    known = partial(np.log([0.5, 0.2]), None).at(1.5)
    assert (known.badge, known.low.tolist(), known.tail[1]) == ("unknown", [0, 0], 1)


def test_without_the_size_of_the_vocabulary_the_tail_is_bounded_below_one() -> None:
    # T = 0.5: R is at most m q = 0.3 * 0.2, however many tokens are hidden.
    known = partial(np.log([0.5, 0.2]), None).at(0.5)
    assert known.badge == "bounded"
    assert known.low[0] == pytest.approx(0.25 / (0.29 + 0.06), rel=0.01)


def test_without_log_probabilities_nothing_is_known() -> None:
    known = partial([], 100).at(1)
    assert (known.badge, len(known.low), known.tail, known.hidden) == ("unknown", 0, (1, 1), "unknown")


@pytest.mark.parametrize(
    ("logprobs", "vocabulary", "badge"),
    [([0.5, 0.5], 2, "exact"), ([0.5, 0.2], 9, "bounded"), ([0.5, 0.2], None, "unknown")],
)
def test_the_badge_of_the_report_is_that_of_every_temperature(logprobs, vocabulary, badge) -> None:
    assert partial(np.log(logprobs), vocabulary).badge == badge


# Filters


@pytest.mark.parametrize("temperature", [0.5, 1, 2])
def test_top_k_within_the_shown_tokens_is_exact_at_every_temperature(temperature) -> None:
    setting = SamplerSettings(temperature, top_k=2, engine="ollama")
    known = partial(np.log([0.4, 0.2, 0.1]), None).after(setting)
    first = 2 ** (1 / temperature)
    assert known.badge == "exact"
    assert known.membership == ("kept", "kept", "cut")
    assert known.low == pytest.approx([first / (first + 1), 1 / (first + 1), 0])
    assert (known.tail, known.hidden) == ((0, 0), "cut")


def test_top_k_beyond_the_shown_tokens_keeps_some_hidden_ones() -> None:
    # Five tokens, two of three hidden kept: the mass of these is from 2/3 of 0.3 to 0.2, so the sum from 0.9.
    known = partial(np.log([0.5, 0.2]), 5).after(SamplerSettings(1, top_k=4, engine="ollama"))
    assert (known.badge, known.membership, known.hidden) == ("bounded", ("kept", "kept"), "unknown")
    assert known.low[0] == pytest.approx(0.5 / 1.0)
    assert known.high[0] == pytest.approx(0.5 / 0.9)


def test_a_hidden_token_can_tie_with_the_last_shown_where_the_engine_keeps_ties() -> None:
    tied = partial(np.log([0.5, 0.2]), 5).after(SamplerSettings(1, top_k=2, engine="transformers"))
    assert (tied.membership, tied.hidden) == (("kept", "kept"), "unknown")


def test_top_p_that_ends_within_the_shown_tokens_is_exact_at_temperature_one() -> None:
    known = partial(np.log([0.5, 0.3, 0.1]), None).after(SamplerSettings(1, top_p=0.8))
    assert (known.badge, known.membership) == ("exact", ("kept", "kept", "cut"))
    assert known.low == pytest.approx([0.625, 0.375, 0])


def test_top_p_that_ends_in_the_tail_leaves_hidden_tokens_unknown() -> None:
    known = partial(np.log([0.5, 0.3]), 100).after(SamplerSettings(1, top_p=0.9))
    assert (known.membership, known.hidden, known.badge) == (("kept", "kept"), "unknown", "bounded")


def test_top_p_is_unknown_for_a_token_whose_place_depends_on_the_tail() -> None:
    # T = 2: the weights are 0.8, 0.4 and a tail from 0.5 to 1. The mass before the second is from 0.8 / 2.2
    # = 0.36 to 0.8 / 1.7 = 0.47: below 0.5 surely, but for top_p = 0.4 nobody knows.
    reported = partial(np.log([0.64, 0.16]), 7)
    assert reported.after(SamplerSettings(2, top_p=0.5)).membership == ("kept", "kept")
    assert reported.after(SamplerSettings(2, top_p=0.4)).membership == ("kept", "unknown")
    assert reported.after(SamplerSettings(2, top_p=0.3)).membership == ("kept", "cut")


def test_min_p_knows_every_shown_token_since_the_tail_cancels() -> None:
    known = partial(np.log([0.4, 0.1, 0.02]), None).after(SamplerSettings(1.5, min_p=0.3))
    # (0.1 / 0.4)^(2/3) = 0.397 and (0.02 / 0.4)^(2/3) = 0.136.
    assert (known.membership, known.hidden, known.badge) == (("kept", "kept", "cut"), "cut", "exact")


# What a server may report


def test_probabilities_that_rounding_lifts_above_one_are_taken_as_they_are() -> None:
    known = partial(np.log([0.7, 0.3000002]), 50_000).at(1)
    assert known.low == pytest.approx([0.7, 0.3000002], abs=1e-12)
    assert known.tail == (0, 0)


def test_rounding_is_not_taken_for_an_empty_tail_at_a_high_temperature() -> None:
    # 49,998 hidden tokens of 1e-12 each: nothing at T = 1 in float32, a third of the mass at T = 4.
    logits = np.log([0.7, 0.3] + [1e-12] * 49_998)
    known = report(logits, 2).at(4)
    assert contains(*known.tail, distribution(logits, SamplerSettings(4)).tail(2).mass)


@pytest.mark.parametrize("temperature", [0.5, 2])
def test_a_server_that_adds_up_in_float32_is_off_by_no_more_than_the_interval(temperature) -> None:
    logits = np.random.default_rng(0).normal(scale=3, size=150_000).astype(np.float32)
    weights = np.exp(logits - logits.max())
    # np.cumsum adds one by one, as llama.cpp does; what it loses is far more than one rounding.
    probs = weights / np.cumsum(np.sort(weights)[::-1])[-1]
    assert probs.astype(np.float64).sum() - 1 > 1e-5
    ids = largest(logits, 20)
    known = partial(np.log(probs[ids]), 150_000).at(temperature)
    true = distribution(logits, SamplerSettings(temperature))
    assert contains(*known.tail, true.tail(20).mass)
    assert all(map(contains, known.low, known.high, true.probs[ids]))


def test_equal_log_probabilities_are_two_tokens() -> None:
    assert partial(np.log([0.4, 0.4]), 9).at(1).low == pytest.approx([0.4, 0.4])


def test_a_forbidden_token_among_the_shown_leaves_nothing_to_the_hidden_ones() -> None:
    known = partial([math.log(0.6), math.log(0.4), -math.inf], 9).at(3)
    assert (known.badge, known.membership, known.hidden) == ("exact", ("kept", "kept", "cut"), "cut")


def test_the_order_of_the_report_is_that_of_the_answer() -> None:
    forwards, backwards = partial(np.log([0.5, 0.2]), 9).at(2), partial(np.log([0.2, 0.5]), 9).at(2)
    assert forwards.low.tolist() == backwards.low[::-1].tolist()


@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e300])
def test_extreme_temperatures_give_numbers(temperature) -> None:
    known = partial([math.log(0.95), math.log(0.05), -700], 152_000).at(temperature)
    assert np.isfinite([*known.low, *known.high, *known.tail]).all()


@pytest.mark.parametrize(
    ("logprobs", "vocabulary", "sentence"),
    [
        (np.log([0.8, 0.4]), 9, "sum to 1.2"),
        (np.log([0.5, 0.2]), 2, "sum to 0.7"),
        (np.log([0.5, 0.1]), 3, "leave 0.4 to the other tokens"),
        ([-math.inf], 3, "leave 1 to the other tokens"),
        ([0.5], 9, "at most 0"),
        ([math.nan], 9, "at most 0"),
        (np.log([0.5, 0.2, 0.1]), 2, "3 log-probabilities for a vocabulary of 2"),
        ([], 0, "vocabulary of 0"),
    ],
)
def test_numbers_of_no_distribution_are_refused(logprobs, vocabulary, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        partial(logprobs, vocabulary)


@pytest.mark.parametrize("temperature", [-1, math.inf, math.nan])
def test_a_temperature_that_is_none_is_refused(temperature) -> None:
    with pytest.raises(InputError, match="Temperature"):
        partial(np.log([0.5, 0.2]), 9).at(temperature)


@settings(max_examples=300)
@given(LOGITS, SETTINGS, st.integers(1, 20), st.floats(0, 1, exclude_max=True))
def test_a_token_that_is_said_to_be_picked_is_the_one_that_the_whole_distribution_draws(
    logits, setting, shown, u
):
    whole = distribution(logits, setting)
    cumulative = np.cumsum(np.sort(whole.probs)[::-1])
    if np.abs(cumulative - u).min() < 1e-6:  # within rounding of the seam between two tokens
        return
    ids = np.argsort(-logits, kind="stable")[:shown]
    picked = partial(log_softmax(logits)[ids], len(logits)).after(setting).picked(u)
    assert picked is None or ids[picked] == draw(whole, u)


def test_what_is_exact_is_always_picked():
    """0.5, 0.3 and a hidden 0.2 under top-k 2: 0.625 and 0.375."""
    left = partial(np.log([0.5, 0.3]), 3).after(SamplerSettings(top_k=2, engine="ollama"))
    assert [left.picked(u) for u in (0.0, 0.62, 0.63, 0.999)] == [0, 0, 1, 1]


def test_a_u_that_falls_among_hidden_tokens_picks_none_that_can_be_named():
    reported = partial(np.log([0.5, 0.3]), 100).at(1)
    assert [reported.picked(u) for u in (0.49, 0.79, 0.81)] == [0, 1, None]


def test_a_u_between_the_bounds_of_a_seam_is_left_open():
    """At T = 2 the first of 0.6 and a hidden 0.4 in 1 to 4 tokens weighs between 0.38 and 0.55 of all."""
    low, high = (
        math.sqrt(0.6) / (math.sqrt(0.6) + 4 * math.sqrt(0.1)),
        math.sqrt(0.6) / (math.sqrt(0.6) + math.sqrt(0.4)),
    )
    reported = partial(np.log([0.6]), 5).at(2)
    assert [reported.picked(u) for u in (low - 0.01, (low + high) / 2)] == [0, None]
