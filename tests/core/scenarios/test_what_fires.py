"""Each bundled demo shows what it is there for: the check, the guard, the order, the thought."""

import json
import subprocess
import sys
import time
from functools import cache

import pytest

from core.agent import states
from core.context import TokenCounter, run_budget
from core.lm import load_tokenizer
from core.messages import ToolResultMessage, check_pairing
from core.scenarios import play, scenario_of
from core.scenarios import trace as trace_of
from core.trace import StepKind

trace = cache(trace_of)


@cache
def counted(slug):
    return trace_of(slug, TokenCounter(load_tokenizer()))


def verdicts(slug):
    """Of every call that was checked: the stage of the verdict that decided, and what it says."""
    return [
        (step.validation.stage, step.validation.message)
        for step in trace(slug).steps
        if step.validation is not None
    ]


def results(slug):
    return [message.content for message in trace(slug).messages if isinstance(message, ToolResultMessage)]


def guards(slug):
    return [step.guard for step in trace(slug).steps if step.guard is not None]


def thoughts(slug):
    return [step.text for step in trace(slug).steps if step.kind is StepKind.THOUGHT]


def answer(slug):
    [text] = [step.text for step in trace(slug).steps if step.kind is StepKind.ANSWER]
    return text


def run_tools(slug):
    return [step.tool_call.name for step in trace(slug).steps if step.kind is StepKind.EXECUTION]


def test_results_in_another_order_pair_by_their_ids():
    asked, *came = trace("arrival").messages[1:4]

    assert [call.id for call in asked.tool_calls] == ["call_1", "call_2"]
    assert {message.tool_call_id: message.content for message in came} == {
        "call_2": "18°C, cloudy",
        "call_1": "12°C, rainy",
    }
    assert check_pairing(trace("arrival").messages) == []


def test_a_plan_is_written_anew_after_the_step_that_failed():
    first, failed, second, *_ = results("plan")

    assert first.splitlines()[0] == "1. Forecast of Lisbon"
    assert failed.startswith("ERROR: no weather station in Lisbon")
    assert len(second.splitlines()) == 2


def test_an_answer_with_which_the_goal_is_not_reached_ends_nothing():
    tests = [step for step in trace("goal-test").steps if step.guard == "goal test"]

    assert [step.text for step in tests] == ["No temperature was looked up for Paris and Oslo.", ""]
    assert [step.kind for step in trace("goal-test").steps].count(StepKind.ANSWER) == 1
    assert trace("goal-test").messages[5].content == f"The goal is not reached: {tests[0].text}"


def test_of_an_agent_behind_a_tool_only_the_answer_comes_back():
    _, told = results("agent-tool")

    assert told.endswith("less than 20% of the course is completed. (refund-policy#0)")
    assert len(trace("agent-tool").calls) == 2


def test_finish_is_an_action_that_ends_the_run():
    last = trace("finish").steps[-1]

    assert (last.kind, last.text) == (StepKind.ANSWER, "12°C and rainy")


def test_a_call_that_is_not_json_runs_nothing_and_is_repaired_by_the_model():
    first, second = verdicts("bad-json")

    assert first[0] == "json"
    assert first[1].endswith("Expecting property name enclosed in double quotes at line 1, column 2")
    assert second == (None, "")
    assert results("bad-json") == [f"ERROR: {first[1]}", "17°C, rainy"]


def test_an_unknown_tool_is_answered_with_those_that_exist():
    assert verdicts("unknown-tool")[0] == (
        "tool",
        "unknown tool 'get_temperature', available: get_forecast, get_weather",
    )
    assert run_tools("unknown-tool") == ["get_weather"]


def test_a_wrong_argument_fails_the_schema():
    assert [stage for stage, _ in verdicts("repair")] == ["schema", None]


def test_the_refused_call_is_well_formed_and_does_not_run():
    well_formed, refused = verdicts("policy")

    assert well_formed == (None, "")
    assert refused[0] == "policy"
    assert "asha@example.com" in refused[1]
    assert run_tools("policy") == []
    assert "55" not in " ".join(results("policy"))


def test_the_third_same_search_is_redirected_and_other_words_are_not():
    assert guards("repetition") == ["repeat"]
    assert run_tools("repetition") == ["search_docs"] * 3
    first, second, third, fourth = results("repetition")
    assert first == second
    assert "not run again" in third
    assert fourth not in (first, second)


def test_of_the_four_calls_of_the_lecture_the_fourth_is_repeating():
    run = [step for step in trace("detector").steps if step.kind in (StepKind.EXECUTION, StepKind.GUARD)]

    assert [step.tool_call.id for step in run if step.guard is None] == ["call_1", "call_2", "call_3"]
    assert [(step.guard, step.tool_call.id) for step in run if step.guard] == [("repeat", "call_4")]


def test_a_detector_that_allows_one_blocks_the_second_same_call():
    nothing, blocked, other = results("no-match")

    assert nothing == other == '{"result": "No matching documents."}'
    assert "already been made once" in blocked


def test_without_a_detector_the_same_call_is_made_until_the_step_cap():
    same = results("no-detector")

    assert same == ['{"result": "No matching documents."}'] * 4
    assert guards("no-detector") == ["step cap"]


def test_an_email_without_an_enrollment_changes_the_plan():
    assert run_tools("unknown-email") == ["get_enrollment"]
    assert "No enrollment found" in results("unknown-email")[0]


def test_an_example_in_the_prompt_is_sent_again_with_every_call():
    for call in counted("few-shot").calls:
        assert "Observation: 6°C, snowy" in "".join(segment.text for segment in call.segments)


def test_the_page_does_not_say_what_the_repeated_search_looks_for():
    assert not any(word in results("repetition")[0] for word in ("o'clock", "18:00", " pm"))


def test_the_step_cap_ends_with_a_safe_message():
    last = trace("budget").steps[-1]

    assert (last.kind, last.guard) == (StepKind.STOP, "step cap")
    assert last.text == "I could not finish this. A member of staff will answer you."


def test_the_code_tool_does_in_one_call_what_the_calculator_does_in_three():
    assert run_tools("calculator") == ["calculate"] * 3
    assert run_tools("code") == ["run_python"]
    assert answer("calculator") == answer("code")
    assert scenario_of("calculator").question == scenario_of("code").question


def test_mean_and_deviation_are_those_of_the_points():
    points = [62, 64, 64, 64, 65, 65, 67, 69]
    mean = sum(points) / 8
    deviation = (sum((point - mean) ** 2 for point in points) / 8) ** 0.5

    assert results("calculator") == [f"{mean:g}", f"{deviation**2:g}", f"{deviation:g}"]
    assert results("code") == [f"mean {mean:g}, standard deviation {deviation:g}\n"]


def test_the_tools_of_the_mcp_run_were_discovered():
    assert [tool.name for tool in trace("mcp").tools] == ["search_catalogue", "find_room", "opening_hours"]


def test_the_wire_of_the_mcp_run_tells_what_crossed_in_which_step():
    played = play("mcp")
    sent = [
        (crossing.step, json.loads(crossing.message.text)["method"])
        for crossing in played.wire
        if crossing.message.direction == "to server"
    ]
    executions = [n for n, step in enumerate(played.trace.steps) if step.kind is StepKind.EXECUTION]

    assert sent == [
        (None, "server/discover"),
        (None, "tools/list"),
        *((step, "tools/call") for step in executions),
    ]
    last = json.loads(played.wire[-1].message.text)
    assert last["result"]["content"] == [{"type": "text", "text": results("mcp")[-1]}]


def test_a_run_without_a_server_has_no_wire():
    assert play("berlin").wire == ()


@pytest.mark.parametrize("slug", ["injection", "injection-obeyed"])
def test_the_orders_stand_in_a_tool_result_and_nowhere_else_before(slug):
    steps = trace(slug).steps
    first = next(n for n, step in enumerate(steps) if "SYSTEM MESSAGE" in step.text)

    assert steps[first].kind is StepKind.EXECUTION
    assert "SYSTEM MESSAGE" in results(slug)[0]


def test_the_model_that_resists_calls_nothing_that_the_post_orders():
    assert run_tools("injection") == ["read_forum"]


def test_the_model_that_obeys_is_stopped_by_the_policy_and_no_mail_goes_out():
    assert run_tools("injection-obeyed") == ["read_forum", "get_enrollment"]
    assert verdicts("injection-obeyed")[-1][0] == "policy"


def test_three_loops_answer_one_question_and_only_react_is_right():
    assert len({scenario_of(slug).question for slug in ("open-loop", "act", "react")}) == 1
    now, tomorrow = results("act")
    right = int(tomorrow.partition("°")[0]) - int(now.partition("°")[0])

    assert [f"{right} degree" in answer(slug) for slug in ("open-loop", "act", "react")] == [
        False,
        False,
        True,
    ]


def test_reasoning_alone_makes_no_call_and_acting_alone_has_no_thought():
    assert (run_tools("open-loop"), len(thoughts("open-loop"))) == ([], 1)
    assert (run_tools("act"), thoughts("act")) == (["get_weather", "get_forecast"], [])
    assert [step.kind for step in trace("react").steps].count(StepKind.THOUGHT) == len(run_tools("react"))


def test_react_as_text_cuts_the_observation_that_the_model_made_up():
    [first, _] = trace("text").calls

    assert "25°C" in first.ignored
    assert results("text") == ["12°C, rainy"]
    assert answer("text") == answer("berlin")


def test_dense_and_sparse_thoughts_act_alike_and_sparse_ones_cost_less():
    assert results("dense") == results("sparse")
    assert answer("dense") == answer("sparse")
    assert (len(thoughts("dense")), len(thoughts("sparse"))) == (len(results("dense")), 2)
    dense, sparse = (
        sum(call.total for call in run_budget(counted(slug)).calls) for slug in ("dense", "sparse")
    )
    assert sparse < dense


def test_the_long_run_has_forty_turns_that_outgrow_a_small_window():
    budget = run_budget(counted("long-run"))

    assert len(budget.calls) == 40
    assert trace("long-run").stop_reason == "answer"
    assert budget.calls[19].total > 2048
    assert "No matching documents" not in " ".join(results("long-run"))
    assert guards("long-run") == []


def test_the_long_run_is_quickly_computed():
    trace_of("refund")  # the search is loaded
    start = time.process_time()
    trace_of("long-run")

    assert time.process_time() - start < 3  # half a second on an idle machine


def test_every_fact_of_the_long_run_names_a_passage_that_was_found():
    found = " ".join(results("long-run"))
    named = [part.partition(")")[0] for part in answer("long-run").split("(")[1:]]

    assert len(named) >= 5
    assert all(f'"{id}"' in found for id in named)


def test_reasons_are_in_the_record_and_not_in_the_results():
    calls = [call for reply in scenario_of("long-run").replies for call in reply.tool_calls]

    assert all(json.loads(call.arguments)["reason"] for call in calls)
    assert not any("The guide needs" in result for result in results("long-run"))


@pytest.mark.parametrize("slug", ["arrival", "policy", "text", "injection-obeyed", "mcp"])
def test_the_state_of_the_loop_follows_every_run(slug):
    last = states(trace(slug))[-1]

    assert last.pending == ()
    assert last.history == len(trace(slug).messages)


def test_the_demos_load_neither_the_search_nor_the_sandbox_nor_the_protocol():
    code = """
import sys, core.scenarios
sys.exit(len({"bm25s", "pydantic_monty", "mcp", "anyio"} & sys.modules.keys()))
"""

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
