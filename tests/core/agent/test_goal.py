"""A goal that the runtime tests before a reply without calls may end the run."""

import pytest

from core.agent import record, run, states
from core.errors import InputError
from core.figures.loop_cards import cards_of
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, UserMessage
from core.trace import StepKind

EARLY, LATE = AssistantMessage(content="Five."), AssistantMessage(content="Five, and thirty.")


def both(messages):
    return "" if "thirty" in messages[-1].content else "Say both."


def ran(*replies, goal=both, max_steps=8):
    return record(
        run(ScriptedModel("m", replies), "q", goal=goal, max_steps=max_steps), title="t", source="scripted"
    )


def test_an_answer_goes_back_until_the_goal_is_reached():
    trace = ran(EARLY, LATE)
    told = UserMessage(content="The goal is not reached: Say both.")
    assert trace.messages == (UserMessage(content="q"), EARLY, told, LATE)
    assert trace.stop_reason == "answer"


def test_both_tests_are_steps_on_the_line_that_ends_the_loop():
    guards = [step for step in ran(EARLY, LATE).steps if step.guard]
    assert [(step.kind, step.line, step.validation.ok) for step in guards] == [
        (StepKind.GUARD, 5, False),
        (StepKind.GUARD, 5, True),
    ]


def test_a_goal_that_is_never_reached_ends_at_the_step_cap():
    assert ran(EARLY, EARLY, max_steps=2).stop_reason == "step budget exhausted"


def test_the_answer_that_was_not_enough_is_a_thought_and_what_is_missing_an_observation():
    trace = ran(EARLY, LATE)
    assert states(trace)[-1].context == ("c0", "o1", "t1", "o2")
    assert [card.kind for card in cards_of(trace)[0]] == [
        "UserMessage",
        "AssistantMessage · goal not reached",
        "UserMessage · goal test",
        "AssistantMessage · answer",
    ]


def test_a_test_that_raises_is_not_reached_and_raises_nothing():
    trace = ran(EARLY, goal=lambda messages: messages[99], max_steps=1)
    assert trace.messages[-1].content == "The goal is not reached: its test failed with IndexError."


def test_a_goal_that_is_no_function_is_refused_at_once():
    with pytest.raises(InputError, match="The goal must be a function"):
        run(ScriptedModel("m", []), "q", goal="both")
