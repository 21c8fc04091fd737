"""Providers' JSON as it is found: ids, names, blocks and items become messages."""

import json

import pytest

from core.messages import AssistantMessage, SystemMessage, ToolResultMessage, UserMessage, from_wire, to_wire
from tests.core.messages.wired import ARGUMENTS, CALL, OTHER


def test_calls_without_ids_get_distinct_ones_and_results_go_back_in_call_order_with_names():
    reply = {
        "tool_calls": [
            {"function": {"name": "temp", "arguments": {"city": "Oslo"}}},
            {"function": {"name": "temp", "arguments": {"city": "Rome"}}},
        ]
    }
    [asked] = from_wire(reply, "ollama")
    first, second = (call.id for call in asked.tool_calls)

    results = [
        ToolResultMessage(tool_call_id=second, content="30"),
        ToolResultMessage(tool_call_id=first, content="5"),
    ]
    sent = to_wire([asked, *results], [], "ollama")["messages"][1:]

    assert first != second
    assert [(result["tool_name"], result["content"]) for result in sent] == [("temp", "5"), ("temp", "30")]


def test_the_servers_id_is_kept():
    reply = {"tool_calls": [{"id": "call_1", "function": {"name": "temp", "arguments": {}}}]}

    assert from_wire(reply, "ollama")[0].tool_calls[0].id == "call_1"


def test_a_generated_id_is_never_one_that_the_server_gave():
    turns = [
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
        {"role": "assistant", "tool_calls": [{"id": "call_0", "function": {"name": "f", "arguments": {}}}]},
    ]

    ids = [message.tool_calls[0].id for message in from_wire(turns, "ollama")]

    assert len(set(ids)) == 2


def test_results_without_ids_are_paired_by_tool_name_and_then_by_order():
    turn = [
        {
            "role": "assistant",
            "tool_calls": [
                {"function": {"name": name, "arguments": {"n": n}}} for n, name in enumerate("aba")
            ],
        },
        {"role": "tool", "tool_name": "b", "content": "of 1"},
        {"role": "tool", "tool_name": "a", "content": "of 0"},
        {"role": "tool", "content": "of 2"},
    ]

    asked, *results = from_wire(turn, "ollama")

    numbers = {call.id: json.loads(call.arguments)["n"] for call in asked.tool_calls}
    assert [(numbers[result.tool_call_id], result.content) for result in results] == [
        (1, "of 1"),
        (0, "of 0"),
        (2, "of 2"),
    ]


def test_the_older_function_call_is_one_call_and_its_result_is_paired():
    asked, result = from_wire(
        [
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "r"},
        ],
        "openai-chat",
    )

    assert result == ToolResultMessage(tool_call_id=asked.tool_calls[0].id, name="f", content="r")


def test_a_result_gets_its_tools_name_from_its_call():
    results = [
        {"type": "tool_result", "tool_use_id": "y", "content": "30"},
        {"type": "tool_result", "tool_use_id": "x", "content": "5"},
    ]
    asked = {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "x", "name": "f", "input": {}},
            {"type": "tool_use", "id": "y", "name": "g", "input": {}},
        ],
    }

    messages = from_wire([asked, {"role": "user", "content": results}], "anthropic")

    assert [(message.tool_call_id, message.name) for message in messages[1:]] == [("y", "g"), ("x", "f")]


def test_anthropic_blocks_become_results_and_what_the_user_says_beside_them():
    content = [
        {
            "type": "tool_result",
            "tool_use_id": "x",
            "is_error": True,
            "content": [{"type": "text", "text": "no "}, {"type": "text", "text": "network"}],
        },
        {"type": "text", "text": "Go on."},
    ]

    assert from_wire([{"role": "user", "content": content}], "anthropic") == [
        ToolResultMessage(tool_call_id="x", content="no network", is_error=True),
        UserMessage(content="Go on."),
    ]


def test_a_system_prompt_of_blocks_is_one_text():
    system = [
        {"type": "text", "text": "A", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "B"},
    ]

    assert from_wire({"system": system, "messages": []}, "anthropic") == [SystemMessage(content="AB")]


def test_a_call_is_paired_by_call_id_and_not_by_the_items_id():
    [message] = from_wire(
        {
            "output": [
                {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
            ]
        },
        "openai-responses",
    )

    assert message.tool_calls[0].id == "call_1"


def test_the_items_of_one_reply_become_one_message():
    items = [
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Both."}]},
        {"type": "function_call", "call_id": "x", "name": "temp", "arguments": ARGUMENTS},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "And."}]},
        {"type": "function_call", "call_id": "y", "name": "temp", "arguments": '{"city": "Rome"}'},
        {"type": "function_call_output", "call_id": "x", "output": [{"type": "input_text", "text": "5"}]},
        {"type": "function_call_output", "call_id": "y", "output": "30"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rome."}]},
    ]

    assert from_wire({"input": "Where?", "output": items}, "openai-responses") == [
        UserMessage(content="Where?"),
        AssistantMessage(content="Both.", thinking="Hm.\n\nAnd.", tool_calls=(CALL, OTHER)),
        ToolResultMessage(tool_call_id="x", name="temp", content="5"),
        ToolResultMessage(tool_call_id="y", name="temp", content="30"),
        AssistantMessage(content="Rome."),
    ]


def test_instructions_are_the_system_prompt():
    wire = {"instructions": "Be brief.", "input": [{"role": "developer", "content": "Now."}]}

    assert from_wire(wire, "openai-responses") == [
        SystemMessage(content="Be brief."),
        SystemMessage(content="Now."),
    ]


@pytest.mark.parametrize(
    ("reply", "dialect"),
    [
        ({"choices": [{"message": {"role": "assistant", "content": "a"}}]}, "openai-chat"),
        ({"role": "assistant", "content": "a"}, "openai-chat"),
        ({"message": {"role": "assistant", "content": "a"}, "done": True}, "ollama"),
        ({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "a"}]}, "anthropic"),
        (
            {"output": [{"type": "message", "role": "assistant", "content": [{"text": "a"}]}]},
            "openai-responses",
        ),
    ],
)
def test_a_reply_is_read_as_the_message_that_it_is(reply, dialect):
    assert from_wire(reply, dialect) == [AssistantMessage(content="a")]
