"""A conversation of one's own: read from any provider's JSON, edited, and never lost to bad input."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.messages import (
    DIALECTS,
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    check_pairing,
    to_wire,
)
from core.scenarios import trace
from core.teaching.conversation import (
    LONGEST,
    MOST_MESSAGES,
    Conversation,
    conversation_of,
    edited,
    fields,
    read_conversation,
    with_answer,
    with_call,
    with_result,
    with_user,
    without,
)

CALL = ToolCall(id="call_1", name="get_weather", arguments='{"city": "Oslo"}')
WHOLE = Conversation(
    messages=(
        SystemMessage(content="S"),
        UserMessage(content="Q"),
        AssistantMessage(tool_calls=(CALL,)),
        ToolResultMessage(tool_call_id="call_1", name="get_weather", content="5"),
        AssistantMessage(content="Cold."),
    ),
    tools=(ToolSchema(name="get_weather"),),
)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_json_of_every_provider_is_recognised_and_read(dialect):
    read = read_conversation(json.dumps(to_wire(WHOLE.messages, WHOLE.tools, dialect)))
    assert read.dialect == dialect
    assert read.conversation == WHOLE


def test_a_bare_list_of_messages_is_read():
    read = read_conversation('[{"role": "user", "content": "hi"}]')
    assert read.conversation.messages == (UserMessage(content="hi"),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"messages": [}', "not JSON: .* line 1, column 15"),
        ("", "not JSON"),
        ("7", "request, a reply or a list"),
        ("[]", "no message"),
        ('[{"role": "wizard", "content": "hi"}]', "Message 0: the role is 'wizard'"),
        ('[{"role": "user", "content": "\\ud800"}]', "surrogate"),
        ("[" * 100_000, "nesting"),
        (" " * (LONGEST + 1), "at most"),
        (json.dumps([{"role": "user", "content": "a"}] * (MOST_MESSAGES + 1)), "at most"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(text, sentence):
    with pytest.raises(InputError, match=sentence):
        read_conversation(text)


KEYS = st.sampled_from(["messages", "role", "content", "input", "type", "tools", "tool_calls"])


@settings(deadline=None)  # a busy machine
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.sampled_from(["user", "assistant", "tool", "\x00"]),
        lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
    )
)
def test_any_json_is_read_or_refused_in_a_sentence(value):
    with suppress(InputError):
        assert read_conversation(json.dumps(value)).conversation.messages


def test_a_run_is_taken_over_with_its_system_prompt_and_tools():
    run = trace("berlin")
    taken = conversation_of(run)
    assert taken.messages[0] == SystemMessage(content="You are a helpful assistant.")
    assert taken.messages[1:] == run.messages
    assert [tool.name for tool in taken.tools] == ["get_weather"]


def test_a_text_is_written_otherwise():
    assert edited(WHOLE, 1, {"content": "New"}).messages[1] == UserMessage(content="New")


def test_the_parts_of_a_call_are_written_otherwise():
    call = edited(WHOLE, 2, {"call 0 id": "x", "call 0 arguments": "{"}).messages[2].tool_calls[0]
    assert call == ToolCall(id="x", name="get_weather", arguments="{")


def test_what_is_no_field_of_the_message_is_left_out():
    assert edited(WHOLE, 1, {"role": "system", "tool_call_id": "x"}) == WHOLE


@pytest.mark.parametrize("index", range(5))
def test_writing_the_fields_as_they_are_changes_nothing(index):
    assert edited(WHOLE, index, fields(WHOLE.messages[index])) == WHOLE


def test_a_message_is_added_behind_the_selected_one():
    added, at = with_user(WHOLE, 0)
    assert at == 1
    assert isinstance(added.messages[1], UserMessage)
    assert added.messages[2:] == WHOLE.messages[1:]
    assert isinstance(with_answer(WHOLE, 4)[0].messages[5], AssistantMessage)


def test_a_call_is_added_to_the_models_message_with_an_id_that_is_free():
    added, at = with_call(WHOLE, 2)
    assert at == 2
    assert [call.id for call in added.messages[2].tool_calls] == ["call_1", "call_2"]


def test_a_call_behind_a_message_of_the_user_is_a_message_of_its_own():
    added, at = with_call(WHOLE, 1)
    assert at == 2
    assert len(added.messages) == len(WHOLE.messages) + 1


def test_a_result_answers_the_call_that_waits():
    waiting, _ = without(WHOLE, 3)
    answered, at = with_result(waiting, 2)
    assert at == 3
    assert not check_pairing(answered.messages)


def test_a_result_where_no_call_waits_is_a_second_one():
    doubled, _ = with_result(WHOLE, 3)
    assert [problem.kind for problem in check_pairing(doubled.messages)] == ["second result"]


def test_a_result_without_any_call_is_an_orphan():
    orphaned, _ = with_result(Conversation(messages=WHOLE.messages[:2]), 1)
    assert [problem.kind for problem in check_pairing(orphaned.messages)] == ["no call"]


def test_messages_can_be_removed_to_the_last_and_added_again():
    left = WHOLE
    for _ in WHOLE.messages:
        left, at = without(left, len(left.messages) - 1)
    assert (left.messages, at) == ((), 0)
    for add in (with_user, with_answer, with_call, with_result):
        added, at = add(left, 0)
        assert (len(added.messages), at) == (1, 0)


def test_an_added_call_is_of_a_tool_that_the_conversation_calls():
    asked = AssistantMessage(tool_calls=(ToolCall(id="a", name="look", arguments="{}"),))
    grown, at = with_call(Conversation(messages=(UserMessage(content="q"), asked)), 1)
    assert [call.name for call in grown.messages[at].tool_calls] == ["look", "look"]
    answered, at = with_result(grown, 1)
    assert "rainy" not in answered.messages[at].content
