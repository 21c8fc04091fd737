"""Whether a well-formed call is permitted: a verdict of its own, after the checks."""

import pytest

from core.agent import Tool, allow_only, run
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, ToolCall
from core.trace import StepKind

PAID: list[int] = []


def pay(cents: int) -> str:
    """Pay."""
    PAID.append(cents)
    return "paid"


def limit(name: str, arguments: dict) -> str | None:
    return f"{name} pays at most 100" if arguments["cents"] > 100 else None


def broken(name: str, arguments: dict) -> None:  # noqa: ARG001
    raise ZeroDivisionError


def greedy(name: str, arguments: dict) -> None:  # noqa: ARG001
    arguments["cents"] = 1_000_000


def steps_of(arguments: str, policy):
    PAID.clear()
    call = ToolCall(id="a", name="pay", arguments=arguments)
    model = ScriptedModel("m", [AssistantMessage(tool_calls=(call,)), AssistantMessage(content="Done.")])
    return list(run(model, "q", [Tool.from_function(pay)], policy=policy))


def verdicts(steps):
    return [(step.validation.ok, step.validation.stage) for step in steps if step.validation]


def test_a_permitted_call_has_two_verdicts_and_runs():
    assert verdicts(steps_of('{"cents": 5}', limit)) == [(True, None), (True, "policy")]
    assert PAID == [5]


def test_a_forbidden_call_is_well_formed_and_does_not_run():
    steps = steps_of('{"cents": 500}', limit)

    assert verdicts(steps) == [(True, None), (False, "policy")]
    assert PAID == []


def test_the_model_is_told_why_and_the_run_goes_on():
    steps = steps_of('{"cents": 500}', limit)

    [result] = [step.appended for step in steps if step.kind is StepKind.OBSERVATION]
    assert (result.content, result.is_error) == ("ERROR: not permitted: pay pays at most 100", True)
    assert steps[-1].kind is StepKind.ANSWER


def test_the_policy_is_not_asked_about_a_call_that_is_not_well_formed():
    assert verdicts(steps_of('{"cents": "many"}', broken)) == [(False, "schema")]


def test_without_a_policy_there_is_no_verdict_of_one():
    assert verdicts(steps_of('{"cents": 5}', None)) == [(True, None)]


def test_a_policy_that_fails_to_decide_permits_nothing():
    assert verdicts(steps_of('{"cents": 5}', broken))[-1] == (False, "policy")
    assert PAID == []


def test_a_policy_cannot_change_the_call():
    steps_of('{"cents": 5}', greedy)

    assert PAID == [5]


@pytest.mark.parametrize(("names", "paid"), [(("pay",), [5]), (("look",), []), ((), [])])
def test_an_allowlist_permits_what_is_on_it(names, paid):
    steps_of('{"cents": 5}', allow_only(*names))

    assert paid == PAID


def test_an_allowlist_says_what_is_on_it():
    assert allow_only("read", "look")("pay", {}) == (
        "the tool 'pay' is not on the allowlist; on it: look, read"
    )


def test_an_allowlist_of_a_list_is_refused_for_it_would_permit_nothing():
    with pytest.raises(InputError, match="names of tools"):
        allow_only(["pay"])
