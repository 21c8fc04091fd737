"""Calls of one turn that run at once: results in another order, each with the id of its call."""

import threading

import pytest

from core.agent import Guards, Tool, record, resume, run, states
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, ToolResultMessage, check_pairing
from core.trace import StepKind
from tests.core.agent.looping import ANSWER, call, calling, results

PATIENCE = 20  # seconds


@pytest.fixture
def last_first():
    """A tool whose earlier calls come back after the later one, which can only be if all run at once."""
    done = {name: threading.Event() for name in "abc"}
    after = {"a": "b", "b": "c"}

    def wait(city: str) -> str:
        """Wait for the next one."""
        if city in after and not done[after[city]].wait(PATIENCE):
            return "alone"
        done[city].set()
        return city.upper()

    return Tool.from_function(wait)


THREE = calling(*(call(f"id_{city}", city, name="wait") for city in "abc"))


def test_results_come_as_the_tools_finish_and_are_paired_by_id(last_first):
    steps = list(run(ScriptedModel("m", [THREE, ANSWER]), "q", [last_first], guards=Guards(parallel=True)))
    came = [(result.tool_call_id, result.content) for result in results(steps)]
    assert came == [("id_c", "C"), ("id_b", "B"), ("id_a", "A")]
    trace = record(steps, title="t", source="scripted")
    assert check_pairing(trace.messages) == []
    assert states(trace)[-1].context == ("c0", "o1", "a1.1", "a1.2", "a1.3", "o2.3", "o2.2", "o2.1")


def test_all_are_taken_up_before_one_is_executed_and_all_are_back_before_the_next_model_call(last_first):
    steps = run(ScriptedModel("m", [THREE, ANSWER]), "q", [last_first], guards=Guards(parallel=True))
    kinds = [step.kind for step in steps]
    taken_up = [StepKind.TOOL_CALL, StepKind.VALIDATION] * 3
    back = [StepKind.EXECUTION, StepKind.OBSERVATION] * 3
    assert kinds == [
        StepKind.USER_INPUT,
        StepKind.MODEL_CALL,
        *taken_up,
        *back,
        StepKind.MODEL_CALL,
        StepKind.ANSWER,
    ]


def test_one_after_the_other_they_come_in_the_order_of_the_calls():
    def wait(city: str) -> str:
        return city

    steps = list(run(ScriptedModel("m", [THREE, ANSWER]), "q", [Tool.from_function(wait)]))
    assert [result.content for result in results(steps)] == ["a", "b", "c"]


def test_what_hangs_is_left_behind_and_keeps_nobody_waiting_for_its_result():
    never = threading.Event()

    def wait(city: str) -> str:
        return city if city != "b" else str(never.wait(PATIENCE))

    guards = Guards(parallel=True, timeout=1)
    steps = list(run(ScriptedModel("m", [THREE, ANSWER]), "q", [Tool.from_function(wait)], guards=guards))
    never.set()
    failed = {result.tool_call_id: result.is_error for result in results(steps)}
    assert failed == {"id_a": False, "id_c": False, "id_b": True}
    assert [step.guard for step in steps if step.guard] == ["timeout"]


def test_a_call_that_fails_a_check_has_its_result_before_the_others_run(last_first):
    wrong = calling(THREE.tool_calls[2], call("id_x", name="wait", arguments="{}"))
    steps = list(run(ScriptedModel("m", [wrong, ANSWER]), "q", [last_first], guards=Guards(parallel=True)))
    assert [result.tool_call_id for result in results(steps)] == ["id_x", "id_c"]


def test_the_same_call_among_those_that_run_at_once_is_a_repeat():
    ran = []

    def wait(city: str, reason: str) -> str:  # noqa: ARG001
        ran.append(city)
        return city

    asked = ['{"city": "a", "reason": "x"}', '{"reason": "y", "city": "a"}', '{"city": "b", "reason": "z"}']
    same = calling(*(call(f"id_{n}", name="wait", arguments=asked[n]) for n in (0, 1, 2)))
    tools = [Tool.from_function(wait)]
    runs = {}
    for limit in (2, 3):
        ran.clear()
        guards = Guards(parallel=True, repeats=limit)
        steps = list(run(ScriptedModel("m", [same, same, ANSWER]), "q", tools, guards=guards))
        redirected = [(step.turn, step.tool_call.id) for step in steps if step.guard == "repeat"]
        runs[limit] = (sorted(ran), redirected)
        assert check_pairing(record(steps, title="t", source="scripted").messages) == []
    again = [(2, f"id_{n}") for n in (0, 1, 2)]
    assert runs == {2: (["a", "b"], [(1, "id_1"), *again]), 3: (["a", "a", "b", "b"], again[:2])}


def test_a_run_that_was_left_between_two_results_goes_on_with_the_open_calls():
    def wait(city: str) -> str:
        return city

    guards = Guards(parallel=True, repeats=2)
    tools = [Tool.from_function(wait)]
    steps = list(run(ScriptedModel("m", [THREE, ANSWER]), "q", tools, guards=guards))
    first = next(n for n, step in enumerate(steps) if isinstance(step.appended, ToolResultMessage))
    left = record(steps[: first + 1], title="t", source="live")
    again = calling(*(call(f"again_{city}", city, name="wait") for city in "ab"))
    went_on = list(resume(left, ScriptedModel("m", [again, ANSWER]), tools, guards=guards))
    assert len(results(went_on)) == 2 + 2
    assert [step.tool_call.id for step in went_on if step.guard == "repeat"] == ["again_a", "again_b"]
    assert isinstance(went_on[-1].appended, AssistantMessage)
