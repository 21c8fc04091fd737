"""Tool calls in Hermes's form: what the grammar admits, and what is read back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llguidance import LLMatcher, LLTokenizer

from core.agent.hermes import Thought, call_grammar, read_calls
from core.lm import load_tokenizer
from core.messages import render
from core.messages.types import AssistantMessage, ToolCall, ToolSchema, UserMessage

WEATHER = ToolSchema(
    name="weather",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"$ref": "#/$defs/Unit"}},
        "required": ["city", "unit"],
        "additionalProperties": False,
        "$defs": {"Unit": {"enum": ["C", "F"]}},
    },
)
ODD = ToolSchema(name='a"b\\ü')
CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "unit": "C"}}\n</tool_call>'
ODD_CALL = '<tool_call>\n{"name": "a\\"b\\\\ü", "arguments": {}}\n</tool_call>'


@pytest.fixture(scope="module")
def vocabulary() -> LLTokenizer:
    return LLTokenizer(load_tokenizer().json, eos_token=2)


def admits(grammar: str, text: str, vocabulary: LLTokenizer) -> bool:
    matcher = LLMatcher(vocabulary, LLMatcher.grammar_from_lark(grammar))
    assert not matcher.get_error()
    tokens = load_tokenizer().encode(text, special=False)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


@pytest.mark.parametrize("text", [CALL, ODD_CALL])
def test_a_call_of_each_tool_is_admitted(vocabulary: LLTokenizer, text: str) -> None:
    assert admits(call_grammar([WEATHER, ODD], call=True, text=False), text, vocabulary)


@pytest.mark.parametrize(
    "text",
    [
        "It is cold.",
        CALL.replace("weather", "forecast"),
        CALL.replace('"C"', '"K"'),
        CALL.replace(', "unit": "C"', ""),
        CALL.replace("Oslo", "Oslo\n"),
        CALL + CALL,
        CALL[:-1],
    ],
)
def test_nothing_else_is(vocabulary: LLTokenizer, text: str) -> None:
    assert not admits(call_grammar([WEATHER, ODD], call=True, text=False), text, vocabulary)


def test_the_admitted_form_is_the_templates() -> None:
    call = ToolCall(id="c", name="weather", arguments='{"city": "Oslo", "unit": "C"}')
    written = render([UserMessage(content="?"), AssistantMessage(tool_calls=(call,))], (), "chatml").text
    assert CALL in written


@pytest.mark.parametrize(("call", "text"), [(True, True), (False, True)])
def test_text_is_admitted_where_it_is_wanted(vocabulary: LLTokenizer, call: bool, text: bool) -> None:
    assert admits(call_grammar([WEATHER], call, text), "It is\n\ncold < 5 °C.", vocabulary)


def test_either_admits_a_call_too(vocabulary: LLTokenizer) -> None:
    assert admits(call_grammar([WEATHER], call=True, text=True), CALL, vocabulary)


THOUGHT = "Oslo had 3.5 degrees, so I look.\n"


@pytest.mark.parametrize(
    ("thought", "alone", "with_thought"), [("none", True, False), ("may", True, True), ("must", False, True)]
)
@pytest.mark.parametrize("text", [True, False])
def test_a_sentence_stands_before_a_call_or_not(
    vocabulary: LLTokenizer, thought: Thought, alone: bool, with_thought: bool, text: bool
) -> None:
    grammar = call_grammar([WEATHER], call=True, text=text, thought=thought)
    assert admits(grammar, CALL, vocabulary) is alone
    assert admits(grammar, THOUGHT + CALL, vocabulary) is with_thought
    assert admits(grammar, THOUGHT + "It is\n\ncold < 5 °C.", vocabulary) is text


@pytest.mark.parametrize("before", ["Look: ", "Look.\n", "\n"])
def test_no_call_hides_in_a_text(vocabulary: LLTokenizer, before: str) -> None:
    grammar = call_grammar([WEATHER], call=True, text=True)
    assert not admits(grammar, before + CALL.replace('"C"', '"K"'), vocabulary)


@pytest.mark.parametrize("thought", ["I look", "I look. I wait.\n", "", "\n", "I look.\n\n"])
def test_a_thought_before_a_call_is_one_sentence_in_a_line(vocabulary: LLTokenizer, thought: str) -> None:
    grammar = call_grammar([WEATHER], call=True, text=False, thought="must")
    assert not admits(grammar, thought + CALL, vocabulary)


def test_without_tools_only_text_is_left(vocabulary: LLTokenizer) -> None:
    assert admits(call_grammar([], call=True, text=False), "Hello.", vocabulary)


def test_calls_are_read_with_the_text_beside_them() -> None:
    message = read_calls(f"Let me look.\n{CALL}\n{CALL.replace('Oslo', 'Rome')}")
    assert message.content == "Let me look."
    assert [json.loads(call.arguments)["city"] for call in message.tool_calls] == ["Oslo", "Rome"]


def test_arguments_stay_as_they_were_written() -> None:
    [call] = read_calls('<tool_call>{"name":"w","arguments":{ "a" :1.0 }}</tool_call>').tool_calls
    assert call == ToolCall(id="", name="w", arguments='{ "a" :1.0 }')


def test_keys_may_come_in_another_order() -> None:
    [call] = read_calls(
        '<tool_call>{"arguments": {"a": {"arguments": 2}}, "name": "w"}</tool_call>'
    ).tool_calls
    assert json.loads(call.arguments) == {"a": {"arguments": 2}}


@pytest.mark.parametrize(
    "text",
    ["It is cold.\n", CALL[:-3], "<tool_call>{}</tool_call>", "<tool_call>[1]</tool_call>", "<tool_call> x"],
)
def test_what_is_no_call_stays_text(text: str) -> None:
    assert read_calls(text) == AssistantMessage(content=text)


@given(st.text(alphabet='<>/tool_call{}":,arguments 1\n'))
def test_no_text_raises(text: str) -> None:
    read_calls(text)
    read_calls(f"<tool_call>{text}</tool_call>")


def test_a_closing_tag_inside_a_string_ends_no_call():
    written = '<tool_call>{"name":"w","arguments":{"t":"</tool_call>"}}</tool_call>'
    message = read_calls(f"Sure. {written} Done.")
    assert [call.arguments for call in message.tool_calls] == ['{"t":"</tool_call>"}']
    assert message.content == "Sure.  Done."


def test_at_the_end_the_closing_tag_may_be_missing_but_no_bracket():
    whole = read_calls('<tool_call>{"name":"w","arguments":{"t":"x"}}')
    assert [call.name for call in whole.tool_calls] == ["w"]
    assert read_calls('<tool_call>{"name":"w","arguments":{"t":"x"}').tool_calls == ()
