"""The majority of several chains in words, worked out by hand."""

import pytest

from core.figures.votes_view import together, votes_view

CHAINS = [("seed 0", " Mars is red.\n", 1), ("seed 1", "So B.", 1), ("seed 2", "Or A.", 0)]


def shown(right, majority, chains=CHAINS):
    return votes_view("ABCD", "Which?", ("w", "x", "y", "z"), right, chains, majority)


def test_each_option_has_its_share_of_the_chains():
    bars = shown(right=0, majority=1).bars
    assert [bar.share for bar in bars] == pytest.approx([1 / 3, 2 / 3, 0, 0])
    assert [bar.label for bar in bars] == ["1 of 3", "2 of 3", "0 of 3", "0 of 3"]
    assert [(bar.right, bar.first) for bar in bars] == [(True, False), (False, True), *[(False, False)] * 2]


def test_each_chain_stands_with_its_answer():
    first, *_, last = shown(right=0, majority=1).rows
    assert (first.name, first.text, first.answer, first.right) == ("seed 0", "Mars is red.", "(B)", False)
    assert last.right


@pytest.mark.parametrize(
    ("right", "majority", "said"),
    [
        (0, 1, "2 of 3 chains say (B): the majority is wrong."),
        (1, 1, "2 of 3 chains say (B): the majority is right."),
        (1, None, "Several answers come equally often: no majority. Draw more."),
    ],
)
def test_the_finding_says_whether_the_majority_is_right(right, majority, said):
    assert shown(right, majority).finding == said


def test_nothing_drawn_is_said():
    view = shown(0, None, chains=[])
    assert view.finding == "No chain is drawn yet."
    assert {bar.share for bar in view.bars} == {0.0}


def test_all_questions_together_compare_majority_greedy_and_single_chains():
    said = together(questions=10, majority=5, greedy=4, drawn=0, chains=10)
    assert said == (
        "Right: the majority on 5 of 10 (23.7 % to 76.3 %) questions, one greedy chain on 4, "
        "a drawn chain 0 of 10 (0.0 % to 27.8 %) times."
    )
