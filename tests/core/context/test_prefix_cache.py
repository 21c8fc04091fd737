"""What a prefix cache finds, with contexts whose tokens are counted by hand or by their texts."""

import pytest

from core.context import Supposition, TokenCounter, assemble, suppose
from core.context.prefix_cache import CachedCall, Server, bill, cached_calls
from core.errors import InputError
from core.messages import (
    AssistantMessage,
    Part,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)
from core.trace import ModelCall, Segment, Step, StepKind, Trace
from tests.core.context.toy import ToyTokenizer

OK = AssistantMessage(content="ok")
SEARCH = ToolSchema(
    name="search", parameters={"type": "object", "properties": {"q": {"type": "string"}, "n": {}}}
)
CALC = ToolSchema(name="calc")
LONG = " ".join(["word"] * 195)


def sent(*tokens, part=Part.USER):
    return ModelCall(segments=(Segment(part=part, text="x", token_ids=tokens, tokens=len(tokens)),), reply=OK)


def written(messages, tools=(), tokenizer=None):
    counter = TokenCounter(tokenizer or ToyTokenizer())
    return ModelCall(segments=assemble(messages, tools, counter), reply=OK)


def two(first, second):
    """The second of two calls, which one tokenizer has written."""
    tokenizer = ToyTokenizer()
    calls = [written(*first, tokenizer=tokenizer), written(*second, tokenizer=tokenizer)]
    return cached_calls(calls, Server())[1]


def turns(time1, time2, at_the_end):
    """200 tokens of system prompt, a question, an answer and another question."""
    now = [time1, time2] if not at_the_end else ["", ""]
    end = ["", ""] if not at_the_end else [time1, time2]
    say = "the first question"
    return (
        ([SystemMessage(content=now[0] + LONG), UserMessage(content=say + end[0])],),
        (
            [
                SystemMessage(content=now[1] + LONG),
                UserMessage(content=say),
                OK,
                UserMessage(content="and" + end[1]),
            ],
        ),
    )


def test_in_the_first_call_everything_is_read():
    assert cached_calls([sent(1, 2, 3)], Server()) == (CachedCall(total=3, shared=0, cached=0, read=3),)


def test_a_call_that_adds_to_the_one_before_reads_what_it_adds():
    assert cached_calls([sent(1, 2, 3), sent(1, 2, 3, 4, 5)], Server())[1] == CachedCall(
        total=5, shared=3, cached=3, read=2
    )


def test_only_whole_blocks_are_cached():
    call = cached_calls([sent(*range(300)), sent(*range(310))], Server(block=128))[1]
    assert (call.shared, call.cached, call.read) == (300, 256, 54)


@pytest.mark.parametrize(("shared", "cached"), [(1023, 0), (1024, 1024), (1200, 1152)])
def test_a_short_prompt_is_not_cached_at_all(shared, cached):
    call = cached_calls([sent(*range(shared)), sent(*range(1300))], Server(block=128, minimum=1024))[1]
    assert call.cached == cached


def test_a_clock_at_the_head_loses_all_but_the_tokens_before_it():
    """`<|im_start|>`, `system`, the new line, `Time 10:00:01` up to its last number: 3 + 5."""
    call = two(*turns("Time 10:00:01. ", "Time 10:00:09. ", at_the_end=False))
    assert call.shared == 3 + len(["Time", "10", ":", "00", ":"])
    assert call.divergence.part is Part.SYSTEM
    assert call.divergence.was.startswith("1. word")
    assert call.divergence.now.startswith("9. word")


def test_a_clock_at_the_end_loses_what_follows_it():
    """System prompt 200 and the question up to its clock: 3 of the turn's opening and 3 words."""
    call = two(*turns(" at 10:00:01", " at 10:00:09", at_the_end=True))
    assert call.shared == 200 + 3 + 3


@pytest.mark.parametrize(
    "changed",
    [
        (CALC, SEARCH),
        (
            SEARCH.model_copy(
                update={"parameters": {"type": "object", "properties": {"n": {}, "q": {"type": "string"}}}}
            ),
            CALC,
        ),
    ],
    ids=["other order of tools", "other order of keys"],
)
def test_tools_in_another_order_lose_the_cache_inside_the_tools(changed):
    messages = [SystemMessage(content="a b"), UserMessage(content="c")]
    call = two((messages, (SEARCH, CALC)), (messages, changed))
    assert call.divergence.part is Part.TOOLS


def run_with_a_thought():
    call = AssistantMessage(content="I look.", tool_calls=(ToolCall(id="1", name="f", arguments="{}"),))
    again = call.model_copy(update={"tool_calls": (ToolCall(id="2", name="f", arguments="{}"),)})
    steps = []
    for message in (
        UserMessage(content="c"),
        call,
        ToolResultMessage(tool_call_id="1", content="r"),
        again,
        ToolResultMessage(tool_call_id="2", content="r"),
        OK,
    ):
        if isinstance(message, AssistantMessage):
            steps.append(Step(kind=StepKind.MODEL_CALL, turn=1, model_call=ModelCall(reply=message)))
        steps.append(Step(kind=StepKind.OBSERVATION, turn=1, appended=message))
    return Trace(title="t", source="imported", system="a b", tools=(SEARCH, CALC), steps=tuple(steps))


def supposed(**fields):
    counter = TokenCounter(ToyTokenizer())
    return cached_calls(suppose(run_with_a_thought(), Supposition.of(**fields), counter).calls, Server())


def test_a_run_as_it_is_only_adds():
    assert [call.divergence for call in supposed()] == [None, None, None]


def test_a_thought_that_is_left_out_later_loses_the_cache_in_its_own_message():
    *_, third = supposed(drop_thoughts=True)
    assert (third.divergence.message, third.divergence.was[:7]) == (2, "I look.")


def test_a_clock_at_the_head_of_the_system_prompt_can_be_supposed():
    parted = [call.divergence for call in supposed(clock="head")[1:]]
    assert [(one.part, one.label) for one in parted] == [(Part.SYSTEM, "clock")] * 2


def test_a_clock_at_the_end_of_the_last_message_can_be_supposed():
    """The next call has the template's own text where the clock was, but it is the clock that is gone."""
    parted = [call.divergence for call in supposed(clock="end")[1:]]
    assert [(one.part, one.label, one.message) for one in parted] == [
        (Part.USER, "clock", 1),
        (Part.TOOL_RESULT, "clock", 3),
    ]


def test_reordered_tools_can_be_supposed():
    assert [call.divergence.part for call in supposed(reorder_tools=True)[1:]] == [Part.TOOLS] * 2


def test_the_bill_is_that_of_the_prices_and_the_speed_that_were_entered():
    """600 read and 400 cached at 2 and 0.5 a million; at 100 tokens a second."""
    calls = [CachedCall(total=1000, shared=400, cached=400, read=600)]
    paid = bill(calls, Server(price=2, cached_price=0.5, speed=100))
    assert paid.cost == pytest.approx(0.0014)
    assert paid.cost_uncached == pytest.approx(0.002)
    assert (paid.seconds, paid.seconds_uncached) == (6, 10)


def test_one_price_makes_no_comparison():
    calls = [CachedCall(total=1000, shared=400, cached=400, read=600)]
    paid = bill(calls, Server(price=2))
    assert (paid.cost, paid.cost_uncached) == (None, pytest.approx(0.002))


def test_without_prices_there_is_no_bill():
    assert bill([], Server()).model_dump() == dict.fromkeys(
        ("cost", "cost_uncached", "seconds", "seconds_uncached")
    )


@pytest.mark.parametrize("server", [Server(block=0), Server(minimum=-1)])
def test_a_cache_that_makes_no_sense_is_declined(server):
    with pytest.raises(InputError):
        cached_calls([sent(1)], server)


@pytest.mark.parametrize("server", [Server(price=-1), Server(cached_price=-1), Server(speed=0)])
def test_a_bill_that_makes_no_sense_is_declined(server):
    with pytest.raises(InputError):
        bill([], server)


def test_unknown_tokens_cannot_be_compared():
    with pytest.raises(InputError, match="not known"):
        cached_calls([ModelCall(reply=OK)], Server())
