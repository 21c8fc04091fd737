"""The guards of a run: repeats, sizes, time and the step cap. Each firing is a step of the trace."""

import json
import threading
import time

import pytest

from core.agent import Guards, Tool, run
from core.agent.guards import Repeats, call_key
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, ToolCall
from core.trace import StepKind

ANSWER = AssistantMessage(content="Done.")


def asking(name: str, arguments: str = "{}", id: str = "a") -> AssistantMessage:
    return AssistantMessage(tool_calls=(ToolCall(id=id, name=name, arguments=arguments),))


def steps_of(function, *replies, **guards):
    tools = [Tool.from_function(function)]
    return list(run(ScriptedModel("m", [*replies, ANSWER]), "q", tools, guards=Guards(**guards)))


def fired(steps):
    return [(step.kind, step.guard, step.line) for step in steps if step.guard]


def observations(steps):
    return [step.appended for step in steps if step.kind is StepKind.OBSERVATION]


def find(query: str, reason: str = "") -> str:  # noqa: ARG001
    """Find."""
    return f"nothing about {query}"


def test_the_third_identical_call_is_redirected_and_not_run():
    runs = []

    def look(a: int, reason: str) -> str:  # noqa: ARG001
        runs.append(a)
        return "same"

    calls = ['{"a": 1, "reason": "x"}', '{"reason": "y", "a": 1.0}', '{ "a":1, "reason": "z"}']
    steps = steps_of(look, *(asking("look", arguments) for arguments in calls))

    assert runs == [1, 1]
    assert fired(steps) == [(StepKind.GUARD, "repeat", 7)]
    assert observations(steps)[2].is_error
    assert "already been made 2 times" in observations(steps)[2].content


def test_the_call_that_is_redirected_has_passed_its_checks():
    steps = steps_of(find, *(3 * [asking("find", '{"query": "x"}')]))

    guard = next(number for number, step in enumerate(steps) if step.guard)
    assert [step.kind for step in steps[guard - 2 : guard + 2]] == [
        StepKind.TOOL_CALL,
        StepKind.VALIDATION,
        StepKind.GUARD,
        StepKind.OBSERVATION,
    ]


def test_the_limit_can_be_stricter():
    assert fired(steps_of(find, *(2 * [asking("find", '{"query": "x"}')]), repeats=2))


def test_other_arguments_are_other_calls():
    files = [asking("find", json.dumps({"query": name})) for name in "abc"]

    assert fired(steps_of(find, *files)) == []


def test_polling_is_no_repeat_while_its_result_changes():
    progress = iter(["10%", "60%", "90%", "done"])

    def status() -> str:
        return next(progress)

    assert fired(steps_of(status, *(4 * [asking("status")]))) == []


def test_calls_in_between_change_nothing_so_that_a_cycle_is_found():
    cycle = [asking("find", json.dumps({"query": name})) for name in "retretret"]

    steps = list(
        run(
            ScriptedModel("m", [*cycle, ANSWER]),
            "q",
            [Tool.from_function(find)],
            max_steps=20,
        )
    )

    assert len(fired(steps)) == 3


def test_the_detector_can_be_turned_off():
    assert fired(steps_of(find, *(4 * [asking("find", '{"query": "x"}')]), repeats=None)) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": [{"b": 2.0}]}, {"a": [{"b": 2}]}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": 1, "reason": "x"}, {"a": 1}, True),
        ({"a": {"reason": "x"}}, {"a": {"reason": "y"}}, False),
        ({"a": None}, {}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
    ],
)
def test_arguments_are_compared_as_json_values_without_their_reason(one, other, same):
    assert (call_key("f", one) == call_key("f", other)) is same


def test_another_result_starts_the_count_again():
    repeats = Repeats()
    for result in ("a", "a", "b"):
        repeats.add("f", {}, result)

    assert repeats.times("f", {}) == 1


def test_a_long_result_is_cut_and_the_observation_says_so():
    def flood() -> str:
        return "x" * 1_000

    steps = steps_of(flood, asking("flood"), result_chars=100)

    assert fired(steps) == [(StepKind.GUARD, "result size", 7)]
    assert observations(steps)[0].content == "x" * 100 + "\n[cut: 100 of 1,000 characters are shown]"
    assert not observations(steps)[0].is_error


def test_a_long_error_is_cut_and_stays_an_error():
    def flood() -> str:
        raise ValueError("x" * 1_000)

    steps = steps_of(flood, asking("flood"), result_chars=100)

    assert observations(steps)[0].is_error
    assert len(observations(steps)[0].content) < 200


def test_a_result_of_just_the_allowed_size_is_whole():
    def exact() -> str:
        return "x" * 100

    assert fired(steps_of(exact, asking("exact"), result_chars=100)) == []


def test_a_tool_that_hangs_does_not_hang_the_loop():
    released = threading.Event()

    def hang() -> str:
        released.wait(30)
        return "late"

    start = time.monotonic()
    steps = steps_of(hang, asking("hang"), timeout=0.05)
    took = time.monotonic() - start
    released.set()

    assert took < 25  # it hangs for 30
    assert fired(steps) == [(StepKind.GUARD, "timeout", 7)]
    assert observations(steps)[0].content == "ERROR: the tool hang did not come back within 0.05 seconds"
    assert steps[-1].kind is StepKind.ANSWER


def test_the_step_cap_ends_the_run_with_a_message_that_is_safe_to_show():
    tools = [Tool.from_function(find)]
    guards = Guards(fallback="I could not complete this. A colleague will follow up.")

    steps = list(
        run(ScriptedModel("m", [asking("find", '{"query": "x"}')]), "q", tools, max_steps=1, guards=guards)
    )

    assert fired(steps) == [(StepKind.STOP, "step cap", 9)]
    assert steps[-1].text == "I could not complete this. A colleague will follow up."
