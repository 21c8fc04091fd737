"""A provider's JSON line by line: the same JSON, and each line its message's."""

import json

import pytest

from core.errors import InputError
from core.figures.messages_view import PROVIDERS
from core.figures.wire_lines import JsonLine, wire_lines
from core.messages import (
    DIALECTS,
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    to_wire,
)

TOOLS = [ToolSchema(name="get_weather", description="Weather.")]


def call(id_: str, arguments: str = '{"city": "Oslo"}') -> ToolCall:
    return ToolCall(id=id_, name="get_weather", arguments=arguments)


CONVERSATION = [
    SystemMessage(content="zero"),
    UserMessage(content="one"),
    AssistantMessage(content="two", thinking="two too", tool_calls=(call("a"), call("b"))),
    ToolResultMessage(tool_call_id="b", content="three", name="get_weather"),
    ToolResultMessage(tool_call_id="a", content="four", name="get_weather"),
    UserMessage(content="five"),
    AssistantMessage(content='six "quoted"\n<b>'),
]
WORDS = ["zero", "one", "two", "three", "four", "five", "six"]


def text(lines: tuple[JsonLine, ...]) -> str:
    return "\n".join(line.text for line in lines)


def test_every_provider_of_core_can_be_chosen():
    assert tuple(PROVIDERS) == DIALECTS


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_lines_are_the_json_that_is_sent(dialect):
    assert json.loads(text(wire_lines(CONVERSATION, TOOLS, dialect))) == to_wire(CONVERSATION, TOOLS, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_message_owns_the_line_with_its_words_and_no_other_message_does(dialect):
    lines = wire_lines(CONVERSATION, TOOLS, dialect)
    for index, word in enumerate(WORDS):
        assert {line.owner for line in lines if word in line.text} == {str(index)}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_schema_is_the_tools(dialect):
    lines = wire_lines(CONVERSATION, TOOLS, dialect)
    (line,) = [line for line in lines if "Weather." in line.text]
    assert (line.owner, line.part) == ("tools", "tool-schemas")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_has_the_colour_of_calls_within_a_message_of_the_model(dialect):
    lines = wire_lines(CONVERSATION, TOOLS, dialect)
    cities = [line for line in lines if "Oslo" in line.text]
    assert len(cities) == 2
    assert {(line.owner, line.part) for line in cities} == {("2", "tool-call")}


def test_equal_messages_keep_their_own_lines_in_ollama():
    twice = [UserMessage(content="again"), AssistantMessage(content="yes"), UserMessage(content="again")]
    lines = wire_lines(twice, [], "ollama")
    assert [line.owner for line in lines if "again" in line.text] == ["0", "2"]


def test_a_conversation_without_messages_is_json_too():
    assert json.loads(text(wire_lines([], [], "anthropic"))) == {"messages": []}


def test_arguments_that_are_no_object_cannot_be_sent_to_anthropic():
    broken = [AssistantMessage(tool_calls=(call("a", "{"),))]
    with pytest.raises(InputError, match="get_weather"):
        wire_lines(broken, [], "anthropic")
