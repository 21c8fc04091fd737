"""What the screen on chains says of passes and of ways to answer."""

import pytest

from core.decoding.counts import wilson
from core.figures.thought_view import chain_line, exemplar_view, findings, point, row, side_view

SUM = (b"1", b" +", b"\n", b"Sum", b":", b" ", b"3")


def test_every_token_has_the_number_of_its_pass():
    side = side_view("With a chain", SUM, answer_pass=7, layers=30, going_on=False, wanted="3")
    assert [(chip.text, chip.number) for chip in side.chips][:3] == [("1", 1), ("·+", 2), ("↵", 3)]
    assert [chip.number for chip in side.chips if chip.answer] == [7]


def test_depth_is_layers_times_the_passes_up_to_the_answer():
    side = side_view("With a chain", (*SUM, b"\n"), answer_pass=7, layers=30, going_on=False, wanted="3")
    assert side.depth == "30 layers × 7 = 210 layers, one after the other"
    assert side.said == "6 tokens before the answer: it comes out of pass 7"


@pytest.mark.parametrize(
    ("pieces", "answer", "going_on", "said"),
    [
        ((b"3",), 1, False, "no tokens before the answer: it comes out of pass 1"),
        ((b" ", b"3"), 2, False, "1 token before the answer: it comes out of pass 2"),
        (SUM[:4], None, True, "pass 4 …"),
        (SUM[:4], None, False, "no answer in 4 tokens"),
    ],
)
def test_the_count_is_said(pieces, answer, going_on, said):
    assert side_view("", pieces, answer, 30, going_on, "3").said == said


@pytest.mark.parametrize(
    ("pieces", "going_on", "right", "verdict"),
    [
        ((*SUM, b"\n"), False, True, "3 is right"),
        ((*SUM, b"4", b"\n", b"3"), False, False, "34 is wrong"),
        (SUM, True, None, ""),  # a digit may follow
        (SUM[:4], False, None, ""),
    ],
)
def test_an_answer_is_held_against_the_right_one_once_it_is_whole(pieces, going_on, right, verdict):
    side = side_view("", pieces, 7 if len(pieces) > 6 else None, 30, going_on, "3")
    assert (side.right, side.verdict) == (right, verdict)


def test_a_step_is_marked_once_it_is_whole_and_not_the_right_one_at_its_place():
    chain = (b"1", b" +", b"1", b" =", b"2", b"\n", b"2", b" +1", b" =4", b"\n", b"4", b" +")
    side = side_view("", chain, None, 30, True, "3", steps=("1 +1 =2", "2 +1 =3"))
    assert [chip.number for chip in side.chips if chip.wrong] == [7, 8, 9, 10]


def test_a_step_too_many_is_marked_and_the_answer_is_not():
    side = side_view("", (b"1", b"\n", b"2", b"\n", b"Sum: ", b"3", b"\n"), 6, 30, False, "3", steps=("1",))
    assert [chip.number for chip in side.chips if chip.wrong] == [3, 4]


COUNTED = {"at_once": wilson(0, 20), "own": wilson(3, 20), "given": wilson(19, 20)}


def test_a_point_holds_each_way_with_its_interval():
    made = point(4, COUNTED, captured=12)
    assert [arm.label for arm in made.arms] == ["0 of 20", "3 of 20", "19 of 20"]
    low, share, high = made.arms[2].share
    assert share == pytest.approx(0.95)
    assert low < share < high
    assert (made.total, made.captured) == (20, 12)


def test_a_difference_is_said_only_where_the_intervals_do_not_meet():
    assert findings(COUNTED) == (
        "In its own steps: no difference shown, the intervals overlap.",
        "After the right steps: more often right than at once.",
    )
    assert "less often right" in findings({**COUNTED, "at_once": wilson(20, 20)})[0]


def test_right_steps_are_set_beside_whole_chains():
    said = chain_line(wilson(64, 80), wilson(2, 10), expected=0.8**8, length=8)
    assert "64 of 80 (80.0 %)" in said
    assert "16.8 %" in said
    assert said.endswith("2 of 10 chains begin with all 8.")


def test_lines_of_a_chain_are_held_against_the_steps_in_order():
    made = row(
        "Bits:\nA = 1\n",
        "odd",
        ("A = 1: odd", "B = 0: odd"),
        (True, False, True),
        "A = 1: odd\nB = 1: even\nA = 1: odd\n",
    )
    assert [line.right for line in made.lines] == [True, False, False]
    assert made.given == "Bits: · A = 1"


def test_an_exemplar_names_its_parts_and_has_a_chain_only_with_steps():
    with_chain = exemplar_view("Numbers: 1 2\n", ("0 + 1 = 1", "1 + 2 = 3"), "Sum: 3\n")
    assert with_chain.form == "⟨input, chain of thought, output⟩"
    assert with_chain.parts[1:] == (("chain of thought", "0 + 1 = 1\n1 + 2 = 3"), ("output", "Sum: 3"))
    assert exemplar_view("Numbers: 1 2\n", (), "Sum: 3\n").form == "⟨input, output⟩"
