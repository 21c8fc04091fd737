"""The loop, gone through in plain Python over the tables that the student sees."""

import json
import re

import pytest

from core.teaching.exercises import check, make

WEATHER = ("Berlin", "Paris", "Madrid", "Oslo")


def tools_of(text):
    """Name of each tool, and of its arguments which are required and which known."""
    found = {}
    for name, inside in re.findall(r"^(\w+)\((.*)\)$", text, re.MULTILINE):
        names = re.findall(r"(\w+)(\??): ", inside)
        found[name] = ({n for n, optional in names if not optional}, {n for n, _ in names})
    return found


def passes(name, arguments, tools):
    if name not in tools:
        return False
    try:
        values = json.loads(arguments)
    except ValueError:
        return False
    required, known = tools[name]
    return required <= set(values) <= known


def solved(made):
    replies, signatures, _ = made.given
    tools = tools_of(signatures.text)
    most = int(re.search(r"MAX_STEPS = (\d+)", made.task)[1])
    calls = executed = results = 0
    for _, _, asked in replies.rows:
        if calls == most:
            return {"calls": calls, "executed": executed, "results": results, "line": "line 9"}
        calls += 1
        if asked == "–":
            break
        for call in asked.split(" · "):
            name, arguments = call.split(" ", 1)
            results += 1
            executed += passes(name, arguments, tools)
    return {"calls": calls, "executed": executed, "results": results, "line": "line 5"}


def test_a_thousand_seeds_agree_with_a_plain_loop():
    for seed in range(1000):
        made = make("loop-by-hand", seed).made

        assert dict(made.answers) == solved(made), seed


def seed_where(holds):
    return next(seed for seed in range(1000) if holds(make("loop-by-hand", seed).made))


def verdict(seed, field, answer):
    return next(v for v in check("loop-by-hand", seed, {field: str(answer)}) if v.field == field)


def replies(made):
    return made.given[0].rows


def test_going_on_behind_max_steps_is_named():
    seed = seed_where(lambda made: made.answers["line"] == "line 9" and len(replies(made)) > 3)

    assert "the loop is over" in verdict(seed, "calls", len(replies(make("loop-by-hand", seed).made))).text


def test_going_on_behind_a_promise_is_named():
    seed = seed_where(
        lambda made: made.answers["line"] == "line 5" and made.answers["calls"] < len(replies(made))
    )

    assert (
        "whatever it promises" in verdict(seed, "calls", len(replies(make("loop-by-hand", seed).made))).text
    )


def test_leaving_out_the_call_that_answers_is_named():
    seed = seed_where(lambda made: made.answers["line"] == "line 5")
    calls = make("loop-by-hand", seed).made.answers["calls"]

    assert verdict(seed, "calls", calls - 1).text == "The call of the model that answers is counted as well."


@pytest.mark.parametrize(
    ("field", "other", "named"),
    [("executed", "results", "is not executed"), ("results", "executed", "gets a result all the same")],
)
def test_mixing_up_checks_and_results_is_named(field, other, named):
    seed = seed_where(
        lambda made: made.answers["line"] == "line 5" and made.answers["executed"] < made.answers["results"]
    )

    assert named in verdict(seed, field, make("loop-by-hand", seed).made.answers[other]).text


def test_taking_a_failed_tool_for_one_that_did_not_run_is_named():
    seed = seed_where(
        lambda made: "7 / 0" in str(replies(made)) and made.answers["executed"] == made.answers["results"]
    )
    executed = make("loop-by-hand", seed).made.answers["executed"]

    assert "line 7 catches the error" in verdict(seed, "executed", executed - 1).text


def test_the_wrong_line_is_named():
    by_cap = seed_where(lambda made: made.answers["line"] == "line 9")
    by_answer = seed_where(lambda made: made.answers["line"] == "line 5")

    assert "nothing is left of the budget" in verdict(by_cap, "line", "line 5").text
    assert "within the budget" in verdict(by_answer, "line", "line 9").text
