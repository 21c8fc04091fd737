"""Prompt-ToolLoop: which steps a run has, on which lines, and what it leaves in the history."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import Guards, Tool, allow_only, record, run
from core.context import TokenCounter, assemble
from core.errors import InputError
from core.lm.chat import Reply
from core.lm.scripted import ScriptedModel
from core.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    check_pairing,
)
from core.trace import StepKind, Trace
from tests.core.context.toy import ToyTokenizer


def temp(city: str) -> str:
    """The temperature in a city."""
    return {"Oslo": "5", "Rome": "30"}[city]


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def broken(how: str) -> str:
    """Fail."""
    raise {
        "key": KeyError("x"),
        "stop": StopIteration(),
        "interrupt": KeyboardInterrupt(),
        "mute": Mute("never heard"),
        "exit": SystemExit(3),
        "zero": ZeroDivisionError("by 0"),
    }[how]


def refuse() -> str:
    """Refuse."""
    raise InputError("the shop is closed")


TOOLS = [Tool.from_function(function) for function in (temp, broken, refuse)]
ANSWER = AssistantMessage(content="Done.")


def call(id, city="Oslo", name="temp", arguments=None):
    return ToolCall(id=id, name=name, arguments=arguments or f'{{"city": "{city}"}}')


def calling(*calls, content="", **fields):
    return AssistantMessage(content=content, tool_calls=calls, **fields)


def steps_of(*replies, **options):
    return list(run(ScriptedModel("m", replies), "q", TOOLS, **options))


def lines(steps):
    return [(step.kind, step.turn, step.line, step.passed) for step in steps]


def results(steps):
    return [step.appended for step in steps if isinstance(step.appended, ToolResultMessage)]


class Spy:
    """A scripted model that keeps what it was sent."""

    name = "spy"
    window = 100

    def __init__(self, *replies):
        self._script = ScriptedModel("spy", replies)
        self.sent = []

    def reply(self, messages, tools):
        self.sent.append((messages, tools))
        return self._script.reply(messages, tools)


def test_a_text_only_reply_is_the_answer():
    assert lines(steps_of(ANSWER)) == [
        (StepKind.USER_INPUT, 0, 1, ()),
        (StepKind.MODEL_CALL, 1, 3, (2,)),
        (StepKind.ANSWER, 1, 5, (4,)),
    ]


def test_a_call_is_validated_executed_and_observed():
    assert lines(steps_of(calling(call("a")), ANSWER)) == [
        (StepKind.USER_INPUT, 0, 1, ()),
        (StepKind.MODEL_CALL, 1, 3, (2,)),
        (StepKind.TOOL_CALL, 1, 6, (4, 5)),
        (StepKind.VALIDATION, 1, 7, ()),
        (StepKind.EXECUTION, 1, 7, ()),
        (StepKind.OBSERVATION, 1, 8, ()),
        (StepKind.MODEL_CALL, 2, 3, (2,)),
        (StepKind.ANSWER, 2, 5, (4,)),
    ]


def test_text_beside_calls_is_a_thought_and_later_calls_of_the_turn_pass_no_line():
    assert lines(steps_of(calling(call("a"), call("b"), content="Both."), ANSWER))[2:10] == [
        (StepKind.THOUGHT, 1, 4, ()),
        (StepKind.TOOL_CALL, 1, 6, (5,)),
        (StepKind.VALIDATION, 1, 7, ()),
        (StepKind.EXECUTION, 1, 7, ()),
        (StepKind.OBSERVATION, 1, 8, ()),
        (StepKind.TOOL_CALL, 1, 6, ()),
        (StepKind.VALIDATION, 1, 7, ()),
        (StepKind.EXECUTION, 1, 7, ()),
    ]


def test_a_thinking_span_before_an_answer_is_a_thought():
    steps = steps_of(AssistantMessage(content="Yes.", thinking="Hm."))

    assert lines(steps)[2:] == [(StepKind.THOUGHT, 1, 4, ()), (StepKind.ANSWER, 1, 5, ())]
    assert [step.text for step in steps[2:]] == ["Hm.", "Yes."]


def test_the_loop_stops_at_its_budget():
    steps = steps_of(calling(call("a")), calling(call("b")), max_steps=2)

    assert lines(steps)[-1] == (StepKind.STOP, 2, 9, (2,))
    assert steps[-1].text == "stopped: step budget exhausted"


def test_every_message_is_appended_once_and_in_order():
    steps = steps_of(calling(call("a"), call("b"), content="Both."), ANSWER)

    assert [step.appended.role for step in steps if step.appended] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]


def test_every_call_of_the_model_gets_the_whole_context():
    model = Spy(calling(call("a")), ANSWER)

    steps = list(run(model, "q", TOOLS, system="Be brief."))

    appended = [step.appended for step in steps if step.appended]
    assert [messages for messages, _ in model.sent] == [
        (SystemMessage(content="Be brief."), *appended[:1]),
        (SystemMessage(content="Be brief."), *appended[:3]),
    ]
    assert all(tools == tuple(tool.schema for tool in TOOLS) for _, tools in model.sent)


def test_without_a_system_prompt_none_is_sent():
    model = Spy(ANSWER)

    list(run(model, "q"))

    assert model.sent == [((UserMessage(content="q"),), ())]


def test_earlier_turns_stand_before_the_user_input():
    model = Spy(ANSWER)
    history = (UserMessage(content="before"), AssistantMessage(content="then"))

    list(run(model, "q", history=history))

    assert model.sent[0][0] == (*history, UserMessage(content="q"))


def test_a_model_call_records_exactly_what_was_sent():
    counter = TokenCounter(ToyTokenizer())
    model = Spy(calling(call("a")), ANSWER)

    steps = list(run(model, "q", TOOLS, system="S", counter=counter))

    recorded = [step.model_call for step in steps if step.model_call]
    assert [made.segments for made in recorded] == [assemble(*context, counter) for context in model.sent]
    assert {(made.counting.method, made.window) for made in recorded} == {("exact", 100)}


def test_without_a_counter_the_context_of_a_call_is_unknown():
    [made] = [step.model_call for step in steps_of(ANSWER) if step.model_call]

    assert (made.segments, made.counting.method) == (None, "unknown")


def test_results_are_paired_by_id():
    steps = steps_of(calling(call("x", "Oslo"), call("y", "Rome"), content="Checking both."), ANSWER)

    assert {result.tool_call_id: result.content for result in results(steps)} == {"x": "5", "y": "30"}
    assert steps[2].appended.content == "Checking both."


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


def test_a_repeated_or_missing_id_is_replaced_before_the_message_is_stored():
    steps = steps_of(calling(call("a", "Oslo"), call("a", "Rome"), call("", "Rome")), ANSWER)

    stored = steps[2].appended
    assert [stored_call.id for stored_call in stored.tool_calls] == ["a", "call_1_2", "call_1_3"]
    assert [(result.tool_call_id, result.content) for result in results(steps)] == [
        ("a", "5"),
        ("call_1_2", "30"),
        ("call_1_3", "30"),
    ]


def test_a_new_id_is_not_one_that_the_message_has():
    steps = steps_of(calling(call("call_1_2"), call("call_1_2")), ANSWER)

    assert len({result.tool_call_id for result in results(steps)}) == 2


def test_nothing_runs_before_the_next_step_is_asked_for():
    model = Spy(ANSWER)
    steps = run(model, "q")

    next(steps)

    assert model.sent == []


@pytest.mark.parametrize(
    "options",
    [
        {"max_steps": 0},
        {"tools": [TOOLS[0], TOOLS[0]]},
        {"tools": [Tool(ToolSchema(name="f", parameters={"type": "text"}), print)]},
        {"history": [calling(call("a"))]},
        {"max_steps": "8"},
        {"max_steps": True},
        {"tools": None},
        {"tools": [temp]},
        {"tools": "temp"},
        {"tools": iter(TOOLS)},
        {"history": None},
        {"history": ["before"]},
        {"system": 3},
        {"counter": "gpt2"},
        {"format": "text"},
        {"policy": ["temp"]},
        {"guards": {"timeout": 3}},
        {"watch": []},
    ],
)
def test_a_bad_argument_is_refused_at_once(options):
    with pytest.raises(InputError):
        run(ScriptedModel("m", [ANSWER]), "q", **options)


@pytest.mark.parametrize(
    ("model", "user_input"), [(None, "q"), (object(), "q"), (ScriptedModel("m", []), None)]
)
def test_without_a_model_or_a_question_there_is_no_run(model, user_input):
    with pytest.raises(InputError):
        run(model, user_input)


def shrug(name, arguments):
    raise LookupError(name, arguments)


ids = st.sampled_from(["", "a", "b", "call_1_2", "\ud800"])
good = st.sampled_from(['{"city": "Oslo"}', '{"how": "key"}', '{"how": "exit"}', '{"how": "mute"}'])
json_texts = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
).map(json.dumps)
cut_texts = st.builds(lambda text, end: text[:end], good | json_texts, st.integers(0, 20))
literals = st.sampled_from(
    ["{'city': 'Oslo'}", "```json\n{}\n```", '{"city": "a", "city": "b"}', '{"city": NaN}']
)
any_calls = st.builds(
    ToolCall,
    id=ids,
    name=st.sampled_from(["temp", "broken", "refuse", "Temp", ""]) | st.text(max_size=4),
    arguments=good | json_texts | cut_texts | literals | st.text(max_size=8),
)
any_replies = st.builds(
    Reply,
    message=st.builds(
        AssistantMessage,
        content=st.sampled_from(["", "Text."]),
        thinking=st.none() | st.just("Hm."),
        tool_calls=st.lists(any_calls, min_size=1, max_size=3).map(tuple),
    ),
    finish_reason=st.sampled_from(["tool_calls", "length", None]),
)
scripts = st.lists(any_replies, max_size=3)
limits = st.fixed_dictionaries(
    {
        "policy": st.sampled_from([None, allow_only("temp"), shrug]),
        "repair": st.booleans(),
        "guards": st.builds(
            Guards, repeats=st.sampled_from([None, 2]), result_chars=st.sampled_from([None, 1])
        ),
    }
)


@settings(deadline=None, max_examples=100)
@given(script=scripts, limits=limits)
def test_a_hundred_broken_runs_raise_nothing_and_every_call_gets_exactly_one_result(script, limits):
    steps = steps_of(*script, ANSWER, **limits)

    trace = record(steps, title="t", source="scripted")
    assert trace.stop_reason == "answer"
    assert check_pairing(trace.messages) == []
    asked = [
        call.id for message in trace.messages if message.role == "assistant" for call in message.tool_calls
    ]
    assert [result.tool_call_id for result in results(steps)] == asked
    assert len(asked) == sum(len(reply.message.tool_calls) for reply in script)


@settings(deadline=None, max_examples=60)
@given(script=scripts)
def test_a_trace_survives_being_written_and_read(script):
    steps = run(ScriptedModel("m", [*script, ANSWER]), "q", TOOLS, counter=TokenCounter(ToyTokenizer()))
    trace = record(steps, title="t", source="scripted", tools=[tool.schema for tool in TOOLS])

    assert Trace.model_validate_json(trace.model_dump_json()) == trace


def test_a_trace_keeps_the_history_that_was_there_before():
    history = (UserMessage(content="before"), AssistantMessage(content="then"))
    steps = run(ScriptedModel("m", [ANSWER]), "q", history=history)

    trace = record(steps, title="t", source="scripted", history=history)

    assert trace.messages == (*history, UserMessage(content="q"), ANSWER)


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ([ANSWER], "answer"),
        ([calling(call("a"))], "step budget exhausted"),
        (
            [],
            "The scripted model 'm' has only 0 replies and was called once more. Add a reply, or lower the "
            "number of steps.",
        ),
    ],
)
def test_a_trace_says_why_the_run_ended(replies, reason):
    assert record(steps_of(*replies, max_steps=1), title="t", source="scripted").stop_reason == reason


def test_a_trace_of_a_run_that_was_left_says_so():
    steps = steps_of(ANSWER)

    assert record(steps[:2], title="t", source="live").stop_reason == "not finished"


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


def test_what_is_no_run_cannot_be_recorded():
    with pytest.raises(InputError, match="A run to record"):
        record(None, title="t", source="live")
