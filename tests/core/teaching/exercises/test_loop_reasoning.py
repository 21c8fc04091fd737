"""The loops, told from the words of the tasks; what a chain computes, computed again."""

import re

import pytest

from core.teaching.exercises import check, make

GIVEN = "chain of thought: all that it needs is given"
LOOK_UP = "ReAct: a fact has to be looked up"
ACT = "ReAct: something has to be done"


def solved(text):
    if text.startswith(("Send", "Cancel", "Delete")):
        return ACT
    if text.startswith(("Where", "By how many", "Has order", "What did")):
        return LOOK_UP
    if text.startswith(("A train", "There are", "Say it")) or "Who is the youngest" in text:
        return GIVEN
    raise AssertionError(text)


def test_a_thousand_seeds_agree_with_the_words_of_the_tasks():
    for seed in range(1000):
        made = make("cot-or-react", seed).made

        assert dict(made.answers) == {letter: solved(text) for letter, text in made.given[0].rows}, seed


def tasks(pattern):
    """What is asked, matched, and what the worked solution says of it."""
    for seed in range(200):
        made = make("cot-or-react", seed).made
        for (_, text), step in zip(made.given[0].rows, made.steps, strict=True):
            if found := re.search(pattern, text):
                yield found.groups(), step.text


def test_the_trains_arrive_when_they_should():
    for (hour, minute, hours, minutes), said in tasks(r"(\d\d):(\d\d) and takes (\d+) h (\d+) min"):
        arrival = (int(hour) + int(hours)) * 60 + int(minute) + int(minutes)

        assert said.endswith(f"{arrival // 60 % 24:02}:{arrival % 60:02}.")


def test_the_whole_pencils_are_counted():
    for (boxes, each, broken), said in tasks(r"(\d+) boxes with (\d+) pencils each, and (\d+)"):
        assert said.endswith(f" {int(boxes) * int(each) - int(broken)}.")


@pytest.mark.parametrize(
    ("task", "chosen", "named"),
    [
        ("A train", "ReAct: it takes several steps", "made of steps"),
        ("A train", LOOK_UP, "every fact stands in the task"),
        ("Has order", "chain of thought: the model remembers it", "as old as its training"),
        ("Where", GIVEN, "would have to invent it"),
        ("Cancel", GIVEN, "words alone change nothing"),
        ("Send", LOOK_UP, "does not end with knowing"),
    ],
)
def test_a_typical_mistake_is_named(task, chosen, named):
    seed, letter = next(
        (seed, letter)
        for seed in range(1000)
        for letter, text in make("cot-or-react", seed).made.given[0].rows
        if text.startswith(task)
    )
    verdict = next(v for v in check("cot-or-react", seed, {letter: chosen}) if v.field == letter)

    assert verdict.state == "wrong"
    assert named in verdict.text
