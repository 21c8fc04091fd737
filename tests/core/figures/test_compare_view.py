"""Two runs beside each other: rows, where they part, and the review of both."""

import pytest

from core.context import TokenCounter
from core.figures.compare_view import LINE, PRESETS, compare_view
from core.lm import load_tokenizer
from core.messages.types import AssistantMessage, ToolCall
from core.scenarios import trace
from core.trace import ModelCall, Step, StepKind, Trace, Validation

K = StepKind


def said(kind: StepKind, text: str = "") -> Step:
    return Step(kind=kind, turn=1, text=text)


def run(*steps: Step) -> Trace:
    return Trace(title="t", source="live", model="m", steps=steps, stop_reason="answer")


ASKED = said(K.USER_INPUT, "Warm?")
COLD = run(ASKED, said(K.OBSERVATION, "5°C"), said(K.ANSWER, "No, 5°C."))
WARM = run(ASKED, said(K.OBSERVATION, "25°C"), said(K.ANSWER, "Yes."))


def test_steps_that_belong_together_stand_in_one_row_and_the_first_parting_is_named():
    view = compare_view(COLD, WARM)
    assert [(row.left.line, row.same, row.right.line) for row in view.rows if row.left and row.right] == [
        ("user input: Warm?", True, "user input: Warm?"),
        ("observation: 5°C", False, "observation: 25°C"),
        ("answer: No, 5°C.", False, "answer: Yes."),
    ]
    assert view.parted == 1
    assert view.sentence == "They part at step 2 of the left run and step 2 of the right run."


def test_the_rows_are_stops_that_say_whether_they_differ():
    stops = compare_view(COLD, WARM).stops
    assert [(stop.kind, stop.place) for stop in stops] == [
        ("same", "pair 1 of 3 · same"),
        ("differs", "pair 2 of 3 · differs"),
        ("differs", "pair 3 of 3 · differs"),
    ]
    assert stops[1].caption == "observation | observation"


def test_equal_runs_are_told_to_be_equal():
    view = compare_view(COLD, COLD)
    assert (view.parted, view.sentence) == (None, "Both runs do the same in every step.")


@pytest.mark.parametrize(
    ("left", "right", "sentence", "only"),
    [
        (run(ASKED), COLD, "They part at step 2 of the right run; the left run has no counterpart.", "right"),
        (COLD, run(ASKED), "They part at step 2 of the left run; the right run has no counterpart.", "left"),
    ],
)
def test_a_step_without_a_counterpart_faces_nothing(left: Trace, right: Trace, sentence: str, only: str):
    view = compare_view(left, right)
    assert view.sentence == sentence
    assert (view.rows[1].left is None, view.rows[1].right is None) == (only == "right", only == "left")
    assert view.stops[1].caption.startswith(f"only {only}: ")


def test_two_runs_without_steps_have_no_rows():
    view = compare_view(run(), run())
    assert (view.rows, view.stops, view.parted) == ((), (), None)


def test_a_line_is_one_line_and_the_step_in_view_is_whole():
    long = "first\n" + "x" * 500
    cell = compare_view(run(said(K.ANSWER, long)), run()).rows[0].left
    assert cell is not None
    assert "\n" not in cell.line
    assert cell.line.startswith("answer: first xxx")
    assert len(cell.line) < LINE + 30
    assert cell.whole == f"answer\n{long}"


def test_a_call_of_the_model_is_told_by_its_reply():
    call = ToolCall(id="1", name="look", arguments='{"at": "sky"}')
    step = Step(kind=K.MODEL_CALL, turn=1, model_call=ModelCall(reply=AssistantMessage(tool_calls=(call,))))
    cell = compare_view(run(step), run()).rows[0].left
    assert cell is not None
    assert cell.line == 'model call → look(at="sky")'


def test_a_check_that_failed_is_whole_with_its_message():
    verdict = Validation(ok=False, stage="json", message="no comma")
    step = Step(kind=K.VALIDATION, turn=1, validation=verdict)
    cell = compare_view(run(step), run()).rows[0].left
    assert cell is not None
    assert cell.whole == "validation\nno comma"


def test_each_side_is_summed_up_and_reviewed_with_how_it_was_computed():
    counter = TokenCounter(load_tokenizer())
    left, right = (trace(slug, counter) for slug in ("open-loop", "react"))
    one, other = compare_view(left, right).sides
    assert one.sums.startswith("1 model call · 0 tool calls · ")
    assert other.source.endswith("stop reason: answer")
    # What all calls sent, added up by hand: the tokens of their segments.
    sent = sum(segment.tokens or 0 for call in right.calls for segment in call.segments or ())
    assert other.sums.endswith(f" · {sent:,} tokens sent")
    assert [(finding.kind, finding.steps) for finding in one.findings] == [("unsupported number", "step 4")]
    assert one.findings[0].how.startswith("Every number of the answer is looked up")
    assert other.findings == ()


@pytest.mark.parametrize(
    ("slug", "expected"),
    [("open-loop", ("t ×1", "", "")), ("act", ("", "a ×2", "o ×2")), ("react", ("t ×3", "a ×3", "o ×3"))],
)
def test_reasoning_stays_at_the_model_and_acting_goes_through_the_environment(slug, expected):
    loops = compare_view(trace(slug), run()).sides[0].loops
    assert (loops.thoughts, loops.actions, loops.observations) == expected


def test_an_action_that_got_no_result_has_none_in_the_loops():
    steps = trace("act").steps
    cut = next(n for n, step in enumerate(steps) if step.kind is K.EXECUTION)
    loops = compare_view(run(*steps[:cut]), run()).sides[0].loops
    assert (loops.actions, loops.observations) == ("a ×1", "")


def test_where_tokens_were_not_counted_no_sum_is_claimed():
    call = Step(kind=K.MODEL_CALL, turn=1, model_call=ModelCall(reply=AssistantMessage(content="x")))
    assert "tokens not counted" in compare_view(run(call), run()).sides[0].sums


@pytest.mark.parametrize("pair", PRESETS.values(), ids=PRESETS)
def test_a_preset_is_two_bundled_runs_that_part(pair: tuple[str, str]):
    left, right = map(trace, pair)
    assert compare_view(left, right).parted is not None


@pytest.mark.parametrize(
    "name", ["Open loop and ReAct", "Acting alone and ReAct", "Dense and sparse thoughts"]
)
def test_the_loops_are_compared_on_one_question(name: str):
    left, right = map(trace, PRESETS[name])
    assert left.messages[0].content == right.messages[0].content
