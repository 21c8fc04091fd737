"""What no dialect can carry, and JSON that is no conversation, end in a sentence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.messages import (
    DIALECTS,
    AssistantMessage,
    ToolResultMessage,
    UserMessage,
    from_wire,
    losses,
    to_wire,
)
from tests.core.messages.wired import CALL


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
