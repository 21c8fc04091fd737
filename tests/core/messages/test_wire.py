"""Messages as providers' JSON and back: each wire form by hand, and the round trip as a property."""

import json

import ollama
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from openai.types.responses import ResponseInputParam
from pydantic import TypeAdapter

from core.errors import InputError
from core.messages import (
    DIALECTS,
    AssistantMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    from_wire,
    losses,
    to_wire,
    tools_from_wire,
)
from core.messages.dialects.reading import with_names
from tests.core.messages.conversations import any_conversations, sound_conversations
from tests.core.messages.wired import ARGUMENTS, CALL, CONVERSATION, TEMP, calls


@settings(deadline=None, max_examples=100)
@given(conversation=sound_conversations(), dialect=st.sampled_from(DIALECTS))
def test_what_a_loop_writes_comes_back_whole_from_every_dialect(conversation, dialect):
    if dialect == "anthropic":  # whose server signs the thinking
        conversation = [
            message.model_copy(update={"signature": "c2ln"})
            if getattr(message, "thinking", None)
            else message
            for message in conversation
        ]
    wire = json.loads(json.dumps(to_wire(conversation, [], dialect)))

    assert losses(conversation, dialect) == []
    assert from_wire(wire, dialect) == conversation


@settings(deadline=None, max_examples=300)
@given(conversation=any_conversations, dialect=st.sampled_from(DIALECTS))
def test_what_does_not_come_back_is_named_and_nothing_else_is(conversation, dialect):
    named = losses(conversation, dialect)
    try:
        back = from_wire(to_wire(conversation, [], dialect), dialect)
    except InputError:
        assert "cannot be sent" in " ".join(map(str, named))
        return

    assert (back == with_names(conversation)) == (named == [])


def test_the_result_of_a_call_without_a_name_names_no_tool():
    asked = AssistantMessage(tool_calls=(ToolCall(id="x", name="", arguments="{}"),))

    assert with_names([asked, ToolResultMessage(tool_call_id="x", content="5")])[1].name is None


def test_openai_chat_by_hand():
    assert to_wire(CONVERSATION[1:5], [TEMP], "openai-chat") == {
        "messages": [
            {"role": "user", "content": "Oslo or Rome?"},
            {
                "role": "assistant",
                "content": "Checking both.",
                "reasoning_content": "Two calls.",
                "tool_calls": [
                    {"id": "x", "type": "function", "function": {"name": "temp", "arguments": ARGUMENTS}},
                    {
                        "id": "y",
                        "type": "function",
                        "function": {"name": "temp", "arguments": '{"city": "Rome"}'},
                    },
                ],
            },
            {"role": "tool", "tool_call_id": "x", "name": "temp", "content": "5"},
            {"role": "tool", "tool_call_id": "y", "name": "temp", "content": "30"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "temp",
                    "description": "Degrees now.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
    }


def test_openai_responses_by_hand():
    assert to_wire(CONVERSATION[:4], [TEMP], "openai-responses") == {
        "input": [
            {"type": "message", "role": "system", "content": "Be brief."},
            {"type": "message", "role": "user", "content": "Oslo or Rome?"},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Two calls."}]},
            {"type": "message", "role": "assistant", "content": "Checking both."},
            {"type": "function_call", "call_id": "x", "name": "temp", "arguments": ARGUMENTS},
            {"type": "function_call", "call_id": "y", "name": "temp", "arguments": '{"city": "Rome"}'},
            {"type": "function_call_output", "call_id": "x", "output": "5"},
        ],
        "tools": [
            {
                "type": "function",
                "name": "temp",
                "description": "Degrees now.",
                "parameters": {"type": "object", "properties": {}},
            }
        ],
    }


def test_anthropic_by_hand():
    assert to_wire(CONVERSATION, [TEMP], "anthropic") == {
        "system": "Be brief.",
        "tools": [
            {
                "name": "temp",
                "description": "Degrees now.",
                "input_schema": {"type": "object", "properties": {}},
            }
        ],
        "messages": [
            {"role": "user", "content": "Oslo or Rome?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Two calls."},
                    {"type": "text", "text": "Checking both."},
                    {"type": "tool_use", "id": "x", "name": "temp", "input": {"city": "Oslo"}},
                    {"type": "tool_use", "id": "y", "name": "temp", "input": {"city": "Rome"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "x", "content": "5"},
                    {"type": "tool_result", "tool_use_id": "y", "content": "30"},
                    {"type": "text", "text": "And?"},
                ],
            },
            {"role": "assistant", "content": "Rome."},
        ],
    }


def test_a_signature_goes_back_to_anthropic_beside_its_thinking():
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "a"}]
    body = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": blocks}]}

    assert to_wire(from_wire(body, "anthropic"), [], "anthropic") == body


def test_ollama_by_hand():
    assert to_wire(CONVERSATION[2:4], [], "ollama") == {
        "messages": [
            {
                "role": "assistant",
                "content": "Checking both.",
                "thinking": "Two calls.",
                "tool_calls": [
                    {"id": "x", "function": {"name": "temp", "arguments": {"city": "Oslo"}}},
                    {"id": "y", "function": {"name": "temp", "arguments": {"city": "Rome"}}},
                ],
            },
            {"role": "tool", "content": "5", "tool_call_id": "x", "tool_name": "temp"},
        ]
    }


def test_the_clients_of_openai_and_ollama_take_what_is_written():
    thought = CONVERSATION[2].model_copy(update={"thinking": None})
    plain = [*CONVERSATION[:2], thought, *CONVERSATION[3:]]

    chat = to_wire(CONVERSATION, [TEMP], "openai-chat")
    responses = to_wire(plain, [TEMP], "openai-responses")  # a reasoning item needs the server's own id
    native = to_wire(CONVERSATION, [TEMP], "ollama")

    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(chat["messages"])
    TypeAdapter(list[ChatCompletionToolParam]).validate_python(chat["tools"])
    TypeAdapter(ResponseInputParam).validate_python(responses["input"])
    TypeAdapter(list[ollama.Message]).validate_python(native["messages"])
    TypeAdapter(list[ollama.Tool]).validate_python(native["tools"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_tools_come_back_from_every_dialect(dialect):
    wire = to_wire([UserMessage(content="q")], [TEMP], dialect)

    assert tools_from_wire(wire) == [TEMP]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_without_tools_no_dialect_writes_a_list_of_them(dialect):
    assert "tools" not in to_wire([UserMessage(content="q")], None, dialect)


def test_both_forms_of_arguments_are_read_and_each_server_gets_its_own():
    native = {"role": "assistant", "content": ""} | {
        "tool_calls": [{"function": {"name": "w", "arguments": {"city": "Oslo"}}}]
    }
    openai = {
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "w", "arguments": '{"city":"Oslo"}'}}
        ]
    }

    [from_native] = from_wire({"message": native}, "ollama")
    [from_openai] = from_wire(openai, "openai-chat")

    assert [calls(message)[0][1:] for message in (from_native, from_openai)] == [("w", {"city": "Oslo"})] * 2
    sent = [
        to_wire([from_openai], [], dialect)["messages"][0]["tool_calls"][0]["function"]["arguments"]
        for dialect in ("ollama", "openai-chat")
    ]
    assert sent == [{"city": "Oslo"}, '{"city":"Oslo"}']


@pytest.mark.parametrize("message", [{"role": "assistant", "content": None}, {"role": "assistant"}])
def test_a_turn_with_calls_only_is_sent_to_ollama_as_an_empty_string(message):
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}

    [sent] = to_wire([message | {"tool_calls": [call]}], [], "ollama")["messages"]

    assert sent["content"] == ""


def test_content_beside_calls_is_null_in_openais_dialect_where_there_is_none():
    [sent] = to_wire([AssistantMessage(tool_calls=(CALL,))], [], "openai-chat")["messages"]

    assert sent["content"] is None


def test_parts_of_content_are_joined_and_what_is_no_text_leaves_its_kind():
    content = [{"type": "text", "text": "See "}, {"type": "image_url", "image_url": {"url": "data:"}}]

    assert from_wire([{"role": "user", "content": content}], "openai-chat") == [
        UserMessage(content="See [image_url]")
    ]
