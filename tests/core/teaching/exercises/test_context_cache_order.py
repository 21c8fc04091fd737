"""The order, found by trying all of them on simulated calls."""

import re
from itertools import pairwise, permutations

import pytest

from core.teaching.exercises import check, make

CALLS = [("ann", "q1", 1), ("ann", "q1", 2), ("ann", "q2", 3), ("ben", "q3", 4), ("ben", "q3", 5)]
"""Who asks, which question, and which call it is."""


def state(changes, user, question, call):
    """What a part holds in a call, as pieces."""
    return {
        "never": ["same"],
        "with each user": [user],
        "with each question": [question],
        "with each call": [str(call)],
        "grows with each call": [f"{question}-{n}" for n in range(call)],
    }[changes]


def figures(made):
    rows = {name: (int(tokens), changes) for name, tokens, changes in made.given[0].rows}
    return rows, int(re.search(r"grown by (\d+)", made.task)[1])


def shared(order, rows):
    """Equal pieces at the head of each call and the next, in all; a piece has the weight of its part."""
    total = 0
    for one, other in pairwise(CALLS):
        for name in order:
            tokens, changes = rows[name]
            now, then = state(changes, *one), state(changes, *other)
            if now != then[: len(now)]:
                break
            total += tokens
            if now != then:
                break
    return total


SELDOM = ["never", "with each user", "with each question", "grows with each call", "with each call"]


def test_a_thousand_seeds_agree_with_how_seldom_the_parts_change():
    for seed in range(1000):
        made = make("cache-order", seed).made
        rows, grown = figures(made)
        order = sorted(rows, key=lambda name: SELDOM.index(rows[name][1]))

        assert made.answers == {"order": tuple(order), "read": grown + rows[order[-1]][0]}, seed


def test_no_other_order_is_as_good():
    for seed in range(0, 1000, 20):
        made = make("cache-order", seed).made
        rows, _ = figures(made)
        best = max(permutations(rows), key=lambda order: shared(order, rows))
        others = [order for order in permutations(rows) if order != best]

        assert made.answers["order"] == best, seed
        assert max(shared(order, rows) for order in others) < shared(best, rows)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (lambda right: right[::-1], "The other way round"),
        (lambda right: (right[-1], *right[:-1]), "nothing is used again"),
        (lambda right: (*right[:-2], right[-1], right[-2]), "so all messages are read anew"),
        (lambda right: (right[1], right[0], *right[2:]), "is more stable than"),
    ],
)
def test_a_typical_wrong_order_is_named(wrong, named):
    right = make("cache-order", 5).made.answers["order"]

    assert named in check("cache-order", 5, {"order": wrong(right)})[0].text


def test_any_other_order_is_told_the_first_wrong_place_and_why():
    right = make("cache-order", 5).made.answers["order"]
    text = check("cache-order", 5, {"order": (right[0], *right[:0:-1])})[0].text

    assert text.startswith(f"Place 2 is the first that is wrong: “{right[-1]}” changes with each call")


def test_forgetting_what_stands_behind_the_messages_is_named():
    _, grown = figures(make("cache-order", 5).made)

    assert "is read anew too" in check("cache-order", 5, {"read": str(grown)})[1].text
