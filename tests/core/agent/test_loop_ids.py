"""The ids by which results are paired with their calls."""

from tests.core.agent.looping import ANSWER, call, calling, results, steps_of


def test_results_are_paired_by_id():
    steps = steps_of(calling(call("x", "Oslo"), call("y", "Rome"), content="Checking both."), ANSWER)

    assert {result.tool_call_id: result.content for result in results(steps)} == {"x": "5", "y": "30"}
    assert steps[2].appended.content == "Checking both."


def test_a_repeated_or_missing_id_is_replaced_before_the_message_is_stored():
    steps = steps_of(calling(call("a", "Oslo"), call("a", "Rome"), call("", "Rome")), ANSWER)

    stored = steps[2].appended
    assert [stored_call.id for stored_call in stored.tool_calls] == ["a", "call_1", "call_2"]
    assert [(result.tool_call_id, result.content) for result in results(steps)] == [
        ("a", "5"),
        ("call_1", "30"),
        ("call_2", "30"),
    ]


def test_a_new_id_is_not_one_that_the_message_has():
    steps = steps_of(calling(call("call_1"), call("call_1")), ANSWER)

    assert len({result.tool_call_id for result in results(steps)}) == 2


def test_a_call_without_an_id_gets_one_that_no_earlier_turn_has():
    steps = steps_of(calling(call("call_1")), calling(call("")), calling(call(""), call("")), ANSWER)

    assert [result.tool_call_id for result in results(steps)] == ["call_1", "call_2", "call_3", "call_4"]
