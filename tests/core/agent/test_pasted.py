"""A call in anybody's form."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.execution import CUT_OFF
from core.agent.pasted import read_call
from core.errors import InputError

CHAT = {"id": "c9", "type": "function", "function": {"name": "now", "arguments": '{"city": "Oslo"}'}}
OLLAMA = {"function": {"name": "now", "arguments": {"city": "Oslo"}}}
ANTHROPIC = {"type": "tool_use", "id": "c9", "name": "now", "input": {"city": "Oslo"}}
RESPONSES = {"type": "function_call", "call_id": "c9", "name": "now", "arguments": '{"city": "Oslo"}'}


def reply(**changes: object) -> dict:
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [CHAT]}, **changes}]}


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (CHAT, "OpenAI chat"),
        ({"role": "assistant", "tool_calls": [CHAT]}, "OpenAI chat"),
        ([CHAT], "OpenAI chat"),
        (reply(), "OpenAI chat"),
        (OLLAMA, "Ollama"),
        ({"message": {"role": "assistant", "content": "", "tool_calls": [OLLAMA]}, "done": True}, "Ollama"),
        (ANTHROPIC, "Anthropic"),
        ({"role": "assistant", "content": [{"type": "text", "text": "hm"}, ANTHROPIC]}, "Anthropic"),
        ([{"type": "text", "text": "hm"}, ANTHROPIC], "Anthropic"),
        (RESPONSES, "OpenAI Responses"),
        ({"output": [RESPONSES]}, "OpenAI Responses"),
        ([RESPONSES], "OpenAI Responses"),
        ({"name": "now", "arguments": {"city": "Oslo"}}, "a model writes it"),
        ({"name": "now", "parameters": {"city": "Oslo"}}, "a model writes it"),
    ],
)
def test_a_whole_call_is_read_in_the_form_that_it_has(value, form):
    pasted = read_call(json.dumps(value), "other")
    assert form in pasted.form
    assert (pasted.call.name, json.loads(pasted.call.arguments)) == ("now", {"city": "Oslo"})


@pytest.mark.parametrize("text", ["<tool_call>\n{}\n</tool_call>", "```json\n{}\n```"])
def test_tags_and_fences_around_a_whole_call_are_taken_off(text):
    call = '{"name": "now", "arguments": {}}'
    assert read_call(text.replace("{}", call), "other").call.name == "now"


@pytest.mark.parametrize(
    "text", ["", "{}", '{"city": "Oslo"}', '{"name": "Oslo"}', '{"a": ', "not json", "[1]", "7", '{"a": NaN}']
)
def test_everything_else_is_the_arguments_of_the_tool_unchanged(text):
    pasted = read_call(text, "now")
    assert (pasted.call.name, pasted.call.arguments) == ("now", text)


def test_the_id_of_a_call_is_kept():
    assert read_call(json.dumps(ANTHROPIC), "x").call.id == "c9"


def test_of_several_calls_the_first_is_read_and_the_others_are_counted():
    pasted = read_call(json.dumps({"tool_calls": [CHAT, CHAT, CHAT]}), "x")
    assert (pasted.call.name, pasted.others) == ("now", 2)


@pytest.mark.parametrize(
    "value",
    [
        reply(finish_reason="length"),
        {"role": "assistant", "stop_reason": "max_tokens", "content": [ANTHROPIC]},
        {"status": "incomplete", "output": [RESPONSES]},
        {"done_reason": "length", "message": {"role": "assistant", "content": "", "tool_calls": [OLLAMA]}},
    ],
)
def test_a_reply_that_says_it_was_cut_off_is_not_even_checked(value):
    assert read_call(json.dumps(value), "x").refused == CUT_OFF


def test_a_reply_that_ended_by_itself_is_checked():
    assert read_call(json.dumps(reply(finish_reason="tool_calls")), "x").refused == ""


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"name": "now", "arguments": {"city": "Os', "as a model writes it"),
        ('<tool_call>\n{"name": "now", "arguments": {"ci', "as a model writes it"),
        (json.dumps(reply())[:-20], "OpenAI chat"),
        (json.dumps(ANTHROPIC)[:-3], "Anthropic"),
        ('{"name": "now", "arguments": {"t": NaN}}', "as a model writes it"),
    ],
)
def test_a_whole_call_that_is_no_json_is_known_as_one_and_not_run(text, form):
    pasted = read_call(text, "other")
    assert (pasted.is_broken, pasted.call.name) == (True, "now")
    assert form in pasted.form
    assert pasted.refused.startswith("invalid JSON in the call: ")


@pytest.mark.parametrize("text", ['{"city": "Os', '{"name": "Ada"', "{'name': 'now'}", ""])
def test_what_may_be_arguments_stays_arguments(text):
    assert read_call(text, "other").form == "the arguments of other"


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(InputError, match="at most 8,000"):
        read_call("x" * 8_001, "now")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "function",
                    "name",
                    "arguments",
                    "content",
                    "choices",
                    "message",
                    "output",
                    "tool_calls",
                ]
            ),
            inner | st.sampled_from(["function", "function_call", "tool_use", "assistant"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_gives_a_call_or_an_input_error(value):
    with suppress(InputError):
        assert read_call(json.dumps(value), "now").call.id


def test_half_a_surrogate_pair_becomes_a_sign_that_can_be_sent():
    assert read_call("\ud800", "now").call.arguments == "�"
