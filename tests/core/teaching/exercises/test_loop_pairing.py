"""Pairs, counted with plain lists of the ids that the given texts name."""

import re

import pytest

from core.teaching.exercises import check, make


def counted(made):
    """How many calls and results each id has, in the texts."""
    calls, results = [], []
    for _, role, text in made.given[0].rows:
        calls += re.findall(r"(call_\w+):", text) if role == "assistant" else []
        results += re.findall(r"^result of (call_\w+):", text) if role == "tool" else []
    return {id_: (calls.count(id_), results.count(id_)) for id_ in [*calls, *results]}


SAID = {
    (1, 0): "a call has no result",
    (0, 1): "a result has no call",
    (1, 2): "a call has two results",
}


def solved(made):
    wrong = {id_: pair for id_, pair in counted(made).items() if pair != (1, 1)}
    if not wrong:
        return {"fault": "nothing: it may be sent", "id": "none"}
    ((id_, pair),) = wrong.items()
    return {"fault": SAID[pair], "id": id_}


def test_a_thousand_seeds_agree_with_the_ids_counted():
    for seed in range(1000):
        made = make("pairing", seed).made

        assert dict(made.answers) == solved(made), seed


def test_every_fault_is_drawn_and_sound_histories_are_too():
    faults = {make("pairing", seed).made.answers["fault"] for seed in range(100)}

    assert faults == {*SAID.values(), "nothing: it may be sent"}


def seed_of(fault):
    return next(seed for seed in range(100) if make("pairing", seed).made.answers["fault"] == fault)


@pytest.mark.parametrize(
    ("fault", "said", "named"),
    [
        ("nothing: it may be sent", "a result has no call", "the order of the results is free"),
        ("a call has no result", "nothing: it may be sent", "Look for a result of every call"),
        ("a call has no result", "a result has no call", "The other way round"),
        ("a result has no call", "a call has no result", "The other way round"),
        ("a call has two results", "a result has no call", "an earlier message answers it"),
    ],
)
def test_another_fault_is_named(fault, said, named):
    verdict = check("pairing", seed_of(fault), {"fault": said})[0]

    assert verdict.state == "wrong"
    assert named in verdict.text


def test_an_id_that_is_a_pair_is_named():
    seed = seed_of("a call has no result")
    whole = next(id_ for id_, pair in counted(make("pairing", seed).made).items() if pair == (1, 1))

    assert (
        check("pairing", seed, {"id": whole})[1].text
        == f"{whole} is a pair: its call and one result are both there."
    )
