"""Dicts of the OpenAI chat dialect as typed messages."""

import pytest

from core.errors import InputError
from core.messages import AssistantMessage, ToolCall, ToolResultMessage, ToolSchema, UserMessage
from core.messages.chat_dialect import as_message, as_messages, as_tool_call, as_tool_schema

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize("message", [{"role": "assistant", "content": None}, {"role": "assistant"}])
def test_a_turn_with_calls_only_has_empty_content(message):
    assert as_message(message | {"tool_calls": [CALL]}) == AssistantMessage(
        tool_calls=(ToolCall(id="c1", name="f", arguments="{}"),)
    )


@pytest.mark.parametrize("role", ["assistant", "user", "system", "tool"])
def test_null_content_without_calls_is_refused(role):
    with pytest.raises(InputError, match="content"):
        as_message({"role": role, "content": None})


def test_a_tool_result_keeps_its_call_and_tool():
    message = {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "r"}

    assert as_message(message) == ToolResultMessage(tool_call_id="c1", name="f", content="r")


def test_a_typed_message_passes_unchanged():
    message = UserMessage(content="q")

    assert as_messages([message]) == (message,)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(None, ""), ("", ""), ("{'a'", "{'a'"), ({"b": 1, "a": "é"}, '{"b": 1, "a": "é"}')],
)
def test_arguments_become_the_text_that_the_history_keeps(arguments, text):
    assert as_tool_call({"id": "c", "function": {"name": "f", "arguments": arguments}}).arguments == text


def test_a_call_without_a_name_is_refused():
    with pytest.raises(InputError):
        as_tool_call({"id": "c", "function": {"arguments": "{}"}})


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "f", "description": "d", "parameters": {"type": "object"}},
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}},
    ],
)
def test_a_tool_is_read_from_either_form(tool):
    assert as_tool_schema(tool) == ToolSchema(name="f", description="d", parameters={"type": "object"})
