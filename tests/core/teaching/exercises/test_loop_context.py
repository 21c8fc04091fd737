"""c_k, written by reading the roles of the given messages from top to bottom."""

import re

import pytest

from core.teaching.exercises import check, make


def k_of(made):
    return int(re.search(r"Write c(\d+)", made.task)[1])


def solved(made):
    """One call a turn: its text before the word "call" is the thought, the next message the result."""
    k, turn, symbols = k_of(made), 1, ["c0"]
    for _, role, text in made.given[0].rows:
        if role == "user":
            symbols.append("o1")
        elif role == "assistant":
            if turn == k:
                break
            if not text.startswith("call_"):
                symbols.append(f"t{turn}")
            symbols.append(f"a{turn}")
        elif role == "tool":
            turn += 1
            symbols.append(f"o{turn}")
    return symbols


def verdict(seed, symbols):
    return check("context-k", seed, {"context": ", ".join(symbols)})[0]


def test_a_thousand_seeds_agree_with_the_roles_of_the_messages():
    for seed in range(1000):
        made = make("context-k", seed).made

        assert made.answers["context"] == ", ".join(solved(made)), seed
        assert made.checks["context"](" ".join(solved(made))) == ""


@pytest.mark.parametrize("text", ["({})", "c_3 = ({})", "{}\n"])
def test_brackets_and_the_left_side_may_be_written_as_well(text):
    right = make("context-k", 3).made.answers["context"]

    assert check("context-k", 3, {"context": text.format(right)})[0].state == "right"


def test_indices_may_be_written_in_any_way():
    right = make("context-k", 3).made.answers["context"]
    tex = re.sub(r"(\d)", r"_{\1}", right)
    low = right.translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))

    assert [check("context-k", 3, {"context": text})[0].state for text in (tex, low)] == ["right", "right"]


@pytest.fixture
def seed():
    """One of k = 3, whose first turn has a thought and whose second has none."""
    return next(
        seed
        for seed in range(1000)
        if make("context-k", seed).made.answers["context"] == "c0, o1, t1, a1, o2, a2, o3"
    )


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("o1 t1 a1 o2 a2 o3", "c0 is missing"),
        ("c0 o1 t1 a1 o2 a2", "o3 is missing: the latest"),
        ("c0 o1 a1 o2 a2 o3", "t1 is missing: a thought"),
        ("c0 o1 t1 a1 o3", "o2 is missing: the model keeps nothing"),
        ("c0 o1 t1 a1 o2 t2 a2 o3", "There is no t2"),
        ("c0 o1 t1 a1 o2 a2 o3 t3", "t3 is not there yet"),
        ("c0 o1 a1 t1 o2 a2 o3", "not in the order"),
        ("c0 o1 t1 a1 o2 a2 o3 o3", "o3 stands there twice"),
        ("c0 c2 a2 o3", "no earlier context"),
        ("system, user", "Write symbols only"),
    ],
)
def test_a_typical_mistake_is_named(seed, written, named):
    found = verdict(seed, written.split(" "))

    assert found.state == "wrong"
    assert named in found.text
