"""Prompt-ToolLoop: which steps a run has, on which lines, and what it leaves in the history."""

from core.agent import run
from core.context import TokenCounter, assemble
from core.messages import (
    AssistantMessage,
    SystemMessage,
    UserMessage,
)
from core.trace import StepKind
from tests.core.agent.looping import ANSWER, TOOLS, Spy, call, calling, lines, steps_of
from tests.core.context.toy import ToyTokenizer


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


def test_nothing_runs_before_the_next_step_is_asked_for():
    model = Spy(ANSWER)
    steps = run(model, "q")

    next(steps)

    assert model.sent == []
