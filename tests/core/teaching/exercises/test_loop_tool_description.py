"""The faults, looked for in the shown text of each version alone."""

import json
import re

import pytest

from core.teaching.exercises import check, make

NOTHING = "nothing: a model need not guess"


def solved(text):
    head, *lines = text.splitlines()
    fields = [line.strip().split(": ", 1) for line in lines]
    names = [name for name, _ in fields if name not in ("required", "additionalProperties")]
    schemas = {name: json.loads(value) for name, value in fields if name in names}
    if not re.search("Use it when", head):
        return "the description says too little"
    if not all("description" in schema for schema in schemas.values()):
        return "a field is not described"
    if any(s["type"] == "string" and name != "reason" and "enum" not in s for name, s in schemas.items()):
        return "any text passes, though there is a list"
    if any(s["type"] == "integer" and "maximum" not in s for s in schemas.values()):
        return "a number has no bounds"
    if "additionalProperties" not in dict(fields):
        return "invented fields pass"
    return NOTHING if names[0] == "reason" else "the reason comes last"


def test_a_thousand_seeds_agree_with_the_shown_text():
    for seed in range(1000):
        made = make("tool-description", seed).made

        assert dict(made.answers) == {code.caption: solved(code.text) for code in made.given}, seed


def test_one_version_of_three_is_all_right():
    for seed in range(100):
        answers = list(make("tool-description", seed).made.answers.values())

        assert answers.count(NOTHING) == 1
        assert len(set(answers)) == 3


def version(label):
    return next(
        (seed, name)
        for seed in range(1000)
        for name, answer in make("tool-description", seed).made.answers.items()
        if answer == label
    )


@pytest.mark.parametrize(
    ("right", "chosen", "named"),
    [
        (NOTHING, "invented fields pass", "additionalProperties is false"),
        (NOTHING, "the reason comes last", "The reason comes first"),
        (NOTHING, "any text passes, though there is a list", "a reason is meant to be free"),
        ("a number has no bounds", NOTHING, "Which numbers would it take?"),
        ("the reason comes last", NOTHING, "In which order"),
        ("a field is not described", "the description says too little", "when to use it"),
    ],
)
def test_a_typical_mistake_is_named(right, chosen, named):
    seed, name = version(right)
    verdict = next(v for v in check("tool-description", seed, {name: chosen}) if v.field == name)

    assert verdict.state == "wrong"
    assert named in verdict.text
