"""What a run sends, sends again, and has left."""

import pytest

from core.context import TokenCounter, assemble, run_budget
from core.context.tally import shared_prefix
from core.messages import AssistantMessage, Message, Part, SystemMessage, ToolSchema, UserMessage
from core.trace import ModelCall, Segment, Step, StepKind, Trace
from tests.core.context.toy import ToyTokenizer

REPLY = AssistantMessage(content="ok")


def segment(part, *token_ids):
    return Segment(part=part, text="x", token_ids=token_ids, tokens=len(token_ids))


def trace_of(*calls):
    steps = [Step(kind=StepKind.MODEL_CALL, turn=turn, model_call=call) for turn, call in enumerate(calls, 1)]
    return Trace(title="t", source="imported", steps=tuple(steps))


def call(*segments, window=None):
    return ModelCall(segments=segments, window=window, reply=REPLY)


FIRST = call(segment(Part.SYSTEM, 1, 2), segment(Part.USER, 3), window=10)
SECOND = call(
    segment(Part.SYSTEM, 1, 2),
    segment(Part.USER, 3),
    segment(Part.ASSISTANT, 4, 5),
    segment(Part.USER, 6),
    window=10,
)
UNCOUNTED = call(Segment(part=Part.USER, text="x"))


def test_a_call_is_counted_by_part():
    assert run_budget(trace_of(SECOND)).calls[0].parts == {Part.SYSTEM: 2, Part.USER: 2, Part.ASSISTANT: 2}


def test_a_total_is_measured_against_the_window():
    first = run_budget(trace_of(FIRST)).calls[0]

    assert (first.total, first.window, first.free, first.over) == (3, 10, 7, False)


@pytest.mark.parametrize(("window", "free", "over"), [(3, 0, False), (2, -1, True)])
def test_a_context_is_over_the_window_only_when_it_is_larger(window, free, over):
    budget = run_budget(trace_of(FIRST.model_copy(update={"window": window}))).calls[0]

    assert (budget.free, budget.over) == (free, over)


def test_in_the_first_call_everything_is_new():
    first = run_budget(trace_of(FIRST)).calls[0]

    assert (first.resent, first.new, first.new_parts) == (0, 3, {Part.SYSTEM: 2, Part.USER: 1})


def test_the_prefix_of_the_call_before_is_sent_again():
    second = run_budget(trace_of(FIRST, SECOND)).calls[1]

    assert (second.resent, second.new) == (3, 3)
    assert second.new_parts == {Part.SYSTEM: 0, Part.USER: 1, Part.ASSISTANT: 2}


def test_behind_the_first_difference_everything_is_new():
    changed = call(segment(Part.SYSTEM, 1, 9), segment(Part.USER, 3))

    assert run_budget(trace_of(FIRST, changed)).calls[1].resent == 1


def test_a_run_adds_up_what_its_calls_send():
    budget = run_budget(trace_of(FIRST, SECOND))

    assert (budget.sent, budget.unique, budget.resent, budget.window) == (9, 6, 3, 10)


def test_what_is_not_counted_stays_unknown():
    budget = run_budget(trace_of(FIRST, UNCOUNTED))

    unknown = budget.calls[1]
    assert (unknown.parts, unknown.total, unknown.free, unknown.over) == ({}, None, None, None)
    assert (unknown.resent, unknown.new, unknown.new_parts) == (None, None, None)
    assert (budget.sent, budget.unique, budget.resent) == (None, None, None)


def test_counts_without_tokens_give_a_total_but_no_prefix():
    estimated = call(Segment(part=Part.USER, text="x", tokens=5))

    budget = run_budget(trace_of(estimated)).calls[0]
    assert (budget.total, budget.resent) == (5, None)


def test_a_call_without_segments_is_unknown():
    assert run_budget(trace_of(ModelCall(reply=REPLY))).calls[0].total is None


def test_a_run_without_calls_sent_nothing():
    assert run_budget(trace_of()).sent == 0


def contexts(first, second):
    """The budget of the second of two calls, each given as messages and tools."""
    counter = TokenCounter(ToyTokenizer())
    return run_budget(trace_of(*(call(*assemble(*context, counter)) for context in (first, second)))).calls[1]


def conversation(system: str, *later: Message) -> list[Message]:
    return [SystemMessage(content=system), UserMessage(content="q"), *later]


MORE = (AssistantMessage(content="a"), UserMessage(content="next"))


def test_a_time_at_the_head_of_the_system_prompt_loses_the_prefix():
    second = contexts(
        (conversation("Time 1 You are helpful"), []), (conversation("Time 2 You are helpful", *MORE), [])
    )

    assert second.resent == 4  # <|im_start|> system \n Time


def test_a_time_in_the_newest_message_does_no_harm():
    later = (AssistantMessage(content="a"), UserMessage(content="Time 2 next"))

    second = contexts((conversation("You are helpful"), []), (conversation("You are helpful", *later), []))

    assert second.new_parts[Part.SYSTEM] == 0


def test_another_order_of_the_tools_ends_the_prefix_inside_the_tools():
    search, calc = ToolSchema(name="search"), ToolSchema(name="calc")

    second = contexts((conversation("S"), [search, calc]), (conversation("S"), [calc, search]))

    assert second.new_parts[Part.SYSTEM] == 0
    assert 0 < second.new_parts[Part.TOOLS] < second.parts[Part.TOOLS]
    assert second.new_parts[Part.USER] == second.parts[Part.USER]


@pytest.mark.parametrize(("first", "second", "shared"), [([], [], 0), ([1, 2], [1, 2, 3], 2), ([1], [2], 0)])
def test_a_prefix_ends_at_the_first_difference(first, second, shared):
    assert shared_prefix(first, second) == shared
