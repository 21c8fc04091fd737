"""Calls through a schema: what it admits, and what a reply of that form means."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from core.lm.schema_calls import as_text, read_reply, reply_schema
from core.messages.types import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)

UNIT = {"$defs": {"Unit": {"enum": ["C", "F"]}}}
WEATHER = ToolSchema(
    name="weather",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"$ref": "#/$defs/Unit"}},
        "required": ["city", "unit"],
        **UNIT,
    },
)
SLASHED = ToolSchema(
    name="a/b~c", parameters={"type": "object", "properties": {"a": {"$ref": "#/$defs/Unit"}}, **UNIT}
)
TREE = ToolSchema(
    name="tree",
    parameters={"type": "object", "properties": {"child": {"$ref": "#"}}, "additionalProperties": False},
)


def call(name: str, arguments: Any) -> dict[str, Any]:
    return {"thought": "t", "action": {"name": name, "arguments": arguments}}


ANSWER = {"thought": "t", "action": {"answer": "Cold."}}


@pytest.mark.parametrize(
    "reply",
    [
        ANSWER,
        call("weather", {"city": "Oslo", "unit": "C"}),
        call("a/b~c", {"a": "F"}),
        call("tree", {"child": {"child": {}}}),
    ],
)
def test_each_tools_call_and_the_answer_conform(reply: dict[str, Any]) -> None:
    schema = reply_schema([WEATHER, SLASHED, TREE])
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid(reply)


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"action": {"answer": "Cold."}},
        {**ANSWER, "more": 1},
        call("nothing", {}),
        call("weather", {"city": "Oslo"}),
        call("weather", {"city": "Oslo", "unit": "K"}),
        call("a/b~c", {"a": "K"}),
        call("tree", {"child": {"leaf": 1}}),
    ],
)
def test_nothing_else_conforms(reply: dict[str, Any]) -> None:
    assert not Draft202012Validator(reply_schema([WEATHER, SLASHED, TREE])).is_valid(reply)


def test_without_tools_there_is_only_the_answer() -> None:
    schema = reply_schema([])
    assert Draft202012Validator(schema).is_valid(ANSWER)
    assert "$defs" not in schema


def test_a_property_that_is_called_ref_is_no_reference() -> None:
    parameters = {"type": "object", "properties": {"$ref": {"type": "string"}}, "required": ["$ref"]}
    schema = reply_schema([ToolSchema(name="t", parameters=parameters)])
    assert Draft202012Validator(schema).is_valid(call("t", {"$ref": "#/x"}))


def test_a_call_becomes_a_tool_call_with_its_thought_beside_it() -> None:
    message = read_reply(json.dumps(call("weather", {"city": "Zürich"})))
    assert message == AssistantMessage(
        content="t", tool_calls=(ToolCall(id="", name="weather", arguments='{"city": "Zürich"}'),)
    )


def test_an_answer_becomes_text() -> None:
    assert read_reply(json.dumps(ANSWER)) == AssistantMessage(content="Cold.", thinking="t")


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "t", "action": {"name": "wea',
        "Cold.",
        "[]",
        '{"thought": 1}',
        '{"thought": "t", "action": {}}',
    ],
)
def test_a_text_of_another_form_stays_what_it_is(text: str) -> None:
    assert read_reply(text) == AssistantMessage(content=text)


@given(st.text())
def test_no_text_raises(text: str) -> None:
    read_reply(text)


def test_calls_and_results_are_told_in_the_other_roles() -> None:
    called = AssistantMessage(
        content="t", tool_calls=(ToolCall(id="c", name="weather", arguments='{"city": "Oslo"}'),)
    )
    result = ToolResultMessage(tool_call_id="c", name="weather", content="Cold.")
    system, user, assistant, told = as_text(
        [SystemMessage(content="Be brief."), UserMessage(content="Weather?"), called, result], [WEATHER]
    )
    assert system.content.startswith("Be brief.\n\n")
    assert '"name": "weather"' in system.content
    assert user == UserMessage(content="Weather?")
    assert json.loads(assistant.content) == call("weather", {"city": "Oslo"})
    assert told == UserMessage(content="Result of weather: Cold.")


def test_arguments_that_are_no_json_are_told_as_they_were_written() -> None:
    called = AssistantMessage(tool_calls=(ToolCall(id="c", name="weather", arguments='{"city": '),))
    assert '"arguments": {"city": }' in as_text([called], [])[1].content
