"""Drawing: u picks the token, and a seed fixes the stream of u."""

import math
from collections import Counter

import numpy as np
import pytest

from core.errors import InputError
from core.sampling import SamplerSettings, distribution, draw, logits_from_probs, tally, uniform

pytestmark = pytest.mark.filterwarnings("error")

LAST = math.nextafter(1, 0)
SHUFFLED = logits_from_probs([0.25, 0.4, 0.05, 0.3])


@pytest.mark.parametrize(
    ("u", "token_id"), [(0.0, 1), (0.39, 1), (0.41, 3), (0.69, 3), (0.71, 0), (0.94, 0), (0.96, 2)]
)
def test_u_runs_over_the_tokens_by_falling_probability(u: float, token_id: int) -> None:
    assert draw(distribution(SHUFFLED, SamplerSettings()), u) == token_id


def test_a_boundary_belongs_to_the_next_token() -> None:
    assert draw(distribution([0.0, 0.0], SamplerSettings()), 0.5) == 1


@pytest.mark.parametrize("u", [0.0, LAST])
def test_the_ends_of_u_draw_no_forbidden_token(u: float) -> None:
    assert draw(distribution([-math.inf, 1.0, -math.inf], SamplerSettings()), u) == 1


def test_u_just_below_one_draws_the_last_kept_token() -> None:
    assert draw(distribution(SHUFFLED, SamplerSettings(top_k=3)), LAST) == 0


def test_u_just_below_one_draws_although_the_sum_stays_below_it() -> None:
    # Ten times 0.1 adds up to 0.9999999999999999, which is that u
    assert draw(distribution([0.0] * 10, SamplerSettings()), LAST) == 9


def test_u_just_below_one_draws_no_token_whose_probability_rounds_to_zero() -> None:
    assert draw(distribution([0.0, 0.0, -745.0], SamplerSettings()), LAST) == 1


@pytest.mark.parametrize("u", [-0.1, 1.0, math.nan, math.inf, "a", None])
def test_u_outside_its_range_is_refused(u) -> None:
    with pytest.raises(InputError):
        draw(distribution([0.0, 1.0], SamplerSettings()), u)


@pytest.mark.parametrize("settings", [SamplerSettings(temperature=0), SamplerSettings(top_k=1)])
def test_greedy_settings_draw_the_same_token_for_every_seed(settings: SamplerSettings) -> None:
    result = distribution([21.375, 5.0, 21.375], settings)
    assert {draw(result, uniform(seed, 0)) for seed in range(4)} == {0}


def test_draws_follow_the_probabilities() -> None:
    # 10,000 draws: the standard error of a frequency is below 0.005
    result = distribution(SHUFFLED, SamplerSettings())
    counts = np.bincount([draw(result, u) for u in np.random.default_rng(5).random(10_000)], minlength=4)
    assert counts / 10_000 == pytest.approx([0.25, 0.4, 0.05, 0.3], abs=0.02)


@pytest.mark.parametrize("seed", [0, 7, 42, 2**40])
def test_the_stream_of_a_seed_is_that_of_numpy(seed: int) -> None:
    assert [uniform(seed, i) for i in range(5)] == np.random.default_rng(seed).random(5).tolist()


def test_the_draws_of_one_seed_differ() -> None:
    result = distribution([1.0] * 4, SamplerSettings())
    assert len({draw(result, uniform(7, i)) for i in range(50)}) == 4


def test_another_run_in_between_does_not_move_the_stream() -> None:
    first = [uniform(42, i) for i in range(5)]
    np.random.default_rng(1).random(9)
    uniform(3, 11)
    assert [uniform(42, i) for i in range(5)] == first


def test_the_global_generator_is_left_alone() -> None:
    np.random.seed(0)
    before = np.random.get_state()[1].tolist()  # type: ignore[union-attr]
    uniform(42, 3)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[union-attr]


@pytest.mark.parametrize(("seed", "index"), [(-1, 0), (0, -1), (1.5, 0), (None, 0), (True, 0), (0, 0.5)])
def test_a_seed_or_index_that_is_no_count_is_refused(seed, index) -> None:
    with pytest.raises(InputError):
        uniform(seed, index)


def test_a_tally_counts_the_draws_that_the_seeds_stream_makes() -> None:
    shape = distribution(logits_from_probs([0.5, 0.3, 0.2]), SamplerSettings())
    one_by_one = Counter(draw(shape, uniform(5, index)) for index in range(200))
    assert dict(enumerate(tally(shape, seed=5, count=200).tolist())) == dict(one_by_one)


def test_a_tally_holds_nothing_that_was_cut() -> None:
    shape = distribution(logits_from_probs([0.5, 0.3, 0.2]), SamplerSettings(top_k=2))
    counts = tally(shape, seed=0, count=1000)
    assert len(counts) == 2
    assert counts.sum() == 1000
