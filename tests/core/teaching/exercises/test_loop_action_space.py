"""Each element, read as a student reads it: by the words before its colon."""

import pytest

from core.teaching.exercises import check, make

SPACES = {"tool call": "A", "text beside a call": "L"}


def solved(made):
    table = made.given[0]
    of = {number: SPACES.get(text.split(":")[0], "") for number, text in table.rows}
    return {
        "A": {number for number, space in of.items() if space == "A"},
        "L": {number for number, space in of.items() if space == "L"},
        "both": {number for number, space in of.items() if space},
    }


def test_a_thousand_seeds_agree_with_the_words_of_the_elements():
    for seed in range(1000):
        made = make("action-space", seed).made

        assert {name: set(answer) for name, answer in made.answers.items()} == solved(made), seed


@pytest.fixture
def seed():
    """One whose run shows the user's words, a result and the system prompt."""
    for seed in range(1000):
        texts = " ".join(text for _, text in make("action-space", seed).made.given[0].rows)
        if "user:" in texts and "tool result:" in texts and "system prompt:" in texts:
            return seed
    raise AssertionError


def of(seed, *kinds):
    rows = make("action-space", seed).made.given[0].rows
    return [number for number, text in rows if text.split(":")[0] in kinds]


@pytest.mark.parametrize(
    ("field", "kinds", "named"),
    [
        ("A", ["tool call", "tool result"], "A result is an observation"),
        ("A", ["text beside a call"], "Exchanged"),
        ("A", ["tool call", "text beside a call"], "A thought does not act"),
        ("L", ["text beside a call", "user"], "first observation, o1"),
        ("L", ["text beside a call", "system prompt"], "prefix c0"),
        ("L", ["text beside a call", "tool call"], "A call acts on the environment"),
        ("both", ["tool call"], "the thoughts belong to it as well"),
        ("both", ["tool call", "text beside a call", "tool result"], "A result is an observation"),
    ],
)
def test_a_typical_mistake_is_named(seed, field, kinds, named):
    verdicts = {v.field: v for v in check("action-space", seed, {field: of(seed, *kinds)})}

    assert verdicts[field].state == "wrong"
    assert named in verdicts[field].text
