"""Compaction: a summary for what is old, and no call without its results."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.context import compact
from core.errors import InputError
from core.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    check_pairing,
)
from tests.core.messages.conversations import any_conversations, sound_conversations


def calls(*ids):
    return AssistantMessage(tool_calls=tuple(ToolCall(id=id_, name="f", arguments="{}") for id_ in ids))


def result(id_):
    return ToolResultMessage(tool_call_id=id_, content="r")


def user(text):
    return UserMessage(content=text)


def said(text):
    return AssistantMessage(content=text)


TEN = [
    *(user("U1"), said("A1"), user("U2"), calls("t1", "t2"), result("t1")),
    *(result("t2"), user("U3"), said("A3"), user("U4"), said("A4")),
]
SYSTEM = SystemMessage(content="S")


def words(messages):
    """A token for each word, and one for each message."""
    return sum(1 + len(message.content.split()) for message in messages)


@pytest.mark.parametrize(
    ("keep_last", "cut"), [(5, 3), (6, 3), (4, 6), (7, 3), (0, 10), (10, 0), (11, 0), (2, 8)]
)
def test_a_cut_inside_a_block_moves_back_before_its_call(keep_last, cut):
    kept = compact(TEN, keep_last=keep_last)

    # U4, the last user message, is kept whatever the cut.
    assert kept.sources == (tuple(range(cut, 10)) if cut < 9 else (8,))
    assert kept.dropped == tuple(index for index in range(10) if index not in kept.sources)


def test_the_summary_stands_behind_the_system_prompt():
    kept = compact([SYSTEM, *TEN], keep_last=2, summary="They talked.")

    assert list(kept) == [SYSTEM, user("They talked."), user("U4"), said("A4")]
    assert kept.sources == (0, None, 9, 10)
    assert kept.dropped == tuple(range(1, 9))


def test_within_a_long_turn_the_question_stays():
    turn = [SYSTEM, user("Q"), calls("a"), result("a"), calls("b"), result("b"), calls("c"), result("c")]

    kept = compact(turn, keep_last=2, summary="Found a and b.")

    assert list(kept) == [SYSTEM, user("Found a and b."), user("Q"), calls("c"), result("c")]


def test_without_anything_to_replace_there_is_no_summary():
    assert list(compact(TEN[:3], keep_last=5, summary="nothing")) == TEN[:3]


def test_a_history_below_the_threshold_stays_as_it_is():
    assert list(compact(TEN, keep_last=2, summary="x", count=words, limit=words(TEN))) == TEN


def test_over_the_threshold_as_many_are_kept_as_asked_if_they_fit():
    kept = compact(TEN, keep_last=4, count=words, limit=words(TEN) - 1)

    assert kept.sources == (6, 7, 8, 9)


def test_where_they_do_not_fit_fewer_are_kept():
    # U4 and A4 cost 4 words, and U3, A3 another 4.
    kept = compact(TEN, keep_last=6, count=words, limit=5)

    assert kept.sources == (8, 9)


@settings(deadline=None, max_examples=300)
@given(
    history=sound_conversations(),
    keep_last=st.integers(0, 20),
    summary=st.none() | st.just("S"),
    limit=st.none() | st.integers(1, 60),
)
def test_compaction_never_splits_a_pair(history, keep_last, summary, limit):
    threshold = {} if limit is None else {"count": words, "limit": limit}

    kept = compact(history, keep_last, summary, **threshold)

    problems = {problem.kind for problem in check_pairing(kept)}
    assert problems <= {"empty message"}
    assert kept.broken == ()


@settings(deadline=None, max_examples=200)
@given(history=any_conversations, keep_last=st.integers(0, 10))
def test_the_system_prompts_and_the_last_user_message_are_kept(history, keep_last):
    kept = compact(history, keep_last)

    systems = [index for index, message in enumerate(history) if message.role == "system"]
    users = [index for index, message in enumerate(history) if message.role == "user"]
    assert {*systems, *users[-1:]} <= set(kept.sources)


@settings(deadline=None, max_examples=200)
@given(history=sound_conversations(), keep_last=st.integers(1, 10))
def test_at_least_as_many_are_kept_as_asked_and_at_most_a_block_more(history, keep_last):
    kept = [index for index in compact(history, keep_last).sources if history[index].role != "system"]

    # A block has at most a call with three results, and the last user message may lie before the cut.
    assert min(keep_last, len(history) - 1) <= len(kept) <= keep_last + 3 + 1


@settings(deadline=None, max_examples=100)
@given(history=any_conversations, keep_last=st.integers(0, 10))
def test_dropped_and_kept_are_the_history(history, keep_last):
    kept = compact(history, keep_last)

    assert sorted([*kept.dropped, *kept.sources]) == list(range(len(history)))
    assert all(history[source] == message for source, message in zip(kept.sources, kept, strict=True))


def test_messages_of_the_chat_dialect_are_taken_too():
    history = [{"role": "user", "content": "q1"}, {"role": "user", "content": "q2"}]

    assert list(compact(history, keep_last=1)) == [user("q2")]


@pytest.mark.parametrize(
    ("messages", "options"),
    [
        (None, {}),
        ("text", {}),
        ([7], {}),
        (TEN, {"keep_last": -1}),
        (TEN, {"keep_last": 1.5}),
        (TEN, {"keep_last": "4"}),
        (TEN, {"keep_last": True}),
        (TEN, {"summary": 7}),
        (TEN, {"limit": 100}),
        (TEN, {"count": words}),
        (TEN, {"count": words, "limit": 0}),
        (TEN, {"count": words, "limit": "100"}),
        (TEN, {"count": 7, "limit": 100}),
    ],
)
def test_what_makes_no_sense_is_refused(messages, options):
    with pytest.raises(InputError):
        compact(messages, **options)
