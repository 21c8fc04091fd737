"""Native calls and ReAct text, message by message."""

from core.figures.dialects_view import dialects_view
from core.messages import AssistantMessage, SystemMessage, ToolCall, ToolResultMessage, UserMessage

CONVERSATION = [
    SystemMessage(content="S"),
    UserMessage(content="Q"),
    AssistantMessage(
        content="T",
        tool_calls=(
            ToolCall(id="a", name="f", arguments='{"x": 1}'),
            ToolCall(id="b", name="g", arguments="{}"),
        ),
    ),
    ToolResultMessage(tool_call_id="b", content="B"),
    ToolResultMessage(tool_call_id="a", content="A"),
    AssistantMessage(content="Done."),
]


def test_the_text_is_that_of_the_lecture_with_each_line_its_messages():
    assert [(line.owner, line.label, line.text) for line in dialects_view(CONVERSATION).lines] == [
        ("0", "", "S"),
        ("1", "Question", "Q"),
        ("2", "Thought", "T"),
        ("2", "Action", "f"),
        ("2", "Action Input", '{"x": 1}'),
        ("4", "Observation", "A"),
        ("2", "Action", "g"),
        ("2", "Action Input", "{}"),
        ("3", "Observation", "B"),
        ("5", "Final Answer", "Done."),
    ]


def test_each_line_has_the_colour_of_its_part():
    parts = {line.label: line.part for line in dialects_view(CONVERSATION).lines}
    assert parts == {
        "": "system-prompt",
        "Question": "user",
        "Thought": "assistant",
        "Action": "tool-call",
        "Action Input": "tool-call",
        "Observation": "tool-result",
        "Final Answer": "assistant",
    }


def test_what_the_text_loses_is_told_at_the_message():
    told = dialects_view(CONVERSATION).text_loses
    assert {loss.owner for loss in told} == {"2"}
    assert any("2 calls were asked for together" in loss.reason for loss in told)


def test_what_the_calls_lose_is_told_too():
    (loss,) = dialects_view(CONVERSATION).native_loses
    assert loss.owner == "2"
    assert "label of the thought" in loss.reason
