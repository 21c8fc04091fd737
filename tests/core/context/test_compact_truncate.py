"""Other ways to make a history fit: what each drops, and which pair it breaks, by hand on five messages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.context import drop_blocks, drop_oldest, elide_results, truncate_as_ollama
from core.errors import InputError
from core.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    check_pairing,
)
from core.messages.types import Message
from tests.core.messages.conversations import any_conversations, sound_conversations

CALL = AssistantMessage(tool_calls=(ToolCall(id="a", name="f", arguments="{}"),))
RESULT = ToolResultMessage(tool_call_id="a", content="a long result")
FIVE: list[Message] = [
    SystemMessage(content="S"),
    UserMessage(content="Q"),
    CALL,
    RESULT,
    AssistantMessage(content="A"),
]
TOKENS = {"S": 10, "Q": 10, "": 40, "a long result": 900, "A": 20, "[gone]": 5}
SCHEMAS = 500


def count(messages):
    return SCHEMAS + sum(TOKENS[message.content] for message in messages)


def lengths(messages):
    return sum(5 + len(message.content) for message in messages)


EVERY = [drop_oldest, drop_blocks, elide_results, truncate_as_ollama]


@pytest.mark.parametrize("shorten", EVERY)
def test_what_fits_stays_whole(shorten):
    """10 + 10 + 40 + 900 + 20 and 500 for the schemas are 1480."""
    assert list(shorten(FIVE, count, 1480)) == FIVE


def test_the_oldest_goes_first_and_that_is_the_system_prompt():
    left = drop_oldest(FIVE, count, 1479)

    assert (left.dropped, left.broken) == ((0,), ())


def test_dropping_message_by_message_parts_a_result_from_its_call():
    left = drop_oldest(FIVE, count, 1420)

    assert left.dropped == (0, 1, 2)
    assert [(problem.kind, problem.index) for problem in left.broken] == [("no call", 0)]


def test_ollama_keeps_the_system_prompt_and_orphans_the_result():
    left = truncate_as_ollama(FIVE, count, 1430)

    assert left.dropped == (1, 2)
    assert [(problem.kind, problem.index, problem.call_id) for problem in left.broken] == [
        ("no call", 1, "a")
    ]


def test_a_later_ollama_starts_at_the_call_and_drops_the_whole_block_when_it_must():
    left = truncate_as_ollama(FIVE, count, 1430, whole_blocks=True)

    assert (left.dropped, left.broken) == ((1, 2, 3), ())


def test_ollama_keeps_the_last_message_even_where_it_does_not_fit_and_cuts_the_text():
    """The window of the case: 4096 / 2 + 2 = 2050, which the server then reports."""
    last = UserMessage(content="long")

    left = truncate_as_ollama([*FIVE, last], lambda _: 9000, 4096)

    assert list(left) == [FIVE[0], last]
    assert left.cut_to == 2050


def test_a_prompt_that_fits_is_not_cut():
    assert truncate_as_ollama(FIVE, count, 1430).cut_to is None


def test_whole_blocks_go_and_the_question_stays():
    left = drop_blocks(FIVE, count, 1479)

    assert (left.dropped, left.broken) == ((2, 3), ())


def gone(result):
    return result.model_copy(update={"content": "[gone]"})


def test_a_used_result_gives_way_to_a_note_and_its_pair_stays():
    left = elide_results(FIVE, count, 1479, gone)

    assert [message.content for message in left] == ["S", "Q", "", "[gone]", "A"]
    assert (left.dropped, left.elided, left.broken) == ((), (3,), ())


def test_a_result_that_no_reply_has_followed_is_not_elided():
    assert elide_results(FIVE[:4], count, 1, gone).elided == ()


def test_the_oldest_results_are_elided_first_and_no_more_than_needed():
    turns = [FIVE[1], CALL, RESULT, CALL, RESULT, FIVE[4]]

    left = elide_results(turns, count, count(turns) - 1, gone)

    assert left.elided == (2,)


@settings(deadline=None, max_examples=200)
@given(
    history=sound_conversations(),
    limit=st.integers(1, 200),
    shorten=st.sampled_from([drop_blocks, elide_results]),
)
def test_what_keeps_blocks_whole_breaks_no_pair(history, limit, shorten):
    left = shorten(history, lengths, limit)

    assert left.broken == ()
    assert {problem.kind for problem in check_pairing(left)} <= {"empty message"}


@settings(deadline=None, max_examples=200)
@given(history=any_conversations, limit=st.integers(1, 200), shorten=st.sampled_from(EVERY))
def test_what_is_left_fits_or_cannot_be_made_shorter(history, limit, shorten):
    left = shorten(history, lengths, limit)

    assert lengths(left) <= limit or lengths(left) <= lengths(shorten(history, lengths, 1))


@settings(deadline=None, max_examples=200)
@given(history=any_conversations, limit=st.integers(1, 200))
def test_no_more_is_dropped_than_one_message_at_a_time_would_drop(history, limit):
    """Ollama's own loop, which tries every start from the front."""
    expected = None
    for start in range(len(history)):
        expected = [
            message for index, message in enumerate(history) if index >= start or message.role == "system"
        ]
        if lengths(expected) <= limit:
            break

    assert list(truncate_as_ollama(history, lengths, limit)) == (expected or [])


@settings(deadline=None, max_examples=100)
@given(history=any_conversations, limit=st.integers(1, 200), shorten=st.sampled_from(EVERY))
def test_a_pair_that_was_broken_before_is_not_counted(history, limit, shorten):
    left = shorten(history, lengths, limit)
    before = {(problem.kind, problem.index, problem.call_id) for problem in check_pairing(history)}

    now = [(problem.kind, left.sources[problem.index], problem.call_id) for problem in check_pairing(left)]
    assert len(left.broken) == len([problem for problem in now if problem not in before])


@pytest.mark.parametrize("shorten", EVERY)
@pytest.mark.parametrize(
    ("messages", "counted", "limit"),
    [
        (None, count, 9),
        ([7], count, 9),
        (FIVE, 7, 9),
        (FIVE, count, 0),
        (FIVE, count, 9.5),
        (FIVE, count, "9"),
    ],
)
def test_what_makes_no_sense_is_refused(shorten, messages, counted, limit):
    with pytest.raises(InputError):
        shorten(messages, counted, limit)
