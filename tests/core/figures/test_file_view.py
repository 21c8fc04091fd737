"""Runs and files in words."""

import pytest

from core.figures.file_view import choice, origin, saved_as
from core.messages.types import AssistantMessage, SystemMessage, ToolCall, ToolResultMessage, UserMessage
from core.trace import ModelCall, Origin, Step, StepKind, Trace, Usage
from core.traces import FORMATS, load
from core.traces.examples import example

K = StepKind
ASKED = AssistantMessage(tool_calls=(ToolCall(id="1", name="look", arguments='{ "at":1 }'),))
FAILED = ToolResultMessage(tool_call_id="1", name="look", content="No.", is_error=True)


def run_of(*messages, title="A run", **fields):
    steps = tuple(Step(kind=K.OBSERVATION, turn=1, appended=message) for message in messages)
    return Trace(title=title, source="imported", steps=steps, **fields)


def notes(trace):
    return {way.format: way.note for way in saved_as(trace)}


def test_every_format_can_be_saved():
    assert tuple(way.format for way in saved_as(run_of())) == FORMATS


def test_a_request_says_what_it_loses_of_this_run():
    said = notes(run_of(UserMessage(content="Hi"), ASKED, FAILED, SystemMessage(content="More")))

    assert said["openai-chat"].endswith("as a request. Lost: mark of an error (1 ×).")
    assert said["anthropic"].endswith("Lost: spelling of arguments (1 ×), place of a message (1 ×).")


def test_a_request_that_loses_nothing_says_no_more():
    assert notes(run_of(UserMessage(content="Hi")))["ollama"].endswith("as a request.")


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Which city is warmer?", "which-city-is-warmer"),
        ("../../etc/passwd", "etc-passwd"),
        ("天気", "run"),
        ("x" * 90, "x" * 40),
    ],
)
def test_a_file_has_the_title_of_its_run_in_safe_letters(title, stem):
    files = {way.format: way.file for way in saved_as(run_of(title=title))}

    assert (files["loopscope"], files["react-text"], files["html"]) == (
        f"{stem}.loopscope.json",
        f"{stem}.txt",
        f"{stem}.html",
    )


def test_a_run_from_a_file_says_where_it_comes_from_and_what_is_not_there():
    line, sentences = origin(load(example("react-langchain.txt"), "mine.txt"))

    assert line == "from mine.txt · ReAct text · lacks 7 · 1 notice"
    assert sentences == (
        "Calls without an id got one; results are paired with them by name and order.",
        "Not in this file: the tool schemas, the name of the model, the token counts, the text that each "
        "call sent, the size of the window, why each reply ended, the alternatives of each token.",
    )


def test_a_run_without_a_file_says_nothing_of_one():
    assert origin(run_of()) == ("", ())


def test_a_long_name_of_a_file_is_cut():
    line, _ = origin(run_of(origin=Origin(format="ATIF", file="x" * 300)))

    assert line.startswith(f"from {'x' * 16}… · ATIF")


def test_a_run_among_several_is_told_by_its_number_title_and_calls():
    call = Step(kind=K.MODEL_CALL, turn=1, model_call=ModelCall(reply=ASKED, usage=Usage()))

    assert choice(3, Trace(title="T", source="imported", steps=(call,))) == "3 · T · 1 model call"
