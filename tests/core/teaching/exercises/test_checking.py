"""What is said about answers, on an exercise made here."""

from dataclasses import replace

import pytest

from core.teaching.exercises import (
    ChoiceField,
    Made,
    Mistake,
    NumberField,
    OrderField,
    SetField,
    Step,
    TextField,
)
from core.teaching.exercises.checking import separated, shown, told_mistakes, verdicts

KEPT = SetField("kept", "Kept", ("A", "B", "C"))
SHARE = NumberField("share", "P′(A)", probability=True)
ORDER = OrderField("order", "Order", ("x", "y", "z"))
SIGNLESS = NumberField("left", "Left over, or missing", tolerance=0, signless=True)
FREE = ChoiceField("free", "Free", ("a", "b", "c"))
MADE = Made(
    task="",
    fields=(
        KEPT,
        SHARE,
        ORDER,
        ChoiceField("one", "One", ("yes", "no")),
        TextField("text", "Text"),
        SIGNLESS,
        FREE,
    ),
    answers={
        "kept": frozenset("AB"),
        "share": 0.6,
        "order": ("z", "x", "y"),
        "one": "yes",
        "text": "a",
        "left": 5.0,
        "free": "b",
    },
    hint="",
    steps=(Step("So."),),
    otherwise={"free": lambda answer: f"{answer} is told otherwise."},
    mistakes=(
        Mistake("One too many.", {"kept": frozenset("ABC"), "share": 0.5}),
        Mistake("Not renormalised.", {"share": 0.5}),
        Mistake("Unlucky figures.", {"share": 0.605}),
        Mistake("Which way?", {"free": "c", "left": 7.0}),
    ),
    checks={"text": lambda text: "" if text == "a" else "Write a."},
)


def said(**written):
    found = {verdict.field: verdict for verdict in verdicts(MADE, written)}
    (only,) = [found[name] for name in written] if len(written) == 1 else [found]
    return only


def test_right_answers_are_right():
    found = said(
        kept=["B", "A"], share="60 %", order=["z", "x", "y"], one="yes", text="a", left="5", free="b"
    )

    assert {verdict.state for verdict in found.values()} == {"right"}


@pytest.mark.parametrize("text", ["0.59", "0.61", "3/5"])
def test_a_number_within_the_tolerance_is_right(text):
    assert said(share=text).state == "right"


@pytest.mark.parametrize(("text", "words"), [("0.62", "Close"), ("0.7", "Too large"), ("0.3", "Too small")])
def test_a_number_that_no_mistake_explains_is_told_its_direction(text, words):
    assert said(share=text).text.startswith(words)


def test_a_probability_in_percent_without_the_sign_is_told():
    assert said(share="60").text == (
        "A probability lies between 0 and 1; 60 % is 0.6, or written with its sign."
    )
    assert said(share="-0.1").text == "A probability lies between 0 and 1."


def test_nothing_is_not_answered():
    assert [verdict.state for verdict in verdicts(MADE, {"kept": [], "share": " "})] == ["empty"] * 7


def test_a_number_that_cannot_be_read_says_how_to_write_it():
    verdict = said(share="six")

    assert (verdict.state, "write it as" in verdict.text) == ("unreadable", True)


def test_the_mistake_that_explains_more_answers_is_named():
    found = said(kept=["A", "B", "C"], share="0.5")

    assert [found[name].text for name in ("kept", "share")] == ["One too many."] * 2


def test_two_mistakes_that_explain_the_same_are_both_named():
    assert said(share="0.5").text == "One too many. Or: Not renormalised."


def test_a_mistake_that_would_have_given_another_answer_elsewhere_is_not_named():
    assert said(kept=["A", "B"], share="0.5")["share"].text == "Not renormalised."


def test_a_mistake_that_would_be_right_here_is_left_out():
    assert [mistake.sentence for mistake in told_mistakes(MADE)] == [
        "One too many.",
        "Not renormalised.",
        "Which way?",
    ]


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        (["A"], "What is chosen belongs there; 1 more does."),
        (["C"], "One too many. That is not all."),
    ],
)
def test_a_set_that_no_mistake_explains_says_in_which_way_it_is_wrong(chosen, text):
    assert said(kept=chosen).text == text


def test_an_order_says_what_is_wrong_first_and_wants_all():
    assert said(order=["z", "y", "x"]).text == "Place 2 is the first that is wrong: “y” comes too early."
    assert said(order=["z", "x"]).text == "Put all 3 in order; so far you have 2."


def test_where_a_sign_says_nothing_it_may_stand_there():
    assert said(left="-5").state == said(left="−5").state == "right"
    assert said(left="-6").text == "Too large."


def test_what_is_said_otherwise_goes_before_a_mistake_that_the_other_answers_contradict():
    assert said(free="c", left="5")["free"].text == "c is told otherwise."
    assert said(free="c", left="7")["free"].text == "Which way?"


def test_figures_are_separated_if_each_mistake_differs_in_its_decisive_fields():
    assert separated(MADE)
    assert not separated(replace(MADE, mistakes=(Mistake("", {"share": 0.605, "one": "no"}, ("share",)),)))


def test_a_text_is_checked_by_its_kind():
    assert said(text="b").text == "Write a."


@pytest.mark.parametrize(
    "written", [{"kept": ["Z"]}, {"one": "perhaps"}, {"one": ["yes"]}, {"order": ["z", "z", "q"]}]
)
def test_what_is_none_of_the_options_is_told_not_raised(written):
    assert said(**written).state == "unreadable"


def test_answers_are_shown_as_a_key_prints_them():
    assert shown(KEPT, frozenset("BA")) == "A, B"
    assert shown(NumberField("n", "n", "tokens", 0), 12345) == "12,345 tokens"
    assert shown(SHARE, 4 / 7) == "0.571"
    assert shown(NumberField("n", "n", tolerance=0.05), 0.725 + 1e-12) == "0.73"
    assert shown(ORDER, ("z", "x", "y")) == "z → x → y"
