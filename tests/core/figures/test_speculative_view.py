"""The words and numbers of the screen on speculative decoding, worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core.decoding import Last, ModelDraft, PromptLookup, speculate
from core.decoding.speculative_proof import prove
from core.decoding.speculative_speed import counted
from core.figures.speculative_view import (
    PAPERS,
    Predicted,
    chips_view,
    counted_view,
    over_run,
    proof_view,
    ratio_lines,
    round_view,
    speed_view,
    what_if,
)
from core.sampling import SamplerSettings
from tests.core.decoding.masks_toy import ToyModel, ToyVocabulary, always

WORDS = ToyVocabulary(["a", "b", " c", "<eos>"])
P, Q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.6, 0.2])


def over(law: np.ndarray) -> ToyModel:
    """A model whose next token has this law, whatever stands before; it never ends."""
    return ToyModel(WORDS, always([*np.log(law), -np.inf]))


TARGET, DRAFT = over(P), ModelDraft("draft", over(Q), 0.25)


def rounds(seed: int, draft=DRAFT, gamma: int = 3, max_tokens: int = 12):
    return list(speculate(TARGET, draft, [0], SamplerSettings(), seed, gamma, max_tokens))


def first(condition):
    """The first round of many seeds that is so."""
    return next(done for seed in range(500) for done in rounds(seed) if condition(done))


REJECTED = first(lambda done: done.accepted == 1 and len(done.drafted) == 3 and done.drafted[1].token_id == 1)
WHOLE = first(lambda done: done.accepted == 3)


def test_a_round_says_what_was_accepted_and_what_one_pass_gave():
    view = round_view(WORDS, REJECTED, 4)
    assert view.title == "Round 5"
    assert view.summary == "1 of 3 drafted tokens accepted: 2 tokens from one pass of the target."
    assert view.passes == (
        "3 passes of the draft, then 1 of the target, which gives the logits of 4 positions."
    )


def test_each_drafted_token_shows_its_bar_beside_u():
    view = round_view(WORDS, REJECTED, 0)
    assert [token.verdict for token in view.drafted] == ["accepted", "rejected", "not tested"]
    rejected = view.drafted[1]
    assert rejected.bar == pytest.approx(0.5)  # 0.3 / 0.6
    assert rejected.test == f"u = {REJECTED.drafted[1].u:.4f} ≥ min(1, p / q) = 0.5000"
    assert rejected.overlap == "Σ min(p, q) = 0.700 here"
    assert (view.drafted[2].u, view.drafted[2].test[:14]) == (None, "A token before")


def test_p_and_q_stand_beside_each_other_by_falling_p():
    rows = round_view(WORDS, REJECTED, 0).drafted[1].rows
    assert [(row.name, row.labels) for row in rows[:3]] == [
        ("a", ("50.0 %", "20.0 %")),
        ("b", ("30.0 %", "60.0 %")),
        ("·c", ("20.0 %", "20.0 %")),
    ]
    assert [row.drafted for row in rows[:3]] == [False, True, False]


def test_after_a_rejection_the_residual_is_shown():
    last = round_view(WORDS, REJECTED, 0).last
    assert (last.name, last.origin) == ("a", "residual")  # only token a has p above q
    assert last.rows == (("a", 1.0, "100.0 %"),)
    assert "max(0, p - q)" in last.how


def test_when_all_are_accepted_there_is_a_bonus():
    view = round_view(WORDS, WHOLE, 0)
    assert view.last.origin == "bonus"
    assert view.summary == "3 of 3 drafted tokens accepted: 4 tokens from one pass of the target."


def test_a_round_without_a_draft_says_so():
    view = round_view(WORDS, rounds(0, PromptLookup(4))[0], 0)
    assert view.summary == "Nothing was drafted: 1 token from one pass of the target."
    assert view.passes.endswith("the logits of 1 position.")
    assert view.last.how.endswith("the target's own token: nothing was drafted")
    assert [chip.origin for chip in chips_view(WORDS, rounds(0, PromptLookup(4))[:1])] == ["own"]


def test_the_drawn_token_stands_in_the_list_however_improbable_it_was():
    last = Last(0, 0.001, 0.9999, "bonus", tuple((token, 0.1) for token in range(1, 9)))
    done = replace(WHOLE, last=last)
    words = ToyVocabulary([*"abcdefghi", "<eos>"])
    rows = round_view(words, done, 0).last.rows
    assert [name for name, _, _ in rows] == ["b", "c", "d", "e", "f", "a"]
    assert rows[-1][2] == "0.1 %"


def test_chips_say_where_each_token_came_from():
    chips = chips_view(WORDS, [REJECTED, WHOLE])
    assert [chip.origin for chip in chips] == ["draft", "residual", "draft", "draft", "draft", "bonus"]
    assert [chip.round for chip in chips] == [0, 0, 1, 1, 1, 1]


def test_counts_are_said_beside_what_was_expected():
    lines = {line.name: line for line in counted_view(counted([REJECTED, WHOLE]), 3, 0.25, 0.9)}
    assert (lines["α counted"].value, lines["α counted"].note[:6]) == ("0.80", "4 of 5")
    assert lines["α expected"].value == "0.70"
    assert lines["by llama.cpp's rule"].value == "0.32"  # 0.1 + 0.18 + 0.04
    assert lines["tokens per pass of the target"].value == "3.00"
    # (1 - 0.7^4) / 0.3 = 2.533, divided by 1.75
    assert lines["tokens per pass of the target"].note == "6 tokens in 2 passes; predicted 2.53"
    assert lines["predicted speed-up"].value == "1.45 times"
    assert lines["by the clock"].value == "0.90 times"


def test_before_anything_is_counted_nothing_is_known():
    assert {line.value for line in counted_view(counted([]), 3, 0.25, None)} == {"not known yet"}


def test_the_map_marks_what_pays_and_says_the_best():
    drafts = [
        Predicted(name="L = 15", alpha=0.1, cost=0.5, on=48),
        Predicted(name="L = 29", alpha=0.9, cost=0.1, on=4),
    ]
    view = speed_view(drafts, [1, 4])
    assert [[cell.pays for cell in row.cells] for row in view.rows] == [[False, False], [True, True]]
    assert view.rows[1].cells[1].label == "2.93"  # (1 - 0.9^5) / 0.1 / 1.4
    assert view.summary == "Predicted: up to 2.93 times as fast, with L = 29 and γ = 4, α from 4 tokens."


def test_where_nothing_pays_the_map_says_so():
    view = speed_view([Predicted(name="L = 15", alpha=0.11, cost=0.6)], [1, 2])
    assert view.summary == "Predicted: none pays. At best 0.69 times, with L = 15 and γ = 1."
    assert speed_view([]).summary == ""


def test_what_if_says_where_a_draft_starts_to_pay():
    assert what_if(0.4, 0.1).startswith("With α = 0.40 a draft pays where c is below 0.40")
    assert what_if(0.4, 0.1).endswith("at c = 0.10: 1.30 times with γ = 2.")  # (1 - 0.4^3) / (0.6 * 1.2)
    assert "it does not: 0.93 times at best" in what_if(0.4, 0.5)  # 1.4 / 1.5


def test_over_a_run_a_speed_up_counts_at_every_call():
    said = over_run((30, 12), alpha=0.4, cost=0.1)  # 1.30 times with γ = 2, so 42 / 1.3 = 32.3
    assert "42 tokens in 2 calls" in said
    assert "take 42 passes; with the supposed draft the time of 32." in said
    assert "the time of 42." in over_run((30, 12), alpha=0.4, cost=0.5)  # a draft that does not pay


def test_the_proof_shows_three_rules_of_which_one_is_wrong():
    right, llama, wrong = proof_view(WORDS, prove(P, Q, 1, 20_000), P, [0, 1, 2])
    assert (right.holds, llama.holds, wrong.holds) == (True, True, False)
    assert wrong.verdict == "p does not explain them"
    assert wrong.test.endswith("p-value below 0.001")
    assert [bar[2] for bar in right.bars] == pytest.approx(P)
    assert float(right.accepted[:4]) == pytest.approx(70, abs=1.5)
    assert right.accepted.endswith("of 20,000 drafts accepted")


def test_where_p_is_q_nothing_is_said_of_the_rules_that_then_cannot_differ():
    right, llama, wrong = proof_view(WORDS, prove(P, P, 1, 2000), P, [0, 1, 2])
    assert (right.holds, llama.holds, wrong.holds) == (None, True, None)
    assert right.verdict == wrong.verdict == "p = q here: nothing is rejected, so the rules cannot differ"


def test_a_certain_token_needs_no_test():
    rows = proof_view(WORDS, prove([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], 1, 10), [1.0, 0.0, 0.0], [0])
    assert rows[0].test == "Only one token can come: nothing to test."


def test_the_papers_figures_stand_with_what_they_were_measured_on():
    assert [(paper.speed_up, paper.measured_on[:10]) for paper in PAPERS] == [
        ("2.3 to 3.4 times", "T5-XXL wit"),
        ("2 to 2.5 times", "Chinchilla"),
    ]


def test_a_pass_over_several_positions_that_is_not_free_is_reckoned_with():
    # α = 0.5, γ = 2: 1.75 tokens in 2 · 0.25 + 3 passes.
    ratio, predicted = ratio_lines(3.0, 0.5, 2, 0.25)
    assert (ratio.name, ratio.value) == ("a pass over 3 positions", "3.00 times")
    assert predicted.value == "0.50 times"
