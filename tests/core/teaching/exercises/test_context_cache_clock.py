"""Two calls after another, compared token by token as plain lists."""

import re
from itertools import takewhile

import pytest

from core.teaching.exercises import check, make


def figures(made):
    before, clock, behind, question, added = (int(tokens) for _, tokens in made.given[0].rows)
    return before, clock, behind, question, added, int(re.search(r"has (\d+) calls", made.task)[1])


def read(made, ticks):
    before, clock, behind, question, added, calls = figures(made)
    total, last = 0, []
    for call in range(calls):
        now = ["s"] * before + [f"tick {call}"] * (clock if ticks else 0)
        now += ["r"] * behind + ["q"] * question + ["new"] * (call * added)
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(last, now, strict=False))))
        total += len(now) - same
        last = now
    return total


def test_a_thousand_seeds_agree_with_a_sum_over_the_calls():
    for seed in range(1000):
        made = make("cache-clock", seed).made
        before, clock, behind, question, added, calls = figures(made)
        first = before + behind + question

        assert made.answers == {
            "without": first + (calls - 1) * added,
            "with": sum(clock + first + n * added for n in range(calls)) - (calls - 1) * before,
        }, seed


def test_the_sums_are_those_of_lists_compared_token_by_token():
    for seed in range(30):
        made = make("cache-clock", seed).made

        assert made.answers == {"without": read(made, False), "with": read(made, True)}, seed


@pytest.mark.parametrize(
    ("field", "wrong", "named"),
    [
        ("with", lambda made: read(made, False) + figures(made)[5] * figures(made)[1], "The clock alone"),
        (
            "with",
            lambda made: read(made, True) + (figures(made)[5] - 1) * figures(made)[0],
            "before the clock",
        ),
        ("with", lambda made: read(made, True) - figures(made)[5] * figures(made)[1], "The clock itself"),
        ("without", lambda made: sum(figures(made)[i] for i in (0, 2, 3)), "Only the first call reads all"),
        ("without", lambda made: read(made, False) + figures(made)[4], "the first adds nothing"),
        (
            "without",
            lambda made: sum(
                sum(figures(made)[i] for i in (0, 2, 3)) + n * figures(made)[4]
                for n in range(figures(made)[5])
            ),
            "That is what is sent",
        ),
    ],
)
def test_a_typical_mistake_is_named(field, wrong, named):
    made = make("cache-clock", 8).made
    verdict = next(v for v in check("cache-clock", 8, {field: str(wrong(made))}) if v.field == field)

    assert named in verdict.text
