"""The sums, added up call by call in a list of tokens."""

import re
from typing import NamedTuple

import pytest

from core.teaching.exercises import check, make


class Figures(NamedTuple):
    prefix: int
    question: int
    added: int
    calls: int


def figures(made):
    prefix, question, added = (int(tokens) for _, tokens in made.given[0].rows)
    return Figures(prefix, question, added, int(re.search(r"has (\d+) calls", made.task)[1]))


def solved(made):
    prefix, question, added, calls = figures(made)
    context, seen, sent, again = prefix + question, 0, 0, 0
    for call in range(calls):
        if call:
            context += added
        sent += context
        again += seen
        seen = context
    return {"last": context, "sent": sent, "resent": again}


def test_a_thousand_seeds_agree_with_a_running_sum():
    for seed in range(1000):
        made = make("tokens-sent", seed).made

        assert dict(made.answers) == solved(made), seed


@pytest.mark.parametrize(
    ("field", "wrong", "named"),
    [
        ("sent", lambda f: f.prefix + f.question + (f.calls - 1) * f.added, "Each token counted once"),
        ("sent", lambda f: f.calls * (f.prefix + f.question), "The context grows"),
        (
            "sent",
            lambda f: f.calls * (f.prefix + f.question + (f.calls - 1) * f.added),
            "Only the last call is as large",
        ),
        (
            "sent",
            lambda f: sum(f.prefix + f.question + k * f.added for k in range(1, f.calls + 1)),
            "One turn too many",
        ),
        (
            "sent",
            lambda f: f.prefix + sum(f.question + k * f.added for k in range(f.calls)),
            "count in every call, not once",
        ),
        ("last", lambda f: f.prefix + f.question + f.calls * f.added, "One turn too many"),
        ("last", lambda f: f.question + (f.calls - 1) * f.added, "sent with the last call as well"),
        (
            "resent",
            lambda f: f.prefix + f.question + (f.calls - 1) * f.added,
            "sent for the first time",
        ),
    ],
)
def test_a_typical_mistake_is_named(field, wrong, named):
    answer = wrong(figures(make("tokens-sent", 7).made))
    verdict = next(v for v in check("tokens-sent", 7, {field: f"{answer:,}"}) if v.field == field)

    assert named in verdict.text
