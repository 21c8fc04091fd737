"""What strict servers answer to histories that break the pairing, in their own words."""

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
    UserMessage,
    check_pairing,
    refusals,
    repaired,
)
from tests.core.messages.conversations import any_conversations, sound_conversations

SYSTEM = SystemMessage(content="S")
USER = UserMessage(content="q")


def calls(*ids, content="", thinking=None):
    asked = tuple(ToolCall(id=id_, name="f", arguments="{}") for id_ in ids)
    return AssistantMessage(content=content, thinking=thinking, tool_calls=asked)


def result(id_):
    return ToolResultMessage(tool_call_id=id_, content="r")


def told(history, dialect):
    return [(refusal.index, refusal.call_ids, refusal.words) for refusal in refusals(history, dialect)]


# The words are quoted from reports: agno-agi/agno#4345, miurla/morphic#136, agno-agi/agno#5116.
def test_openai_names_the_calls_without_a_result():
    assert told([USER, calls("a", "b", "c"), result("b"), USER], "openai-chat") == [
        (
            1,
            ("a", "c"),
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: a, c",
        )
    ]


def test_openai_refuses_a_result_without_its_call():
    assert told([USER, result("a")], "openai-chat") == [
        (
            1,
            ("a",),
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.",
        )
    ]


def test_openai_names_both_results_of_one_call():
    history = [SYSTEM, USER, calls("a", "b"), result("a"), result("b"), result("a")]

    assert told(history, "openai-chat") == [
        (
            5,
            ("a",),
            "Invalid parameter: Duplicate value for 'tool_call_id' of 'a', in messages[3] and messages[5].",
        )
    ]


def test_a_result_before_its_call_breaks_both():
    history = [USER, result("a"), calls("a"), USER]

    assert [refusal.index for refusal in refusals(history, "openai-chat")] == [1, 2]


# microsoft/vscode#320060, openai/openai-agents-python#673
def test_the_responses_api_pairs_over_the_whole_input():
    assert told([USER, calls("a"), USER, result("a")], "openai-responses") == []
    assert told([USER, calls("a"), result("b")], "openai-responses") == [
        (1, ("a",), "No tool output found for function call a."),
        (2, ("b",), "No tool call found for function call output with call_id b."),
    ]


# anthropics/claude-code#8210, #18947 and #28515; forkwright/aletheia#57 for two results
def test_anthropic_counts_its_own_messages():
    history = [SYSTEM, USER, calls("a"), result("a"), USER, calls("b", "c"), USER]

    assert told(history, "anthropic") == [
        (
            5,
            ("b", "c"),
            "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: b, c. "
            "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        )
    ]


def test_anthropic_names_the_block_of_a_result_without_its_call():
    history = [USER, calls("a"), result("a"), result("z")]

    assert told(history, "anthropic") == [
        (
            3,
            ("z",),
            "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: z. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
        )
    ]


def test_anthropic_takes_one_result_for_each_call():
    assert told([USER, calls("a"), result("a"), result("a")], "anthropic") == [
        (
            3,
            ("a",),
            "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` "
            "blocks with id: a",
        )
    ]


def test_anthropic_takes_an_id_once_in_a_request_and_openai_once_in_a_turn():
    history = [USER, calls("a"), result("a"), calls("a", content="Again."), result("a")]

    assert told(history, "anthropic") == [(3, ("a",), "messages.3.content.1: `tool_use` ids must be unique")]
    assert told(history, "openai-chat") == []


@pytest.mark.parametrize(
    ("history", "words"),
    [
        (
            [USER, calls("call 1"), result("call 1")],
            "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        ),
        (
            [USER, AssistantMessage(), USER],
            "messages.1: all messages must have non-empty content except for the optional final assistant "
            "message",
        ),
    ],
)
def test_anthropic_refuses_other_contents(history, words):
    assert [refusal.words for refusal in refusals(history, "anthropic")] == [words]


@given(history=any_conversations)
def test_ollama_takes_every_history(history):
    assert refusals(history, "ollama") == []


@settings(deadline=None, max_examples=100)
@given(history=sound_conversations(), dialect=st.sampled_from(["openai-chat", "openai-responses"]))
def test_what_a_loop_writes_is_taken(history, dialect):
    assert refusals(history, dialect) == []


@settings(deadline=None, max_examples=200)
@given(history=any_conversations, dialect=st.sampled_from(DIALECTS))
def test_every_refusal_names_a_message_of_the_history(history, dialect):
    assert all(0 <= refusal.index < len(history) for refusal in refusals(history, dialect))


@settings(deadline=None, max_examples=200)
@given(history=any_conversations)
def test_a_repaired_history_breaks_no_pair_that_ids_can_tell(history):
    left = {problem.kind for problem in check_pairing(repaired(history))}

    assert left <= {"empty message", "repeated id", "missing id"}


def test_repair_answers_open_calls_and_keeps_those_that_were_answered():
    history = [USER, calls("a", "b"), result("a"), USER]

    mended = repaired(history, note="Not executed.")

    added = ToolResultMessage(tool_call_id="b", name="f", content="Not executed.", is_error=True)
    assert mended == [*history[:3], added, *history[3:]]


def test_a_dialect_that_is_not_known_is_refused():
    with pytest.raises(InputError):
        refusals([USER], "gemini")
