"""The line that comes next, decided by rules of its own from the words of a moment."""

import re

import pytest

from core.teaching.exercises import check, make


def solved(step, said, most):
    line = int(re.match(r"Line (\d)", said)[1])
    if line in (1, 3, 4, 7):
        return {1: "line 3", 3: "line 4", 4: "line 5", 7: "line 8"}[line]
    if line == 5:
        return "the run is over" if "no call" in said else "line 7"
    call, calls = map(int, re.search(r"call (\d+) of (\d+)", said).groups())
    if call < calls:
        return "line 7"
    return "line 3" if int(step) < most else "line 9"


def moments(made):
    return {name: (step, said) for name, step, said in made.given[0].rows}


def most(made):
    return int(re.search(r"MAX_STEPS = (\d+)", made.task)[1])


def test_a_thousand_seeds_agree_with_rules_for_each_line():
    for seed in range(1000):
        made = make("next-line", seed).made

        assert dict(made.answers) == {
            name: solved(*moment, most(made)) for name, moment in moments(made).items()
        }, seed


@pytest.mark.parametrize(
    ("pattern", "right", "wrong", "named"),
    [
        ("Line 8", "line 3", "line 9", "Steps are left"),
        ("Line 8", "line 3", "line 5", "a new response"),
        ("Line 8", "line 9", "line 3", "was the last"),
        ("Line 8", "line 7", "line 3", "Another call waits"),
        ("Line 7 .*ERROR", "line 8", "the run is over", "An error ends no run"),
        ("Line 5", "the run is over", "line 9", "returned already"),
        ("Line 5", "line 7", "the run is over", "it is no answer"),
        ("Line 4", "line 5", "line 7", "whether there are calls at all"),
        ("Line 3", "line 4", "line 7", "a result would have no call"),
        ("Line 1", "line 3", "line 4", "no response yet"),
    ],
)
def test_a_typical_mistake_is_named(pattern, right, wrong, named):
    seed, name = next(
        (seed, name)
        for seed in range(1000)
        for name, (_, said) in moments(make("next-line", seed).made).items()
        if re.match(pattern, said) and make("next-line", seed).made.answers[name] == right
    )
    verdict = next(v for v in check("next-line", seed, {name: wrong}) if v.field == name)

    assert verdict.state == "wrong"
    assert named in verdict.text
