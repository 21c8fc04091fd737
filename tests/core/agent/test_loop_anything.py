"""Whatever a model says, the loop goes on and every call has its result."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import Guards, allow_only, record, run
from core.context import TokenCounter
from core.lm.chat import Reply
from core.lm.scripted import ScriptedModel
from core.messages import (
    AssistantMessage,
    ToolCall,
    check_pairing,
)
from core.trace import Trace
from tests.core.agent.looping import ANSWER, TOOLS, results, steps_of
from tests.core.context.toy import ToyTokenizer


def shrug(name, arguments):
    raise LookupError(name, arguments)


ids = st.sampled_from(["", "a", "b", "call_1", "\ud800"])
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
