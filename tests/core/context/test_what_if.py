"""A run under other conditions, checked by hand on five messages.

With the toy tokenizer a ChatML message has five tokens beside its content, the opening of the answer three, a
call of `f` with no arguments 30 in all, and a result 14 beside its content. So the five messages below take
7 + 6 + 30 + 24 + 6 and the opening 3: 76 tokens.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.context import Strategy, Supposition, TokenCounter, assemble, run_budget, suppose
from core.context.writer import ContextWriter
from core.errors import InputError
from core.lm import load_tokenizer
from core.messages import (
    AssistantMessage,
    Part,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    render,
)
from core.scenarios import trace as bundled
from core.trace import ModelCall, Step, StepKind, Trace
from tests.core.context.toy import ToyTokenizer
from tests.core.messages.conversations import any_conversations, sound_conversations

CALL = AssistantMessage(tool_calls=(ToolCall(id="t1", name="f", arguments="{}"),))
RESULT = ToolResultMessage(tool_call_id="t1", content="a b c d e f g h i j")
OK = AssistantMessage(content="ok")


def run_of(*messages, system="a b", tools=()):
    """A run that makes a call for each assistant message."""
    steps = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            steps.append(Step(kind=StepKind.MODEL_CALL, turn=1, model_call=ModelCall(reply=message)))
        steps.append(Step(kind=StepKind.OBSERVATION, turn=1, appended=message))
    return Trace(title="t", source="imported", system=system, tools=tools, steps=tuple(steps))


FIVE = Trace(
    title="t",
    source="imported",
    system="a b",
    history=(UserMessage(content="c"), CALL, RESULT),
    steps=(
        Step(kind=StepKind.USER_INPUT, turn=0, appended=UserMessage(content="h")),
        Step(kind=StepKind.MODEL_CALL, turn=1, model_call=ModelCall(reply=OK)),
    ),
)


def of_five(strategy, **fields):
    chosen = Supposition.of(**{"window": 60, "strategy": strategy, "threshold": 100, "keep_last": 2} | fields)
    return suppose(FIVE, chosen, TokenCounter(ToyTokenizer())).outcomes[0]


def test_without_a_strategy_everything_is_sent_and_what_exceeds_the_window_is_told():
    left = of_five(Strategy.NONE)
    assert (left.whole, left.total, left.overflow, left.dropped) == (76, 76, 16, ())


def test_a_reserve_for_the_answer_makes_the_window_smaller():
    assert of_five(Strategy.NONE, reserve=20).overflow == 76 + 20 - 60


def test_ollama_keeps_the_system_prompt_and_leaves_a_result_without_its_call():
    left = of_five(Strategy.OLLAMA)
    assert (left.total, left.dropped) == (7 + 24 + 6 + 3, (1, 2))
    assert [(problem.kind, problem.index, problem.call_id) for problem in left.broken] == [
        ("no call", 3, "t1")
    ]
    assert [refusal.words for refusal in left.refusals] == [
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'."
    ]


def test_ollama_knows_of_no_reserve():
    assert of_five(Strategy.OLLAMA, window=76, reserve=50).dropped == ()


def test_what_ollama_cannot_make_fit_is_cut_to_half_of_the_window_and_two_tokens():
    long = run_of(UserMessage(content=" ".join("x" * 80)), OK)
    left = suppose(
        long, Supposition.of(window=64, strategy=Strategy.OLLAMA), TokenCounter(ToyTokenizer())
    ).outcomes[0]
    assert (left.cut_to, left.overflow) == (34, 0)


def test_dropping_the_oldest_drops_the_system_prompt_first():
    left = of_five(Strategy.OLDEST)
    assert (left.total, left.dropped) == (24 + 6 + 3, (0, 1, 2))
    assert len(left.broken) == 1


def test_dropping_whole_pairs_breaks_none():
    left = of_five(Strategy.BLOCKS)
    assert (left.total, left.dropped, left.broken) == (7 + 6 + 3, (1, 2, 3), ())


def test_compaction_puts_the_summary_in_the_place_of_what_it_drops():
    left = of_five(Strategy.COMPACT, summary="s")
    assert (left.total, left.dropped, left.broken) == (7 + 6 + 6 + 3, (1, 2, 3), ())


def test_what_falls_out_is_told_by_part():
    """The call is 16 tokens of JSON; the template has 14 around it, 14 around the result, 5 around `c`."""
    assert of_five(Strategy.BLOCKS).lost == {
        Part.USER: 1,
        Part.TOOL_CALL: 16,
        Part.TOOL_RESULT: 10,
        Part.TEMPLATE: 33,
    }


def test_a_result_that_nothing_has_answered_to_is_not_elided():
    assert of_five(Strategy.ELIDE).elided == ()


def test_a_used_result_is_replaced_by_ten_tokens():
    """23 words of result become the note's `[`, seven words, `.` and `]`."""
    long = RESULT.model_copy(update={"content": " ".join("abcdefghijklmnopqrstuvw")})
    run = run_of(UserMessage(content="c"), CALL, long, OK, UserMessage(content="h"), OK)
    chosen = Supposition.of(window=90, strategy=Strategy.ELIDE, threshold=100)
    left = suppose(run, chosen, TokenCounter(ToyTokenizer())).outcomes
    assert [(one.whole, one.total, one.elided) for one in left] == [
        (16, 16, ()),
        (16 + 30 + 37, 83, ()),
        (83 + 6 + 6, 83 + 12 - 13, (3,)),
    ]


def test_what_is_saved_is_what_all_calls_leave_out():
    counter = TokenCounter(ToyTokenizer())
    assert suppose(FIVE, Supposition.of(window=60, strategy=Strategy.BLOCKS), counter).saved == 60


def test_a_compaction_stays_so_the_next_call_begins_as_the_one_before():
    """Call 3 compacts; call 4 sends its summary again and fits, so it adds to what call 3 sent."""
    turns = [CALL, RESULT] * 3
    calls = [
        message.model_copy(update={"tool_calls": (message.tool_calls[0].model_copy(update={"id": f"t{n}"}),)})
        if isinstance(message, AssistantMessage)
        else message.model_copy(update={"tool_call_id": f"t{n}"})
        for n, message in ((index // 2, message) for index, message in enumerate(turns))
    ]
    chosen = Supposition.of(window=140, strategy=Strategy.COMPACT, threshold=80, keep_last=2, summary="s")
    outcome = suppose(run_of(UserMessage(content="c"), *calls, OK), chosen, TokenCounter(ToyTokenizer()))
    first, compacted = 7 + 6 + 3, 7 + 6 + 6 + 54 + 3
    assert [one.total for one in outcome.outcomes] == [first, first + 54, compacted, compacted]
    assert outcome.outcomes[3].dropped == (2, 3, 4, 5)


@pytest.mark.parametrize(
    ("clock", "part", "text"),
    [("head", Part.SYSTEM, "It is 10:00:00."), ("end", Part.USER, " It is 10:00:00.")],
)
def test_a_clock_is_told_apart_from_the_text_that_it_stands_in(clock, part, text):
    """`It`, `is`, three numbers, two colons and a stop."""
    (call,) = suppose(FIVE, Supposition.of(clock=clock), TokenCounter(ToyTokenizer())).calls
    (segment,) = [segment for segment in call.segments if segment.label == "clock"]
    assert (segment.part, segment.text, segment.tokens) == (part, text, 8)


def test_thoughts_that_are_sent_once_are_left_out_of_the_calls_after():
    """The thought has three words; it stands in call 2, whose reply it is, and no longer in call 3."""
    thinking = CALL.model_copy(update={"content": "so I ask"})
    run = run_of(UserMessage(content="c"), thinking, RESULT, OK, UserMessage(content="h"), OK)
    counter = TokenCounter(ToyTokenizer())
    left = suppose(run, Supposition.of(drop_thoughts=True), counter)
    as_it_was = suppose(run, Supposition.of(window=8192), counter)
    assert [one.whole for one in left.outcomes] == [one.total for one in as_it_was.outcomes]
    assert [one.lost.get(Part.ASSISTANT, 0) for one in left.outcomes] == [0, 0, 3]
    assert left.saved == left.outcomes[2].thoughts >= 3


def test_fewer_tools_are_advertised():
    tools = (ToolSchema(name="f"), ToolSchema(name="g"))
    run = run_of(UserMessage(content="c"), OK, tools=tools)
    counter = TokenCounter(ToyTokenizer())
    sent = suppose(run, Supposition.of(tools=1), counter).calls[0].segments
    assert sent == assemble((SystemMessage(content="a b"), UserMessage(content="c")), tools[:1], counter)


def test_a_run_as_it_was_is_counted_as_it_was():
    counter = TokenCounter(load_tokenizer())
    run = bundled("parallel", counter)
    assert suppose(run, Supposition.of(window=8192), counter).budget == run_budget(run)


def test_a_run_whose_calls_were_sent_as_text_is_declined():
    counter = TokenCounter(load_tokenizer())
    with pytest.raises(InputError, match="native tool calling"):
        suppose(bundled("text", counter), Supposition.of(window=8192), counter)


def test_counting_needs_a_tokenizer():
    with pytest.raises(InputError, match="tokenizer"):
        suppose(FIVE, Supposition.of(window=100), TokenCounter(None))


@pytest.mark.parametrize(
    "fields",
    [
        {"window": 31},
        {"window": 2_000_000},
        {"window": "many"},
        {"window": 100, "reserve": 100},
        {"window": 100, "reserve": -1},
        {"strategy": Strategy.COMPACT},
        {"strategy": "forget"},
        {"tools": -1},
        {"window": 100, "threshold": 0},
        {"window": 100, "keep_last": -1},
        {"colour": "red"},
    ],
)
def test_what_makes_no_sense_cannot_be_supposed(fields):
    with pytest.raises(InputError):
        Supposition.of(**fields)


strategies = st.sampled_from(list(Strategy))


@settings(max_examples=60, deadline=None)
@given(sound_conversations(), strategies, st.integers(64, 300), st.integers(0, 60), st.integers(0, 6))
def test_the_parts_of_every_call_add_up(conversation, strategy, window, reserve, keep_last):
    system, *rest = conversation
    run = run_of(*rest, system=system.content)
    chosen = Supposition.of(window=window, reserve=reserve, strategy=strategy, keep_last=keep_last)
    supposed = suppose(run, chosen, TokenCounter(ToyTokenizer()))
    for call, counted, one in zip(supposed.calls, supposed.budget.calls, supposed.outcomes, strict=True):
        assert sum(segment.tokens for segment in call.segments) == one.total == counted.total
        assert one.whole - sum(one.lost.values()) + sum(one.added.values()) == one.total


@settings(max_examples=60, deadline=None)
@given(sound_conversations(), st.integers(64, 300), st.integers(0, 6))
def test_compaction_parts_no_call_from_its_result(conversation, window, keep_last):
    system, *rest = conversation
    chosen = Supposition.of(window=window, strategy=Strategy.COMPACT, keep_last=keep_last)
    supposed = suppose(run_of(*rest, system=system.content), chosen, TokenCounter(ToyTokenizer()))
    assert [one.broken for one in supposed.outcomes] == [()] * len(supposed.outcomes)


@settings(max_examples=100, deadline=None)
@given(any_conversations, st.booleans(), st.sampled_from(["chatml", "qwen2.5"]))
def test_a_context_that_is_put_together_from_turns_is_the_one_that_the_template_writes(
    conversation, with_tools, template
):
    tools = [ToolSchema(name="f", description="d")] if with_tools else []
    counter = TokenCounter(load_tokenizer(), template)
    writer = ContextWriter(counter)
    sources = list(enumerate(conversation))
    whole = assemble(conversation, tools, counter)
    assert writer.context(sources, tools) == whole
    assert writer.tokens(conversation, tools) == sum(segment.tokens for segment in whole)
    assert "".join(segment.text for segment in whole) == render(conversation, tools, template).text


@pytest.mark.parametrize("strategy", list(Strategy))
def test_what_fits_is_sent_whole_schemas_calls_and_results_counted(strategy):
    """A long result is no reason to drop it: 900 words fit into 4,096 tokens with all else."""
    tools = (ToolSchema(name="f", description=" ".join(["word"] * 500)),)
    long = RESULT.model_copy(update={"content": " ".join(["word"] * 900)})
    run = run_of(UserMessage(content="c"), CALL, long, OK, tools=tools)
    chosen = Supposition.of(window=4096, strategy=strategy)
    last = suppose(run, chosen, TokenCounter(ToyTokenizer())).outcomes[-1]
    assert last.total > 500 + 900 + 30
    assert (last.dropped, last.elided, last.overflow) == ((), (), 0)
