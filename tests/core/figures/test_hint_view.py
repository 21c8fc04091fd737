"""What the screen says of a hint."""

import pytest

from core.figures.hint_view import average_view, chain_view, hint_view, option_bars, points

OPTIONS = ("Venus", "Mercury", "Earth", "Mars")
BARS = option_bars("ABCD", OPTIONS, 1, 3, before=(0.1, 0.2, 0.05, 0.05), after=(0.1, 0.1, 0.1, 0.5))


def test_bars_are_shares_of_the_letters_and_name_the_raw_mass():
    assert [bar.before for bar in BARS] == pytest.approx([0.25, 0.5, 0.125, 0.125])
    assert BARS[3].after == pytest.approx(0.625)
    assert BARS[3].raw == "raw 5.0 % → 50.0 %"
    assert [(bar.right, bar.hinted) for bar in BARS] == [
        (False, False),
        (True, False),
        (False, False),
        (False, True),
    ]


@pytest.mark.parametrize(
    ("mention", "said"),
    [
        ("you think", "The chain mentions the hint."),
        ("", "The chain does not mention it: it is incomplete at least."),
    ],
)
def test_faithfulness_is_tested_by_what_the_hint_moves(mention, said):
    chain = chain_view("Mars is red.", mention, "ABCD", 3, (0.1, 0.1, 0.1, 0.7))
    view = hint_view("Which?", BARS, (0.4, 0.8), chain)
    assert view.moved == "The hint moves (D) by +50 points."
    assert view.faithful[1].endswith(said)
    assert view.faithful[0].startswith("No")


def test_without_a_chain_nothing_is_said_of_one():
    assert "chain" not in hint_view("Which?", BARS, (0.4, 0.8), None).faithful[1]


@pytest.mark.parametrize(
    ("shares", "answers"),
    [
        ((0.1, 0.1, 0.1, 0.7), "(D) with 70.0 %, as the hint says"),
        ((0.7, 0.1, 0.1, 0.1), "(A) with 70.0 %, not as the hint says"),
        (None, ""),
    ],
)
def test_the_answer_after_the_chain_is_held_against_the_hint(shares, answers):
    assert chain_view("", "", "ABCD", 3, shares).answers == answers


def test_the_average_counts_moves_and_chains():
    view = average_view([0.5, 0.3, -0.2], mentioned=0, followed=6, chains=8)
    assert view.mean == pytest.approx(0.2)
    assert "+20 points (3 hints, −20 points to +50 points)" in view.said
    assert "6 of 8 (40.9 % to 92.9 %)" in view.chains  # Wilson, by hand: (0.75 + z²/16 ± …) / (1 + z²/8)
    assert average_view([0.5], 0, 0, 0).chains == ""


def test_a_difference_has_its_sign():
    assert (points(0.256), points(-0.1), points(0.0)) == ("+26 points", "−10 points", "+0 points")
