"""The specific tool and the code tool on the same task."""

import pytest

from core.context import TokenCounter
from core.figures.kinds_view import KindsView, kinds_view
from core.lm import load_tokenizer
from core.scenarios import trace


@pytest.fixture(scope="module")
def traces():
    counter = TokenCounter(load_tokenizer())
    return trace("calculator", counter), trace("code", counter)


@pytest.fixture(scope="module")
def view(traces) -> KindsView:
    return kinds_view(*traces)


def facts(view: KindsView, index: int) -> dict[str, str]:
    return {fact.name: fact.value for fact in view.kinds[index].facts}


def test_both_kinds_work_on_the_same_question(traces, view):
    assert view.task == traces[0].steps[0].text == traces[1].steps[0].text


def test_the_specific_tool_needs_three_calls_and_the_program_one(view):
    assert [len(kind.calls) for kind in view.kinds] == [3, 1]


def test_the_results_are_those_of_the_run(view):
    # The mean of 62, 64, 64, 64, 65, 65, 67, 69 is 520 / 8; their squared deviations sum to 32.
    assert [pair.result for pair in view.kinds[0].calls] == ["65", "4", "2"]
    assert view.kinds[1].calls[0].result.strip() == "mean 65, standard deviation 2"


def test_both_kinds_are_the_same_json_call_and_a_program_is_shown_before_json_escapes_it_as_well(view):
    specific, general = view.kinds[0].calls[2], view.kinds[1].calls[0]
    assert (specific.call, specific.program) == ('calculate({"expression": "4 ** 0.5"})', "")
    assert general.call.startswith('run_python({"code": "points = [62, 64')
    assert "\n" not in general.call
    assert general.program.startswith("points = [62, 64")
    assert "\n" in general.program


def test_the_tokens_sent_are_those_of_all_calls_together(traces, view):
    for index, run in enumerate(traces):
        sent = sum(segment.tokens for call in run.calls for segment in call.segments)
        assert facts(view, index)["tokens sent in the run"] == f"{sent:,}"


def test_bars_are_drawn_to_the_larger_of_both(view):
    for first, second in zip(view.kinds[0].facts, view.kinds[1].facts, strict=True):
        assert max(first.share, second.share) == 1
