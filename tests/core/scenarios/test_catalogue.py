"""The bundled demos: what really running them gives."""

import json
import re
from functools import cache

import pytest

from core.agent import PROMPT_TOOL_LOOP
from core.context import TokenCounter, run_budget
from core.errors import InputError
from core.lm import load_tokenizer
from core.messages import AssistantMessage, ToolCall, ToolResultMessage, UserMessage, check_pairing
from core.scenarios import SCENARIOS, scenario_of
from core.scenarios import trace as trace_of
from core.trace import StepKind, Trace

SLUGS = [scenario.slug for scenario in SCENARIOS]
INVENTING = ("open-loop", "careless")  # to be caught by a review


trace = cache(trace_of)


@cache
def counted(slug):
    return trace_of(slug, TokenCounter(load_tokenizer()))


def results(run):
    return [message.content for message in run.messages if isinstance(message, ToolResultMessage)]


def test_the_berlin_run_is_the_trace_of_the_lecture():
    assert trace("berlin").messages == (
        UserMessage(content="What's the weather in Berlin?"),
        AssistantMessage(
            tool_calls=(ToolCall(id="call_1", name="get_weather", arguments='{"city": "Berlin"}'),)
        ),
        ToolResultMessage(tool_call_id="call_1", name="get_weather", content="12°C, rainy"),
        AssistantMessage(content="It's 12°C and rainy in Berlin."),
    )


def test_the_berlin_run_has_two_turns():
    assert len(trace("berlin").calls) == 2


def test_the_parallel_run_has_a_thought_and_two_calls_in_one_turn():
    run = trace("parallel")

    assert [len(call.reply.tool_calls) for call in run.calls] == [2, 0]
    assert StepKind.THOUGHT in [step.kind for step in run.steps]


def test_the_repair_run_brings_the_error_back_and_then_succeeds():
    error, success = results(trace("repair"))

    assert error == (
        'ERROR: invalid arguments for get_forecast: $.unit is "F", but must be one of "celsius", "fahrenheit"'
    )
    assert success == "75°F, sunny"  # 24 °C


def test_the_refund_run_finds_the_enrollment_and_the_rule():
    enrollment, passages = results(trace("refund"))

    assert json.loads(enrollment) == {"course": "Django REST APIs", "purchased_days_ago": 4, "progress": 12}
    assert next(iter(json.loads(passages))) == "refund-policy#0"


def test_every_call_of_the_refund_run_states_its_reason():
    calls = [call for made in trace("refund").calls for call in made.reply.tool_calls]

    assert all(json.loads(call.arguments)["reason"].endswith(".") for call in calls)


def test_the_budget_run_ends_at_its_cap():
    run = trace("budget")

    assert (run.steps[-1].line, run.stop_reason, len(run.calls)) == (
        9,
        "step budget exhausted",
        run.max_steps,
    )


def test_the_run_without_tools_answers_in_its_first_turn():
    assert [step.kind for step in trace("no-tool").steps] == [
        StepKind.USER_INPUT,
        StepKind.MODEL_CALL,
        StepKind.ANSWER,
    ]


def test_the_demos_together_execute_every_line_of_the_pseudocode():
    executed = {line for slug in SLUGS for step in trace(slug).steps for line in (step.line, *step.passed)}

    assert executed == {line.number for line in PROMPT_TOOL_LOOP}


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in INVENTING])
def test_every_number_of_an_answer_stands_in_a_tool_result_or_a_passage_of_the_prompt(slug):
    run = trace(slug)
    answers = [step.text for step in run.steps if step.kind is StepKind.ANSWER]

    given = " ".join([run.system, *results(run)])
    assert set(re.findall(r"\d+", " ".join(answers))) <= set(re.findall(r"\d+", given))


@pytest.mark.parametrize("slug", SLUGS)
def test_a_demo_says_that_its_model_is_scripted(slug):
    assert trace(slug).source == "scripted"


@pytest.mark.parametrize("slug", SLUGS)
def test_a_demo_uses_its_whole_script(slug):
    assert tuple(call.reply for call in trace(slug).calls) == scenario_of(slug).replies


@pytest.mark.parametrize("slug", SLUGS)
def test_the_history_of_a_demo_may_be_sent(slug):
    assert check_pairing(trace(slug).messages) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_a_demo_survives_being_written_and_read(slug):
    run = counted(slug)

    assert Trace.model_validate_json(run.model_dump_json()) == run


@pytest.mark.parametrize("slug", SLUGS)
def test_each_call_sends_the_whole_call_before_again(slug):
    budget = run_budget(counted(slug))

    # To its end: the reply's turn begins with the tokens of the generation prompt.
    assert [call.resent for call in budget.calls[1:]] == [call.total for call in budget.calls[:-1]]


def test_without_a_counter_the_parts_are_known_and_not_counted():
    [first, _] = trace("berlin").calls

    assert [(segment.part.value, segment.tokens) for segment in first.segments][1] == ("system prompt", None)


def test_an_unknown_demo_is_refused_with_the_names_that_exist():
    with pytest.raises(InputError, match="berlin"):
        trace_of("paris")


def test_slugs_and_titles_are_distinct_and_titles_and_notes_short():
    assert len(set(SLUGS)) == len({scenario.title for scenario in SCENARIOS}) == len(SCENARIOS)
    assert all(len(scenario.title) <= 36 and len(scenario.note) <= 110 for scenario in SCENARIOS)
