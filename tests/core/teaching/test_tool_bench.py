"""The bundled tools, calls and attempts of the tool screen are what they say."""

import pytest

from core.agent.execution import Executor
from core.agent.mcp_client import discover
from core.agent.pasted import read_call
from core.scenarios.faults import own_data_only
from core.teaching.sandbox import ATTEMPTS, try_all
from core.teaching.tool_bench import BENCH, EXAMPLES, LIBRARY_CALLS
from core.trace import Step, StepKind

TOOLS = tuple(bench.tool for bench in BENCH.values())


def steps_of(text: str, tool: str) -> tuple[Step, ...]:
    pasted = read_call(text, tool)
    return tuple(Executor(TOOLS, policy=own_data_only).steps((pasted.call,), 1, pasted.refused))


def stage_of(text: str, tool: str) -> str:
    """Where a call ends: a stage of the checks, `failed` or `ran`."""
    steps = steps_of(text, tool)
    if any(step.kind is StepKind.EXECUTION for step in steps):
        return "failed" if steps[-1].text.startswith("ERROR") else "ran"
    verdicts = [step.validation for step in steps if step.validation]
    return verdicts[-1].stage or "refused"


@pytest.mark.parametrize("name", [name for name in BENCH if name != "send_mail"])
def test_the_right_call_of_every_tool_runs(name):
    assert stage_of(BENCH[name].call, name) == "ran"


def test_mail_is_never_really_sent():
    assert "sends no mail" in steps_of(BENCH["send_mail"].call, "send_mail")[-1].text


ENDS = {
    "Nothing wrong": "ran",
    "Cut off in the middle": "json",
    "Python in place of JSON": "json",
    "The same key twice": "json",
    "NaN, which JSON does not know": "json",
    "A code fence around it": "ran",
    "A tool that does not exist": "tool",
    "A field is missing": "schema",
    "A field too many": "schema",
    "A value outside the enum": "schema",
    '"5" where a number belongs': "schema",
    "5.0 where an integer belongs": "ran",
    "Well-formed, but not permitted": "policy",
    "The tool itself fails": "failed",
    "A program": "ran",
    "A program that wants a file": "failed",
    "Whole, but the reply was cut off": "refused",
    "Anthropic's form": "ran",
    "The text of Hermes and Qwen": "ran",
}


def test_every_example_ends_where_its_title_says():
    assert {example.title: stage_of(example.text, example.tool) for example in EXAMPLES} == ENDS


def test_an_integer_may_be_written_with_a_decimal_point():
    # JSON Schema, draft 2020-12, validation 6.1.1: a number without fractional part is an integer.
    assert steps_of('{"seats": 5.0, "day": "monday"}', "find_room")[-1].text == "Grace, 6 seats, on monday"


def test_everything_that_a_program_tries_is_stopped():
    assert all(tried.stopped for tried in try_all())
    assert len(ATTEMPTS) == len(try_all())


def test_the_calls_of_the_library_are_of_tools_that_it_offers():
    with discover() as library:
        offered = {tool.name for tool in library.tools}
    assert {call.tool for call in LIBRARY_CALLS.values() if call} <= offered
