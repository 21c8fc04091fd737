"""Kinds told from the words of the task; programs told from what the real sandbox does with them."""

import re

import pytest

from core.agent.code_tool import RUN_PYTHON
from core.errors import InputError
from core.teaching.exercises import check, make

SPECIFIC = "a specific tool: easy to check and to restrict"
CODE = "a code tool: one action loops over many values"
OUTSIDE = ("open(", "import os", "import socket", "import urllib", "import subprocess", "10**9", "while True")


def solved(made):
    changes_the_world = re.search("“(Send|Pay|Unlock)", made.task)
    return {
        "kind": SPECIFIC if changes_the_world else CODE,
        "blocked": {name for name, code in made.given[0].rows if code.startswith(OUTSIDE) or "10**9" in code},
    }


def test_a_thousand_seeds_agree_with_the_words_of_tasks_and_programs():
    for seed in range(1000):
        made = make("tool-kind", seed).made

        assert {"kind": made.answers["kind"], "blocked": set(made.answers["blocked"])} == solved(made), seed


def programs():
    """Every program that is ever shown, and whether it has to be stopped."""
    found = {}
    for seed in range(300):
        made = make("tool-kind", seed).made
        found |= {code: name in made.answers["blocked"] for name, code in made.given[0].rows}
    return found


def test_the_real_sandbox_stops_what_has_to_be_stopped_and_nothing_else():
    for code, blocked in programs().items():
        try:
            RUN_PYTHON.execute({"code": code})
            stopped = False
        except InputError as error:
            stopped = "ZeroDivisionError" not in str(error)

        assert stopped == blocked, code


def test_the_code_of_the_worked_solutions_is_right():
    """The same sums, written in another way."""
    for seed in range(300):
        made = make("tool-kind", seed).made
        code = made.steps[0].given
        if code is None:
            continue
        figures = [int(number) for number in re.findall(r"\d+", made.task)]
        if "squares" in made.task:
            low, high = figures[:2]
            wanted = sum(n**2 for n in range(low, high + 1))
        elif "mean" in made.task:
            wanted = sum(len(figures) * number > sum(figures) for number in figures)
        else:
            wanted = next(years for years in range(99) if 1.03**years > 3)

        assert code.text.endswith(f"# {wanted}"), (seed, code.text)


def seed_where(holds):
    return next(seed for seed in range(1000) if holds(make("tool-kind", seed).made))


def verdict(seed, field, answer):
    return next(v for v in check("tool-kind", seed, {field: answer}) if v.field == field)


@pytest.mark.parametrize(
    ("right", "chosen", "named"),
    [
        (SPECIFIC, CODE, "nothing to loop over"),
        (SPECIFIC, "a code tool: its calls need no checks", "needs more checks"),
        (CODE, SPECIFIC, "a call for each step"),
        (CODE, "a code tool: its calls need no checks", "needs a sandbox"),
    ],
)
def test_the_wrong_kind_is_told_why(right, chosen, named):
    seed = seed_where(lambda made: made.answers["kind"] == right)

    assert named in verdict(seed, "kind", chosen).text


def name_of(made, piece):
    return next((name for name, code in made.given[0].rows if piece in code), None)


def test_a_program_that_was_let_through_is_told_by_what_it_wants():
    seed = seed_where(lambda made: name_of(made, "API_KEY"))
    made = make("tool-kind", seed).made
    name = name_of(made, "API_KEY")

    assert verdict(seed, "blocked", made.answers["blocked"] - {name}).text == (
        f"{name} wants a secret of the environment."
    )


@pytest.mark.parametrize(
    ("piece", "named"), [(" / 0", "fails by itself"), ("math.sqrt", "reaches for nothing outside")]
)
def test_a_harmless_program_that_was_stopped_is_told_so(piece, named):
    seed = seed_where(lambda made: name_of(made, piece))
    made = make("tool-kind", seed).made

    assert named in verdict(seed, "blocked", made.answers["blocked"] | {name_of(made, piece)}).text
