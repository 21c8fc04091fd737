"""Free and masked texts side by side, and counted, worked out by hand."""

import pytest

from core.decoding.constrained_check import Check
from core.decoding.constrained_trial import Arm, Attempt, Pair, Progress
from core.decoding.counts import wilson
from core.figures.constrained_compare_view import beside_view, fact_row, first_view, pair_rows, trial_view
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
    assert view.summary == "10 of 20 seeds. Lines: 95 % intervals (Wilson)."
    assert view.arms == ("asked", "masked")
    assert [row.name for row in view.rows] == ["comes to an end", "parses", "conforms"]
    assert view.rows[1].bars[0].share == pytest.approx((0.2366, 0.5, 0.7634), abs=1e-4)
    assert view.rows[2].bars[0].label == "0 of 10 (0.0 % to 27.8 %)"
    assert view.rows[2].bars[1].label == "10 of 10 (72.2 % to 100.0 %)"


def test_texts_without_the_instruction_are_an_arm_of_their_own():
    attempt, none = Attempt("b", True, GOOD), Arm(wilson(0, 10), wilson(0, 10), wilson(0, 10))
    view = trial_view(Progress(9, attempt, attempt, none, none, unasked=none), planned=10)
    assert view.arms == ("not asked", "asked", "masked")
    assert [bar.arm for bar in view.rows[0].bars] == ["unasked", "free", "masked"]


@pytest.mark.parametrize(
    ("asked", "unasked", "said"),
    [
        (
            0.0032,
            0.000016,
            "raises the probability of a first token that fits: from 0.0016 % to 0.32 %, 200 times",
        ),
        (0.02, 1e-9, "from < 0.0001 % to 2 %, more than 10,000 times"),
        (0.015, 0.01, "from 1 % to 1.5 %; every other"),
        (
            0.25,
            0.5,
            "does not raise the probability of a first token that fits: from 50.0 % to 25.0 %; every",
        ),
        (
            0.5,
            None,
            "After this prompt a first token that fits has 50.0 %; every other token stays above 0.",
        ),
        (1.0, None, "has 100.0 %. The mask leaves no other."),
    ],
)
def test_what_the_instruction_does_is_said_in_figures(asked, unasked, said):
    view = first_view(asked, unasked)
    assert said in view.finding
    assert [bar.share[1] for bar in view.row.bars] == [*([] if unasked is None else [unasked]), asked, 1.0]


BAD = Check(parses=False, conforms=False, problem="Not JSON.")
PAIRS = [
    Pair(0, Attempt("It is Rome.", True, BAD), Attempt('"Oslo"', True, GOOD)),
    Pair(1, Attempt("Oslo\n", True, BAD), Attempt('"Rome"', True, GOOD)),
]


def test_a_fact_is_counted_beside_the_form():
    row = fact_row(PAIRS, "Rome")
    assert row.name == "says Rome"
    assert [(bar.arm, bar.share[1]) for bar in row.bars] == [("free", 0.5), ("masked", 0.5)]


def test_the_texts_stand_below_the_newest_first_with_nothing_invisible():
    newest, _ = pair_rows(PAIRS)
    assert newest.seed == "seed 1"
    assert newest.texts == (("Oslo↵", "does not parse"), ('"Rome"', "conforms"))
