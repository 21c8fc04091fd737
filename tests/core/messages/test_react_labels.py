"""The labels of ReAct texts, for all who read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.messages.react_labels import sections


@pytest.mark.parametrize(
    ("line", "label", "number", "body"),
    [
        ("Thought 12: why", "thought", "12", " why"),
        ("**Action:** look", "action", "", " look"),
        ("## final answer : 3", "final answer", "", " 3"),
        ("finish[no]", "action", "", "finish[no]"),
        ("Answer: 3", "", "", "Answer: 3"),
    ],
)
def test_a_label_has_many_spellings(line, label, number, body):
    (section,) = sections(line)
    assert (section.label, section.number, section.body) == (label, number, body)


def test_who_knows_the_label_answer_asks_for_it():
    assert [section.label for section in sections("Thought: so\nAnswer: 3", also=("answer",))] == [
        "thought",
        "answer",
    ]


def test_in_a_closed_fence_a_label_is_text():
    assert [section.label for section in sections("```\nAction: x\n```\nAction: y")] == ["", "action"]


@given(
    st.lists(st.sampled_from(["Action: a", "Input: b", "```", "", "x", "Answer: c", "thought 3:d"])).map(
        "\n".join
    )
)
def test_the_sections_joined_are_the_text(text):
    assert "".join(section.raw for section in sections(text)) == text
