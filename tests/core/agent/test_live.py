"""A model that streams: watched, stopped, and broken off."""

import pytest

from core.agent import TEXT, StopRun, Tool, record, run
from core.errors import InputError
from core.lm.chat import Piece, Reply
from core.messages import AssistantMessage, ToolCall
from core.trace import StepKind


def look() -> str:
    """Look around."""
    return "a wood"


CALL = AssistantMessage(tool_calls=(ToolCall(id="a", name="look", arguments="{}"),))


class Streaming:
    """Streams each reply word by word; an exception in its place breaks off there."""

    name = "streaming"
    window = 100

    def __init__(self, *replies):
        self._replies = iter(replies)
        self.closed = 0
        self.sent = 0

    def reply(self, messages, tools):  # noqa: ARG002
        raise AssertionError("a model that can stream is streamed")

    def stream(self, messages, tools):  # noqa: ARG002
        try:
            pieces, end = next(self._replies)
            for piece in pieces:
                self.sent += 1
                yield piece
            if isinstance(end, Exception):
                raise end
            return end
        finally:
            self.closed += 1


def spoken(text, **fields):
    pieces = [Piece(text=word) for word in text.replace(" ", " |").split("|")]
    return pieces, Reply(message=AssistantMessage(content=text), **fields)


def broken(text):
    return spoken(text)[0], InputError("The server has gone. Start it again.")


def run_of(model, watch=None, **options):
    steps = list(run(model, "q", [Tool.from_function(look)], watch=watch, **options))
    return record(steps, title="t", source="live")


def kinds(trace):
    return [step.kind for step in trace.steps]


def test_every_piece_of_a_reply_is_watched_in_order():
    seen = []

    run_of(Streaming(spoken("It is a wood.")), seen.append)

    assert "".join(piece.text for piece in seen) == "It is a wood."


def test_a_streamed_reply_is_recorded_whole():
    trace = run_of(Streaming(([], Reply(message=CALL)), spoken("A wood.", finish_reason="stop")))

    assert trace.stop_reason == "answer"
    assert (trace.calls[1].reply.content, trace.calls[1].finish_reason) == ("A wood.", "stop")


def test_nobody_needs_to_watch():
    assert run_of(Streaming(spoken("A wood."))).stop_reason == "answer"


def test_a_model_that_breaks_off_ends_the_run_and_its_words_are_kept():
    trace = run_of(Streaming(broken("It is a")))

    assert kinds(trace) == [StepKind.USER_INPUT, StepKind.MODEL_CALL, StepKind.STOP]
    assert trace.calls[0].reply.content == "It is a"
    assert trace.calls[0].failure == "The server has gone. Start it again."
    assert trace.stop_reason == "The server has gone. Start it again."


def test_words_that_broke_off_do_not_enter_the_history():
    assert [message.role for message in run_of(Streaming(broken("It is a"))).messages] == ["user"]


def test_thinking_that_broke_off_is_kept_apart_from_text():
    pieces = [Piece(thinking="Let me "), Piece(thinking="see."), Piece(text="It")]

    trace = run_of(Streaming((pieces, InputError("Gone."))))

    assert (trace.calls[0].reply.thinking, trace.calls[0].reply.content) == ("Let me see.", "It")


def test_a_model_that_fails_at_once_ends_the_run_with_its_sentence():
    trace = run_of(Streaming(([], InputError("No server answers."))))

    assert (kinds(trace)[-1], trace.stop_reason) == (StepKind.STOP, "No server answers.")


def test_a_later_call_that_fails_keeps_what_came_before():
    trace = run_of(Streaming(([], Reply(message=CALL)), ([], InputError("Gone."))))

    assert [message.role for message in trace.messages] == ["user", "assistant", "tool"]
    assert trace.stop_reason == "Gone."


def test_whoever_watches_can_stop_the_model_within_one_piece():
    def watch(piece):
        if "a" in piece.text:
            raise StopRun

    model = Streaming(spoken("It is a wood, a large one."))
    trace = run_of(model, watch)

    assert (model.sent, model.closed) == (3, 1)
    assert (trace.calls[0].reply.content, trace.stop_reason) == ("It is a ", "stopped by hand")


@pytest.mark.parametrize("raised", [RuntimeError, StopIteration, KeyboardInterrupt])
def test_any_other_exception_of_the_watcher_goes_on_and_the_model_is_stopped(raised):
    def watch(piece):  # noqa: ARG001
        raise raised

    model = Streaming(spoken("It is a wood."))

    with pytest.raises((raised, RuntimeError)):  # a StopIteration leaves a generator as a RuntimeError
        run_of(model, watch)
    assert model.closed == 1


def test_closing_the_run_between_steps_asks_the_model_no_more():
    model = Streaming(([], Reply(message=CALL)), spoken("A wood."))
    steps = run(model, "q", [Tool.from_function(look)])

    while next(steps).kind is not StepKind.OBSERVATION:
        pass
    steps.close()

    assert model.closed == 1


def test_notes_on_the_way_are_kept():
    pieces = [Piece(note="Asked again."), *spoken("It is")[0]]

    assert run_of(Streaming((pieces, InputError("Gone.")))).calls[0].notes == ("Asked again.",)


def test_a_model_that_writes_its_own_observation_is_stopped_there():
    text = "Thought: I look.\nAction: look\nAction Input: {}\nObservation: a town, and so on and so on"
    model = Streaming(spoken(text), spoken("Final Answer: a wood"))

    trace = run_of(model, format=TEXT)

    assert trace.calls[0].reply.content.endswith("Observation: ")
    assert [step.text for step in trace.steps if step.kind is StepKind.OBSERVATION] == ["a wood"]
    assert trace.stop_reason == "answer"
