"""The pairing invariant of calls and results."""

import pytest

from core.errors import InputError
from core.messages import AssistantMessage, ToolCall, ToolResultMessage, UserMessage, check_pairing, pairs

USER = UserMessage(content="q")
ANSWER = AssistantMessage(content="a")


def calls(*ids):
    return AssistantMessage(tool_calls=tuple(ToolCall(id=id, name="f", arguments="{}") for id in ids))


def result(id):
    return ToolResultMessage(tool_call_id=id, content="r")


@pytest.mark.parametrize(
    "history",
    [
        [],
        [USER, ANSWER],
        [USER, calls("a", "b", "c"), result("a"), result("b"), result("c"), ANSWER],
        [USER, calls("a", "b", "c"), result("c"), result("a"), result("b"), ANSWER],
        [USER, calls("a"), result("a"), calls("a"), result("a"), ANSWER],
    ],
)
def test_a_history_in_which_every_call_has_its_result_is_sound(history):
    assert check_pairing(history) == []


@pytest.mark.parametrize(
    ("history", "problems"),
    [
        ([USER, calls("a", "b"), result("a"), result("a"), result("b")], [("second result", 3, "a")]),
        ([USER, calls("a", "b"), result("a"), USER], [("no result", 1, "b")]),
        ([USER, calls("a"), USER], [("no result", 1, "a")]),
        ([USER, calls("a")], [("no result", 1, "a")]),
        ([USER, result("a")], [("no call", 1, "a")]),
        ([calls("a"), result("a"), USER, result("a")], [("no call", 3, "a")]),
        ([calls("a", "a"), result("a")], [("repeated id", 0, "a")]),
        ([calls("")], [("missing id", 0, "")]),
        ([USER, AssistantMessage(content=" ")], [("empty message", 1, "")]),
    ],
)
def test_a_breach_is_named_with_its_message_and_call(history, problems):
    assert [(found.kind, found.index, found.call_id) for found in check_pairing(history)] == problems


def test_pairs_join_each_call_to_its_result_by_id_alone():
    history = [USER, calls("x", "y", "z"), result("y"), result("x"), ANSWER, calls("x"), result("x")]

    assert [(pair.call, pair.place, pair.call_id, pair.result) for pair in pairs(history)] == [
        (1, 0, "x", 3),
        (1, 1, "y", 2),
        (1, 2, "z", None),
        (5, 0, "x", 6),
    ]


def test_a_problem_reads_as_a_sentence():
    assert str(check_pairing([USER, calls("a")])[0]) == "Message 1: the call 'a' has no result."


def test_messages_of_the_chat_dialect_are_checked_as_typed_ones_are() -> None:
    calls = [{"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id_ in "ab"]
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "user", "content": "and?"},
    ]
    assert [(problem.kind, problem.call_id) for problem in check_pairing(history)] == [("no result", "b")]


@pytest.mark.parametrize("messages", [None, 7, "text", [7], {"role": "user", "content": "q"}])
def test_what_is_no_history_is_refused(messages):
    with pytest.raises(InputError):
        check_pairing(messages)
