"""Free and masked texts side by side, and counted, worked out by hand."""

import pytest

from core.decoding.constrained_check import Check
from core.decoding.constrained_trial import Arm, Attempt, Pair, Progress
from core.decoding.counts import wilson
from core.figures.constrained_compare_view import beside_view, fact_row, pair_rows, trial_view
from tests.core.decoding.masks_toy import ToyVocabulary

WORDS = ToyVocabulary(["a", "b", " c", "<eos>"])
GOOD = Check(parses=True, conforms=True, problem="")


def test_both_texts_side_by_side_part_at_a_token():
    view = beside_view(WORDS, [1, 0, 0], [1, 2, 3], None, GOOD)
    assert (view.common, view.parting) == (1, "They part at token 2.")
    assert (view.free, view.masked) == (("b", "a", "a"), ("b", "·c", "<eos>"))
    assert (view.free_verdict, view.masked_verdict[:7]) == ("", "Checked")


def test_texts_of_which_one_begins_with_the_other_have_not_parted():
    assert beside_view(WORDS, [1, 0], [1], None, None).parting == ""


def test_the_trial_shows_shares_with_their_intervals():
    attempt = Attempt("b", True, GOOD)
    free = Arm(wilson(9, 10), wilson(5, 10), wilson(0, 10))
    masked = Arm(wilson(10, 10), wilson(10, 10), wilson(10, 10))
    view = trial_view(Progress(9, attempt, attempt, free, masked), planned=20)
    assert view.summary == "10 of 20 pairs. Lines: 95 % intervals (Wilson)."
    assert [row.name for row in view.rows] == ["comes to an end", "parses", "conforms"]
    assert view.rows[1].free == pytest.approx((0.2366, 0.5, 0.7634), abs=1e-4)
    assert view.rows[2].free_label == "0 of 10 (0.0 % to 27.8 %)"
    assert view.rows[2].masked_label == "10 of 10 (72.2 % to 100.0 %)"


BAD = Check(parses=False, conforms=False, problem="Not JSON.")
PAIRS = [
    Pair(0, Attempt("It is Rome.", True, BAD), Attempt('"Oslo"', True, GOOD)),
    Pair(1, Attempt("Oslo\n", True, BAD), Attempt('"Rome"', True, GOOD)),
]


def test_a_fact_is_counted_beside_the_form():
    row = fact_row(PAIRS, "Rome")
    assert (row.name, row.free[1], row.masked[1]) == ("says Rome", 0.5, 0.5)


def test_the_texts_stand_below_the_newest_first_with_nothing_invisible():
    newest, _ = pair_rows(PAIRS)
    assert (newest.seed, newest.free, newest.free_verdict) == ("seed 1", "Oslo↵", "does not parse")
    assert (newest.masked, newest.masked_verdict) == ('"Rome"', "conforms")
