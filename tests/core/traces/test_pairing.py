"""A result belongs to the nearest earlier call with its id that has no result yet."""

import json

from core.agent import states
from core.figures.loop_cards import cards_of
from core.messages import check_pairing
from core.trace import StepKind
from core.traces import load


def call(call_id, name="f"):
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps({"of": name})},
    }


def asks(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(call_id, content):
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def steps(*messages):
    return load(json.dumps([{"role": "user", "content": "q"}, *messages]).encode()).steps


def pairs(*messages):
    """Of every observation: the name of the call that it answers, and its content."""
    observed = (step for step in steps(*messages) if step.kind is StepKind.OBSERVATION)
    return [(step.tool_call and step.tool_call.name, step.appended.content) for step in observed]


def test_an_id_that_a_later_turn_uses_again_belongs_to_the_later_call():
    found = pairs(asks(call("0", "a")), result("0", "1"), asks(call("0", "b")), result("0", "2"))
    assert found == [("a", "1"), ("b", "2")]


def test_a_result_for_an_earlier_turn_comes_after_that_of_the_later_one():
    found = pairs(asks(call("0", "a")), asks(call("0", "b")), result("0", "2"), result("0", "1"))
    assert found == [("b", "2"), ("a", "1")]


def test_a_second_result_has_no_call():
    assert pairs(asks(call("0", "a")), result("0", "1"), result("0", "2")) == [("a", "1"), (None, "2")]


def test_a_result_before_its_call_has_no_call():
    assert pairs(result("0", "1"), asks(call("0", "a"))) == [(None, "1")]


def test_an_unknown_id_is_not_paired_by_name_or_order():
    assert pairs(asks(call("0", "a")), result("other", "1")) == [(None, "1")]


def test_two_calls_with_the_same_id_in_one_reply_are_answered_in_order():
    found = pairs(asks(call("0", "a"), call("0", "b")), result("0", "1"), result("0", "2"))
    assert found == [("a", "1"), ("b", "2")]


def test_results_without_ids_go_by_name_and_order():
    no_ids = asks(call("", "a"), call("", "b"), call("", "a"))
    results = [
        {"role": "tool", "tool_name": name, "content": text}
        for name, text in (("b", "1"), ("a", "2"), ("a", "3"))
    ]
    assert pairs(no_ids, *results) == [("b", "1"), ("a", "2"), ("a", "3")]


def test_calls_without_ids_get_ones_with_which_a_server_would_take_the_history():
    no_ids = asks(call("", "a"), call("", "a"))
    results = [{"role": "tool", "tool_name": "a", "content": text} for text in "12"]
    trace = load(json.dumps([{"role": "user", "content": "q"}, no_ids, *results]).encode())
    assert check_pairing(trace.messages) == []


def test_calls_are_taken_up_as_their_results_come_so_that_messages_keep_their_order():
    kinds = [
        (step.kind.value, step.tool_call.id)
        for step in steps(asks(call("a"), call("b")), result("b", "1"), result("a", "2"))
        if step.tool_call
    ]
    assert kinds == [("tool call", "b"), ("observation", "b"), ("tool call", "a"), ("observation", "a")]


def test_a_call_without_a_result_is_still_a_step_and_stays_pending():
    messages = [{"role": "user", "content": "q"}, asks(call("a"), call("b")), result("a", "1")]
    trace = load(json.dumps(messages).encode())
    assert trace.steps[-1].tool_call.id == "b"
    assert states(trace)[-1].pending == ("b",)


def test_each_reply_is_appended_once_by_the_first_step_after_it():
    lines = [
        (step.kind.value, step.line, step.passed)
        for step in steps(asks(call("a"), call("b")), result("a", "1"))
    ]
    assert lines == [
        ("user input", 1, ()),
        ("model call", 3, (2,)),
        ("tool call", 6, (4, 5)),
        ("observation", 8, ()),
        ("tool call", 6, ()),
    ]


def test_turns_count_replies_over_several_inputs():
    said = [
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "r"},
        {"role": "assistant", "content": "2"},
    ]
    assert [step.turn for step in steps(*said)] == [0, 1, 1, 1, 2, 2]


def symbols(*messages):
    return states(load(json.dumps([{"role": "user", "content": "q"}, *messages]).encode()))[-1].context


def test_an_answer_from_which_the_user_goes_on_stands_in_the_context():
    said = {"role": "assistant", "content": "Hello."}
    assert symbols(said, {"role": "user", "content": "And?"}, said) == ("c0", "o1", "a1", "o2")


def test_a_result_without_a_call_is_an_observation_of_its_own():
    assert symbols(asks(call("0")), result("0", "1"), result("z", "2")) == ("c0", "o1", "a1", "o2", "o3")


def test_each_of_two_calls_with_one_id_has_its_own_observation():
    found = symbols(asks(call("0"), call("0")), result("0", "1"), result("0", "2"))
    assert found == ("c0", "o1", "a1.1", "a1.2", "o2.1", "o2.2")


def test_cards_of_the_loop_mark_what_has_no_call_comes_again_or_says_nothing():
    messages = [asks(call("0")), result("0", "1"), result("0", "2"), result("z", "3"), {"role": "assistant"}]
    cards, _ = cards_of(load(json.dumps([{"role": "user", "content": "q"}, *messages]).encode()))
    assert [card.kind for card in cards[2:]] == [
        "ToolResultMessage",
        "ToolResultMessage · again",
        "ToolResultMessage · no call",
        "AssistantMessage · empty",
    ]
