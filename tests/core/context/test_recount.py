"""What the calls of a run would have sent, where its file does not tell."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.context import TokenCounter, assemble
from core.context.recount import MOST_CALLS, MOST_CHARACTERS, recounted
from core.errors import InputError
from core.lm import load_tokenizer
from core.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)
from core.scenarios import trace as bundled
from core.trace import ModelCall, Step, StepKind, Trace

COUNTER = TokenCounter(load_tokenizer())
K = StepKind
TEXT = st.text("ab \n<|im_end>é", max_size=12)
TOOLS = (ToolSchema(name="look", description="Look at\n\nit."),)


def run_of(messages, system="Be brief.", tools=None):
    """A trace as a reader of files makes it: a model call before each reply, and not what it sent."""
    steps = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            steps.append(Step(kind=K.MODEL_CALL, turn=1, model_call=ModelCall(reply=message)))
        steps.append(Step(kind=K.OBSERVATION, turn=1, appended=message))
    return Trace(title="t", source="imported", system=system, tools=tools, steps=tuple(steps))


def calling(number, ids):
    calls = tuple(ToolCall(id=f"{id}{number}", name="look", arguments='{"at": 1}') for id in ids)
    return AssistantMessage(content=f"\nThought {number}", tool_calls=calls)


def conversation(turns):
    messages = [UserMessage(content=turns[0][0])]
    for number, (text, ids) in enumerate(turns):
        messages.append(calling(number, ids))
        messages += [ToolResultMessage(tool_call_id=f"{id}{number}", content=text) for id in ids]
        if not ids:
            messages.append(UserMessage(content=text))
    return [*messages, AssistantMessage(content="\nDone.")]


@settings(deadline=None, max_examples=25)
@given(
    turns=st.lists(st.tuples(TEXT, st.sampled_from([(), ("a",), ("a", "b")])), min_size=1, max_size=3),
    system=st.none() | TEXT,
    tools=st.sampled_from([None, TOOLS]),
)
def test_each_call_sends_what_assembling_its_own_messages_gives(turns, system, tools):
    messages = conversation(turns)
    head = [] if system is None else [SystemMessage(content=system)]
    replies = [index for index, message in enumerate(messages) if isinstance(message, AssistantMessage)]

    calls = recounted(run_of(messages, system, tools), COUNTER).calls

    assert [call.segments for call in calls] == [
        assemble([*head, *messages[:index]], tools or (), COUNTER) for index in replies
    ]


def test_the_counts_are_an_estimate_and_say_by_what():
    counting = recounted(run_of(conversation([("Hi", ())])), COUNTER).calls[0].counting

    assert (counting.method, counting.tokenizer, counting.template) == (
        "estimate",
        load_tokenizer().name,
        "chatml",
    )


def test_calls_share_their_segments_so_that_a_long_run_takes_no_more_than_its_last_call():
    first, second, *_ = recounted(run_of(conversation([("Hi", ("a",)), ("Ho", ("b",))])), COUNTER).calls

    assert all(one is other for one, other in zip(first.segments[:-1], second.segments, strict=False))


def test_what_is_known_stays_as_it_is():
    known = bundled("parallel", COUNTER)

    assert recounted(known, COUNTER) is known


def test_calls_that_were_read_before_do_not_stay():
    trace = run_of(conversation([("Hi", ())]))
    assert trace.calls[0].segments is None

    assert recounted(trace, COUNTER).calls[0].segments is not None


def test_a_run_without_calls_has_nothing_to_count():
    trace = run_of([UserMessage(content="Hi")])

    assert recounted(trace, COUNTER) == trace


@pytest.mark.parametrize(
    ("messages", "sentence"),
    [
        ([AssistantMessage(content="a")] * (MOST_CALLS + 1), "The run has 1,001 calls; at most 1,000"),
        (
            [UserMessage(content="a" * (MOST_CHARACTERS + 1)), AssistantMessage(content="b")],
            "at most 2,000,000 are counted",
        ),
    ],
    ids=["calls", "characters"],
)
def test_a_run_that_nobody_would_wait_for_is_refused_in_a_sentence(messages, sentence):
    with pytest.raises(InputError, match=sentence):
        recounted(run_of(messages), COUNTER)


def test_only_a_trace_can_be_counted():
    with pytest.raises(InputError, match="Only a Trace can be counted, not list"):
        recounted([], COUNTER)


def test_a_call_before_any_message_stays_unknown_as_its_file_has_left_out_what_it_sent():
    first, second = recounted(run_of([calling(0, ("a",)), AssistantMessage(content="b")]), COUNTER).calls

    assert (first.segments, first.counting.method) == (None, "unknown")
    assert second.counting.method == "estimate"
