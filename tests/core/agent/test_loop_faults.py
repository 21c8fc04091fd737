"""Prompt-ToolLoop where a call is wrong or a tool fails: an error is the result of its call."""

import pytest

from core.agent import Tool, record, run
from core.context import TokenCounter
from core.lm.chat import Reply
from core.lm.scripted import ScriptedModel
from core.messages import (
    ToolSchema,
    UserMessage,
)
from core.trace import StepKind
from tests.core.agent.looping import ANSWER, TOOLS, call, calling, results, steps_of
from tests.core.context.toy import ToyTokenizer


def test_a_call_that_fails_validation_is_not_executed_and_told_why():
    steps = steps_of(calling(call("a", arguments='{"town": "Oslo"}')), ANSWER)

    assert StepKind.EXECUTION not in [step.kind for step in steps]
    [result] = results(steps)
    assert result.content == (
        "ERROR: invalid arguments for temp: $.city is missing; "
        "$.town is not a known property, those are: city"
    )
    assert result.is_error


def test_an_unknown_tool_gets_its_error_as_result_and_the_loop_goes_on():
    steps = steps_of(calling(call("a", name="functions.temp")), ANSWER)

    [result] = results(steps)
    assert result.tool_call_id == "a"
    assert result.content == "ERROR: unknown tool 'functions.temp', available: broken, refuse, temp"
    assert steps[-1].kind is StepKind.ANSWER


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("key", "ERROR: KeyError: 'x'"),
        ("stop", "ERROR: StopIteration"),
        ("interrupt", "ERROR: KeyboardInterrupt"),
        ("mute", "ERROR: Mute"),
        ("exit", "ERROR: SystemExit: 3"),
        ("zero", "ERROR: ZeroDivisionError: by 0"),
    ],
)
def test_an_exception_of_a_tool_is_the_result_of_its_call(how, message):
    steps = steps_of(calling(call("a", name="broken", arguments=f'{{"how": "{how}"}}')), ANSWER)

    assert [(result.content, result.is_error) for result in results(steps)] == [(message, True)]


def test_a_refusal_of_a_tool_is_told_in_its_own_words():
    steps = steps_of(calling(call("a", name="refuse", arguments="{}")), ANSWER)

    assert results(steps)[0].content == "ERROR: the shop is closed"


def test_arguments_that_a_schema_allows_and_the_function_does_not_are_an_error_result():
    loose = Tool(ToolSchema(name="temp", parameters={}), TOOLS[0].function)

    steps = list(run(ScriptedModel("m", [calling(call("a", arguments='{"b": 1}')), ANSWER]), "q", [loose]))

    assert results(steps)[0].is_error
    assert "city" in results(steps)[0].content


@pytest.mark.parametrize("arguments", ['{"city": "Os', '{"city": "Oslo"}'])
def test_a_call_in_a_reply_that_was_cut_off_is_never_executed(arguments):
    cut = Reply(message=calling(call("a", arguments=arguments), call("b")), finish_reason="length")

    steps = steps_of(cut, ANSWER)

    assert StepKind.EXECUTION not in [step.kind for step in steps]
    assert [result.tool_call_id for result in results(steps)] == ["a", "b"]
    assert all("cut off" in result.content for result in results(steps))


def test_half_json_with_a_wrong_finish_reason_is_invalid_json():
    reply = Reply(message=calling(call("a", arguments='{"p": "a')), finish_reason="tool_calls")

    assert "invalid JSON" in results(steps_of(reply, ANSWER))[0].content


def test_a_tool_cannot_change_what_the_trace_holds():
    def empty(items: list[int]) -> int:
        items.clear()
        return 0

    steps = list(
        run(
            ScriptedModel("m", [calling(call("a", name="empty", arguments='{"items": [1]}')), ANSWER]),
            "q",
            [Tool.from_function(empty)],
        )
    )

    assert [step.validation.arguments for step in steps if step.validation] == [{"items": [1]}]


@pytest.mark.parametrize("result", [float("nan"), object(), {1: {2}, "x": float("inf")}])
def test_a_result_that_json_cannot_express_is_the_error_of_its_call(result):
    def odd() -> object:
        return result

    steps = list(
        run(
            ScriptedModel("m", [calling(call("a", name="odd", arguments="{}")), ANSWER]),
            "q",
            [Tool.from_function(odd)],
        )
    )

    assert results(steps)[0].content.startswith("ERROR: The tool odd returned a result that JSON cannot")
    assert steps[-1].kind is StepKind.ANSWER


def test_half_of_a_surrogate_pair_reaches_neither_the_history_nor_the_trace():
    odd = calling(call("\ud800", name="\ud800", arguments="{\ud800"), content="\ud800", thinking="\ud800")
    steps = run(ScriptedModel("m", [odd, ANSWER]), "\ud800", TOOLS, counter=TokenCounter(ToyTokenizer()))

    assert "\ufffd" in record(steps, title="t", source="scripted").model_dump_json()


def test_a_schema_with_a_broken_reference_is_the_error_of_the_call_that_reaches_it():
    broken_schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/nothing"}}}
    tool = Tool(ToolSchema(name="f", parameters=broken_schema), print)

    steps = list(
        run(ScriptedModel("m", [calling(call("a", name="f", arguments='{"a": 1}')), ANSWER]), "q", [tool])
    )

    assert "not there" in results(steps)[0].content


def test_a_conversation_that_the_template_refuses_ends_the_run_with_its_sentence():
    history = (UserMessage(content="before"),)  # two messages of the user in a row
    counter = TokenCounter(ToyTokenizer(), "mistral")

    steps = list(run(ScriptedModel("m", [ANSWER]), "q", TOOLS, counter=counter, history=history))

    assert [step.kind for step in steps] == [StepKind.USER_INPUT, StepKind.STOP]
    assert steps[-1].text
