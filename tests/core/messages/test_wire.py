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
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    from_wire,
    losses,
    to_wire,
    tools_from_wire,
)
from core.messages.dialects.reading import with_names
from tests.core.messages.conversations import any_conversations, sound_conversations

ARGUMENTS = '{"city": "Oslo"}'
CALL = ToolCall(id="x", name="temp", arguments=ARGUMENTS)
OTHER = ToolCall(id="y", name="temp", arguments='{"city": "Rome"}')
TEMP = ToolSchema(name="temp", description="Degrees now.", parameters={"type": "object", "properties": {}})
CONVERSATION = [
    SystemMessage(content="Be brief."),
    UserMessage(content="Oslo or Rome?"),
    AssistantMessage(content="Checking both.", thinking="Two calls.", tool_calls=(CALL, OTHER)),
    ToolResultMessage(tool_call_id="x", name="temp", content="5"),
    ToolResultMessage(tool_call_id="y", name="temp", content="30"),
    UserMessage(content="And?"),
    AssistantMessage(content="Rome."),
]


def calls(message):
    return [(call.id, call.name, json.loads(call.arguments)) for call in message.tool_calls]


@settings(deadline=None, max_examples=100)
@given(conversation=sound_conversations(), dialect=st.sampled_from(DIALECTS))
def test_what_a_loop_writes_comes_back_whole_from_every_dialect(conversation, dialect):
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
                    {"type": "thinking", "thinking": "Two calls.", "signature": ""},
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


@pytest.mark.parametrize("dialect", ["anthropic", "ollama"])
def test_arguments_that_are_no_object_are_refused_and_not_replaced(dialect):
    broken = AssistantMessage(tool_calls=(CALL.model_copy(update={"arguments": "{'city'"}),))

    with pytest.raises(InputError, match="JSON object"):
        to_wire([broken], [], dialect)


def test_a_lost_error_flag_is_named_with_its_message_and_call():
    result = ToolResultMessage(tool_call_id="x", content="no", is_error=True)

    assert [
        (loss.field, loss.index, loss.call_id)
        for loss in losses([UserMessage(content="q"), result], "ollama")
    ] == [("error flag", 1, "x")]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "wire",
    [
        None,
        7,
        "text",
        [7],
        [None],
        {"messages": 7, "input": 7},
        {"messages": "text", "input": [7]},
        {"messages": {"role": "user"}, "input": {"role": "user"}},
        [{"role": "narrator", "content": "x"}],
        [{"role": ["user"], "content": "x"}],
        [{"role": "user", "content": 7}],
        [{"role": "user", "content": {"text": "x"}}],
        [{"role": "user", "content": [7]}],
        [{"role": "user"}],
        {},
    ],
    ids=str,
)
def test_what_is_no_conversation_is_refused_with_a_sentence(wire, dialect):
    with pytest.raises(InputError):
        from_wire(wire, dialect)


@pytest.mark.parametrize(
    "calls",
    [7, "f", {"id": "a"}, [7], [{"id": "a"}], [{"id": 7, "function": {"name": "f"}}], [{"function": 7}]],
    ids=str,
)
def test_calls_that_cannot_be_read_are_refused_with_the_index_of_their_message(calls):
    with pytest.raises(InputError, match="Message 1"):
        from_wire(
            [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": calls}], "openai-chat"
        )


@pytest.mark.parametrize("dialect", ["OpenAI", "", None, 7])
def test_a_dialect_that_is_not_known_is_refused_with_the_names_that_are(dialect):
    with pytest.raises(InputError, match="anthropic"):
        to_wire([], [], dialect)


KEYS = [
    *("role", "content", "messages", "input", "output", "tool_calls", "function", "name", "arguments", "id"),
    *("call_id", "type", "text", "choices", "message", "system", "summary", "tool_use_id", "is_error"),
]
WORDS = ["user", "assistant", "tool", "message", "tool_use", "tool_result", "function_call", "reasoning"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(wire=json_values, dialect=st.sampled_from(DIALECTS))
def test_whatever_json_is_read_it_is_messages_or_a_sentence(wire, dialect):
    try:
        messages = from_wire(wire, dialect)
    except InputError:
        return

    assert all(message.role in ("system", "user", "assistant", "tool") for message in messages)
