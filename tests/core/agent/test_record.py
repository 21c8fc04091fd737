"""From a run to a trace."""

import pytest

from core.agent import record, run
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages import (
    AssistantMessage,
    UserMessage,
)
from tests.core.agent.looping import ANSWER, call, calling, steps_of


def test_a_trace_keeps_the_history_that_was_there_before():
    history = (UserMessage(content="before"), AssistantMessage(content="then"))
    steps = run(ScriptedModel("m", [ANSWER]), "q", history=history)

    trace = record(steps, title="t", source="scripted", history=history)

    assert trace.messages == (*history, UserMessage(content="q"), ANSWER)


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ([ANSWER], "answer"),
        ([calling(call("a"))], "step budget exhausted"),
        (
            [],
            "The scripted model 'm' has only 0 replies and was called once more. Add a reply, or lower the "
            "number of steps.",
        ),
    ],
)
def test_a_trace_says_why_the_run_ended(replies, reason):
    assert record(steps_of(*replies, max_steps=1), title="t", source="scripted").stop_reason == reason


def test_a_trace_of_a_run_that_was_left_says_so():
    steps = steps_of(ANSWER)

    assert record(steps[:2], title="t", source="live").stop_reason == "not finished"


def test_what_is_no_run_cannot_be_recorded():
    with pytest.raises(InputError, match="A run to record"):
        record(None, title="t", source="live")
