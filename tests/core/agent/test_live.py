"""A run in a thread: what can be seen of it, and that it waits and stops when it is told."""

import threading
from collections.abc import Generator, Sequence
from typing import Any

import pytest

from core.agent import Tool, run
from core.agent.live import LiveRun
from core.lm.chat import Piece, Reply
from core.lm.scripted import ScriptedModel
from core.messages.types import AssistantMessage, Message, ToolCall, ToolSchema
from core.trace import StepKind

PATIENCE = 60  # seconds


def echo(word: str) -> str:
    """Say it."""
    return word


TOOL = Tool.from_function(echo)
CALL = AssistantMessage(tool_calls=(ToolCall(id="1", name="echo", arguments='{"word": "a"}'),))
ANSWER = AssistantMessage(content="done")


class Typist:
    """Streams a word a piece, each when it is allowed to, and counts those that it made."""

    name, window = "typist", None

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.made = 0
        self.may = threading.Semaphore(0)

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:  # noqa: ARG002
        raise AssertionError("it streams")

    def stream(self, messages: Any, tools: Any) -> Generator[Piece, None, Reply]:  # noqa: ARG002
        for word in self.words:
            assert self.may.acquire(timeout=PATIENCE)
            self.made += 1
            yield Piece(text=word)
        return Reply(message=AssistantMessage(content="".join(self.words)), finish_reason="stop")


def until(holds: Any) -> None:
    pause = threading.Event()
    for _ in range(PATIENCE * 100):
        if holds():
            return
        pause.wait(0.01)
    raise AssertionError("it did not happen")


@pytest.fixture
def typist() -> Typist:
    return Typist(["one ", "two ", "three"])


def test_its_steps_are_those_of_the_loop() -> None:
    live = LiveRun(lambda watch: run(ScriptedModel("m", [CALL, ANSWER]), "q", [TOOL], watch=watch))
    live.wait(PATIENCE)
    assert not live.going
    assert live.steps == tuple(run(ScriptedModel("m", [CALL, ANSWER]), "q", [TOOL]))


def test_a_reply_can_be_seen_while_it_comes(typist: Typist) -> None:
    live = LiveRun(lambda watch: run(typist, "q", watch=watch))
    typist.may.release(2)
    until(lambda: live.coming.text == "one two ")
    assert live.going
    typist.may.release()
    live.wait(PATIENCE)
    assert live.steps[-1].text == "one two three"
    assert live.coming == Piece()


def test_a_stop_takes_effect_within_one_token_and_keeps_what_came(typist: Typist) -> None:
    live = LiveRun(lambda watch: run(typist, "q", watch=watch))
    typist.may.release()
    until(lambda: live.coming.text == "one ")
    live.stop()
    typist.may.release()
    live.wait(PATIENCE)
    assert typist.made == 2
    assert [step.kind for step in live.steps] == [StepKind.USER_INPUT, StepKind.MODEL_CALL, StepKind.STOP]
    assert live.steps[1].model_call is not None
    assert live.steps[1].model_call.reply.content == "one two "


def test_a_stop_between_two_steps_ends_the_run_there() -> None:
    reached, may = threading.Event(), threading.Event()

    def wait(word: str) -> str:
        """Wait."""
        reached.set()
        may.wait(PATIENCE)
        return word

    call = AssistantMessage(tool_calls=(ToolCall(id="1", name="wait", arguments='{"word": "a"}'),))
    model = ScriptedModel("m", [call, ANSWER])
    live = LiveRun(lambda watch: run(model, "q", [Tool.from_function(wait)], watch=watch))
    assert reached.wait(PATIENCE)
    live.stop()
    may.set()
    live.wait(PATIENCE)
    assert live.steps[-1].kind is StepKind.STOP
    assert StepKind.ANSWER not in [step.kind for step in live.steps]


def test_a_paused_run_makes_no_token_until_it_goes_on(typist: Typist) -> None:
    live = LiveRun(lambda watch: run(typist, "q", watch=watch))
    until(lambda: live.steps)
    live.pause()
    typist.may.release(3)
    until(lambda: typist.made == 1)
    assert live.paused
    threading.Event().wait(0.1)
    assert typist.made == 1
    live.go_on()
    live.wait(PATIENCE)
    assert live.steps[-1].kind is StepKind.ANSWER


def test_an_answer_is_not_followed_by_a_stop(typist: Typist) -> None:
    live = LiveRun(lambda watch: run(typist, "q", watch=watch))
    typist.may.release(3)
    live.wait(PATIENCE)
    live.stop()
    assert [step.kind for step in live.steps][-1] is StepKind.ANSWER


def test_a_run_that_breaks_says_so_and_keeps_its_steps() -> None:
    def broken(watch: Any) -> Any:
        yield from run(ScriptedModel("m", [ANSWER]), "q", watch=watch)
        raise ZeroDivisionError("inside")

    live = LiveRun(broken)
    live.wait(PATIENCE)
    assert live.steps[-1].text == "The run broke off: ZeroDivisionError."
    assert len(live.steps) == 4
