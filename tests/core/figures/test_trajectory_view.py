"""The trajectory of a run: its calls as the lecture prints them, and its review."""

from core.figures.trajectory_view import INSTRUCTIONS, JUDGED, trajectory_view
from core.messages.types import AssistantMessage, ToolCall, ToolResultMessage
from core.scenarios import trace
from core.trace import Step, StepKind, Trace


def line_of(view, number):
    return view.lines[number - 1]


def found(slug):
    return [pattern.found for pattern in trajectory_view(trace(slug)).patterns]


def test_the_lectures_four_calls_are_ok_ok_ok_and_repeating():
    lines = trajectory_view(trace("detector")).lines
    assert [line.verdict for line in lines] == ["ok", "ok", "ok", "REPEATING"]
    assert [line.times for line in lines] == ["1×", "2×", "1×", "3×"]


def test_a_signature_leaves_the_reason_out_and_sorts_the_keys():
    first, second, *_ = trajectory_view(trace("detector")).lines
    assert first.arguments == second.arguments == '{"query": "refund policy"}'
    assert (first.reason, second.reason) == ("Find the refund rules.", "Try again with the same query.")
    mail = line_of(trajectory_view(trace("careless")), 3)
    assert mail.arguments.index("subject") < mail.arguments.index("text") < mail.arguments.index('"to"')


def test_of_a_result_the_first_120_characters_are_kept():
    line = line_of(trajectory_view(trace("refund")), 2)
    assert line.result == (
        '{"refund-policy#0": "Refunds are available within 7 days of purchase if less than 20% of the course '
        'is completed.", "ref…'
    )


def test_a_thought_beside_a_call_is_its_reason():
    assert line_of(trajectory_view(trace("text")), 1).reason == "I need the current weather in Berlin."
    assert line_of(trajectory_view(trace("berlin")), 1).reason == ""


def test_what_kept_a_call_from_running_is_named():
    verdicts = {
        slug: line_of(trajectory_view(trace(slug)), 1).verdict
        for slug in ("unknown-tool", "bad-json", "policy", "berlin")
    }
    assert verdicts == {
        "unknown-tool": "not valid",
        "bad-json": "not valid",
        "policy": "not permitted",
        "berlin": "ok",
    }
    assert line_of(trajectory_view(trace("budget")), 2).verdict == "failed"


def test_a_careful_run_shows_nothing_of_what_a_rule_can_find():
    assert found("refund") == [JUDGED, "not found", "not found", "not found", "not found", JUDGED]


def test_a_careless_run_shows_all_of_it():
    # Five turns of five steps: a call without a reason in the third, the invented number in the last.
    assert found("careless") == [JUDGED, "step 13", "steps 3, 8", "step 23", "steps 2, 7, 12, 17, 22", JUDGED]


def test_many_steps_are_counted_and_not_listed():
    assert found("mcp")[1] == "steps 3, 7"
    long = Trace(
        title="",
        source="imported",
        steps=tuple(
            Step(kind=StepKind.TOOL_CALL, turn=n, tool_call=ToolCall(id=f"{n}", name="f", arguments="{}"))
            for n in range(7)
        ),
    )
    assert trajectory_view(long).patterns[1].found == "7 steps"


def test_each_of_two_calls_with_one_id_gets_its_own_result():
    call = ToolCall(id="same", name="f", arguments="[1]")

    def turn(number, result, failed):
        return (
            Step(
                kind=StepKind.TOOL_CALL,
                turn=number,
                tool_call=call,
                appended=AssistantMessage(tool_calls=(call,)),
            ),
            Step(
                kind=StepKind.OBSERVATION,
                turn=number,
                tool_call=call,
                text=result,
                appended=ToolResultMessage(tool_call_id="same", name="f", content=result, is_error=failed),
            ),
        )

    steps = (*turn(1, "one", False), *turn(2, "two", True), turn(3, "", False)[0])
    lines = trajectory_view(Trace(title="", source="imported", steps=steps)).lines
    assert [(line.result, line.verdict) for line in lines] == [
        ("one", "ok"),
        ("two", "failed"),
        ("", "no result"),
    ]
    assert [line.arguments for line in lines] == ["[1]"] * 3


def test_a_run_without_calls_or_steps_has_no_lines():
    assert trajectory_view(trace("no-tool")).lines == ()
    empty = trajectory_view(Trace(title="", source="imported"))
    assert (empty.lines, empty.ended) == ((), None)


def test_there_are_six_instructions_each_with_what_it_prevents():
    assert len(INSTRUCTIONS) == 6
    assert all(says and prevents for says, prevents in INSTRUCTIONS)
