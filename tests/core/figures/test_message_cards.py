"""Typed messages as cards: the lines from calls to results, and faults at the row that they are in."""

from hypothesis import given, settings
from hypothesis import strategies as st

from core.figures.message_cards import MOST_LANES, MessageCard, cards_of
from core.messages import AssistantMessage, SystemMessage, ToolCall, ToolResultMessage, UserMessage


def asked(*ids: str, text: str = "") -> AssistantMessage:
    return AssistantMessage(
        content=text, tool_calls=tuple(ToolCall(id=id_, name="f", arguments="{}") for id_ in ids)
    )


def result(id_: str) -> ToolResultMessage:
    return ToolResultMessage(tool_call_id=id_, content="12", name="f")


def cards(*messages, dialect: str = "openai-chat") -> tuple[MessageCard, ...]:
    return cards_of(messages, dialect).cards


def drawn(*messages) -> list[list[tuple[int, str]]]:
    """What the lanes do beside each row, from top to bottom."""
    return [
        [(lane.lane, "stub" if lane.stub else lane.how) for lane in row.lanes]
        for card in cards(*messages)
        for row in card.rows
    ]


def test_a_message_says_its_type_and_its_place_counted_from_zero():
    found = cards(SystemMessage(content="S"), UserMessage(content="U"), asked("a"), result("a"))
    assert [(card.type, card.number) for card in found] == [
        ("SystemMessage", "0"),
        ("UserMessage", "1"),
        ("AssistantMessage", "2"),
        ("ToolResultMessage", "3"),
    ]


def test_thinking_thought_and_calls_are_rows_of_their_own():
    message = AssistantMessage(content="Look.", thinking="Hm.", tool_calls=asked("a").tool_calls)
    (card,) = cards(message)
    assert [(row.label, row.text) for row in card.rows] == [
        ("thinking", "Hm."),
        ("thought", "Look."),
        ("", "f()"),
    ]


def test_a_line_goes_from_a_call_to_its_result():
    assert drawn(asked("a"), result("a")) == [[(0, "start")], [(0, "end")]]


def test_lines_of_parallel_calls_have_a_lane_each():
    assert drawn(asked("a", "b"), result("a"), result("b")) == [
        [(0, "start")],
        [(0, "pass"), (1, "start")],
        [(0, "end"), (1, "pass")],
        [(1, "end")],
    ]


def test_results_in_another_order_are_tied_by_their_ids():
    assert drawn(asked("a", "b"), result("b"), result("a"))[2:] == [
        [(0, "pass"), (1, "end")],
        [(0, "end")],
    ]


def test_a_lane_is_used_again_when_its_line_has_ended():
    assert cards_of([asked("a"), result("a"), asked("b"), result("b")], "ollama").lanes == 1


def test_a_call_without_a_result_leads_nowhere_and_says_so():
    (card, _) = cards(asked("a"), UserMessage(content="?"))
    assert card.rows[0].lanes[0].stub
    assert card.rows[0].faults == ("This call has no result.",)


def test_an_orphan_is_marked_at_the_result_with_the_words_of_the_server():
    _, card = cards(UserMessage(content="U"), result("a"))
    assert card.rows[0].lanes[0].stub
    assert card.rows[0].faults == ("This result belongs to no open call.",)
    assert card.answers[0].startswith(
        "400 invalid_request_error: Invalid parameter: messages with role 'tool'"
    )


def test_a_second_result_is_marked_and_the_first_stays_tied():
    first, second = cards(asked("a"), result("a"), result("a"))[1:]
    assert first.rows[0].faults == ()
    assert second.rows[0].faults == ("This call has its result already.",)


def test_a_fault_stands_at_the_call_that_it_is_about():
    card = cards(asked("a", "b"), result("b"))[0]
    assert [bool(row.faults) for row in card.rows] == [True, False]


def test_ollama_objects_to_nothing_though_the_fault_is_there():
    card = cards(asked("a"), dialect="ollama")[0]
    assert card.rows[0].faults
    assert not card.answers


def test_what_can_be_written_otherwise_is_named():
    card, answer = cards(asked("a", text="Look."), result("a"))
    assert [field.name for field in card.fields] == [
        "content",
        "call 0 id",
        "call 0 name",
        "call 0 arguments",
    ]
    assert [field.name for field in answer.fields] == ["tool_call_id", "content"]


@settings(deadline=None)  # a busy machine
@given(
    st.lists(
        st.one_of(
            st.lists(st.sampled_from("abcdefgh"), max_size=8).map(lambda ids: asked(*ids)),
            st.sampled_from("abcdefgh").map(result),
            st.just(UserMessage(content="U")),
        ),
        max_size=12,
    )
)
def test_every_line_that_starts_ends_in_the_lane_that_it_started_in(messages):
    open_lanes: dict[int, int] = {}
    found = cards_of(messages, "openai-responses")
    for card in found.cards:
        for row in card.rows:
            for lane in row.lanes:
                assert 0 <= lane.lane <= MOST_LANES
                if lane.stub:
                    continue
                if lane.how == "start":
                    open_lanes[lane.pair] = lane.lane
                assert open_lanes[lane.pair] == lane.lane
                if lane.how == "end":
                    del open_lanes[lane.pair]
    assert not open_lanes


def test_a_result_before_its_call_says_so():
    assert cards(result("a"), asked("a"))[0].rows[0].faults == ("This result stands before its call.",)


def test_results_of_two_calls_with_one_id_are_tied_in_order():
    found = cards(asked("a", "a"), result("a"), result("a"))
    assert [len(card.rows[0].lanes) for card in found[1:]] == [2, 1]
    assert "paired in order" in found[2].rows[0].faults[0]
