"""The formulas against sums by hand and against simulated rounds; the proof against the law of p."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decoding import ModelDraft, PromptLookup, speculate, verify_draft
from core.decoding.speculative_proof import place_after, prove
from core.decoding.speculative_speed import (
    acceptance,
    acceptances,
    best_gamma,
    counted,
    expected_tokens,
    speed_map,
    speed_up,
)
from core.errors import InputError
from core.lm import embedded
from core.sampling import SamplerSettings, distribution
from tests.core.decoding.toy import TABLE, ToyModel

PLAIN = SamplerSettings()
OTHER = ToyModel(table=0.5 * TABLE[[1, 2, 3, 0, 4, 5]] + 0.5 / 6)


@given(st.floats(0, 1), st.integers(0, 10))
def test_expected_tokens_are_the_sum_of_the_powers_of_alpha(alpha, gamma):
    assert expected_tokens(alpha, gamma) == pytest.approx(sum(alpha**n for n in range(gamma + 1)))


def test_the_speed_up_of_an_example_by_hand():
    # (1 - 0.8^6) / (0.2 * (5 * 0.05 + 1)) = 0.737856 / 0.25
    assert speed_up(0.8, 5, 0.05) == pytest.approx(2.951424)


@given(st.floats(0, 0.99), st.floats(0, 2))
def test_it_pays_exactly_where_alpha_is_above_c(alpha, cost):
    best = speed_up(alpha, best_gamma(alpha, cost), cost)
    if alpha > cost + 1e-9:
        assert best > 1
        assert best >= (1 + alpha) / (1 + cost) - 1e-12
    elif alpha < cost - 1e-9:
        assert best < 1


def test_the_map_has_a_row_for_each_draft_and_a_column_for_each_gamma():
    values = speed_map([0.1, 0.9], [0.5, 0.05], [1, 4])
    assert values == pytest.approx(
        np.array([[1.1 / 1.5, 1.1111 / 3], [1.9 / 1.05, (1 - 0.9**5) / 0.1 / 1.2]])
    )


@pytest.mark.parametrize("arguments", [(-0.1, 3, 0.1), (1.1, 3, 0.1), (0.5, -1, 0.1), (0.5, 3, -0.1)])
def test_numbers_outside_their_meaning_are_refused(arguments):
    with pytest.raises(InputError):
        speed_up(*arguments)


def test_counts_are_sums_over_the_rounds():
    draft = ModelDraft("other", OTHER, 0.3)
    rounds = [r for seed in range(200) for r in speculate(ToyModel(), draft, [0], PLAIN, seed, 3, 10)]
    result = counted(rounds)
    assert result.rounds == len(rounds)
    assert result.tokens == sum(len(done.tokens) for done in rounds)
    assert result.alpha == pytest.approx(result.accepted / result.tested)
    assert result.tokens_per_pass == pytest.approx(result.tokens / result.rounds)
    # Each test is accepted with the overlap of its own position: four standard deviations at most.
    spread = 0.5 / np.sqrt(result.tested)
    assert result.alpha == pytest.approx(result.expected_alpha, abs=4 * spread)


def test_of_no_rounds_there_are_no_means():
    result = counted([])
    assert (result.alpha, result.expected_alpha, result.match_alpha, result.tokens_per_pass) == (None,) * 4


def test_acceptance_on_a_text_is_the_mean_overlap_of_its_positions():
    rows = [0, 1, 2, 3]
    expected = np.mean([np.minimum(TABLE[row], OTHER.table[row]).sum() for row in rows])
    assert acceptance(ToyModel(), ModelDraft("other", OTHER, 0.3), rows, PLAIN) == pytest.approx(expected)


def test_a_window_changes_nothing_where_only_the_last_token_counts():
    drafts = [ModelDraft("all", OTHER, 0.3), ModelDraft("one", OTHER, 0.3, window=1)]
    whole, windowed = acceptances(ToyModel(), drafts, [0, 1, 2, 3], PLAIN)
    assert windowed == pytest.approx(whole)


def test_a_draft_that_is_the_target_has_alpha_1():
    assert acceptance(ToyModel(), ModelDraft("itself", ToyModel(), 1.0), [0, 1, 2], PLAIN) == pytest.approx(1)


# The proof by counting

P, Q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.6, 0.2])


def test_b30_both_rules_have_the_targets_law_and_the_wrong_one_has_not():
    proofs = prove(P, Q, seed=1, count=20_000)
    assert proofs.residual.test.p_value > 0.01
    assert proofs.match.test.p_value > 0.01
    assert proofs.wrong.test.p_value < 1e-12
    # The law of the wrong rule, by hand: q min(1, p/q) + 0.3 p.
    assert proofs.wrong.counts / 20_000 == pytest.approx([0.35, 0.39, 0.26], abs=0.015)


def test_b30_acceptance_is_sum_min_p_q_and_by_llama_cpps_rule_sum_p_q():
    proofs = prove(P, Q, seed=1, count=20_000)
    assert proofs.residual.accepted / 20_000 == pytest.approx(0.7, abs=0.015)
    assert proofs.match.accepted / 20_000 == pytest.approx(0.1 + 0.18 + 0.04, abs=0.015)


def test_many_draws_at_once_are_those_of_verify_draft():
    drafts, tests, draws = np.random.default_rng(4).random((3, 300))
    expected = np.zeros(3)
    for draft_u, test, draw in zip(drafts, tests, draws, strict=True):
        # q falls over tokens 1, 0, 2 with running sums 0.6, 0.8, 1.
        draft = [1, 0, 2][int(np.searchsorted([0.6, 0.8, 1.0], draft_u, side="right"))]
        expected[verify_draft([P, P], [Q], [draft], [test, draw]).tokens[0]] += 1
    assert prove(P, Q, seed=4, count=300).residual.counts.tolist() == expected.tolist()


def test_a_place_holds_the_laws_of_target_and_draft():
    place = place_after(ToyModel(), ModelDraft("other", OTHER, 0.3), [0], PLAIN)
    np.testing.assert_allclose(place.p, TABLE[0])
    np.testing.assert_allclose(place.q, OTHER.table[0])
    assert place.largest(2) == [1, 2]


def test_where_nothing_is_drafted_there_is_no_place_to_prove():
    assert place_after(ToyModel(), PromptLookup(6), [0], PLAIN) is None


def test_where_both_are_certain_there_is_nothing_to_test():
    proofs = prove([0.0, 1.0], [1.0, 0.0], seed=0, count=50)
    assert proofs.residual.counts.tolist() == [0, 50]
    assert proofs.residual.test.p_value is None


@pytest.mark.parametrize(
    "chosen",
    [PLAIN, SamplerSettings(temperature=0.7, top_k=40), SamplerSettings(temperature=1.3, top_p=0.9)],
    ids=["T = 1", "T = 0.7, top-k 40", "T = 1.3, top-p 0.9"],
)
def test_on_the_embedded_model_the_law_is_the_targets_at_three_settings(chosen):
    model = embedded()
    ids = model.tokenizer.encode("The weather in Berlin is")
    p = distribution(model.next_logits(ids), chosen).probs
    q = distribution(model.stopped_after(25).next_logits(ids), chosen).probs
    proofs = prove(p, q, seed=2, count=20_000)
    assert proofs.residual.test.p_value > 0.01
    assert proofs.residual.test.cells > 20
    assert proofs.match.test.p_value > 0.01
    assert proofs.residual.accepted / 20_000 == pytest.approx(np.minimum(p, q).sum(), abs=0.015)


@pytest.mark.parametrize("count", [0, 1_000_001, 2.5])
def test_a_number_of_draws_that_makes_no_sense_is_refused(count):
    with pytest.raises(InputError):
        prove(P, Q, 0, count)
