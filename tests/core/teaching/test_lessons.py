"""The lessons: what a step asks, and that what core computes is what one gets by other means."""

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from core.context import TokenCounter
from core.decoding import generate
from core.lm import embedded, load_examples, load_tokenizer
from core.messages import SystemMessage, UserMessage, render
from core.sampling import SamplerSettings
from core.scenarios import trace
from core.scenarios.tools import GET_FORECAST
from core.teaching.lessons import LESSONS, Choice, path_context, reading
from core.teaching.lessons.path_calling import WITH_TOOL
from core.teaching.thought import captured

PAGES = Path(__file__).parents[3] / "pages"
STEPS = [(number, at) for number, lesson in enumerate(LESSONS, 1) for at in range(1, len(lesson.steps) + 1)]
SLOW = {(1, 8), (1, 9), (1, 10), (2, 2), (3, 3), (3, 4), (5, 5)}
"""They draw tokens; two of them are computed by hand below."""

BY_HAND = {
    (1, 1): "the",  # 0.773 < 0.8 < 0.773 + 0.065
    (1, 2): "33.3 %",  # 5 / (5 + 3 + 7)
    (1, 3): "57.1 %",  # 0.4 / 0.7
    (1, 4): "3",  # 0.4 + 0.3 < 0.9 <= 0.4 + 0.3 + 0.25
    (1, 5): "2",  # 0.6 + 0.3
    (1, 7): "no",  # it answers "Did Apollo 11 …"
    (1, 11): "3.4 times",  # Leviathan et al.: 2.3 to 3.4
    (2, 1): "2",
    (2, 5): "1",  # Turpin et al.: 1 of 426
    (2, 6): "the left one",  # 1 degree, from memory
    (2, 7): "the right one",  # 24 - 21 = 3
    (2, 9): "line 5",
    (2, 10): "line 9",
    (2, 11): "6",  # o1, t1, a1.1, a1.2, o2.1, o2.2
    (3, 5): "JSON",
    (3, 6): "the policy",
    (3, 7): "1",
    (3, 8): "ToolResultMessage",
    (3, 9): "23.1 %",  # Song et al., table 6
    (4, 1): "ToolResultMessage",
    (4, 2): "5",  # system, user, assistant, tool, assistant
    (4, 3): "2",
    (4, 4): "Paris",  # the scenario hands the results over in reverse
    (4, 5): "it refuses the request",
    (4, 6): "it refuses the request",
    (4, 7): "a call has no result",  # call_e3
    (4, 8): "user",  # Anthropic: tool_result is a block of a user message
    (5, 1): "6",  # five messages and the opening of the reply
    (5, 2): "it refuses",  # nine characters
    (5, 3): "Bon",  # jour
    (5, 4): "Ada",
    (5, 5): "the same text",
    (5, 8): "2,450 tokens",  # 5 (220 + 30) + 120 (0 + 1 + 2 + 3 + 4)
    (5, 9): "no",
}


def step(number, at):
    return LESSONS[number - 1].steps[at - 1]


def test_there_is_a_path_for_each_objective_of_eight_to_eleven_steps():
    assert len(LESSONS) == 5
    assert all(8 <= len(lesson.steps) <= 11 for lesson in LESSONS)


def test_every_screen_has_three_steps_or_more():
    screens = {path.stem for path in PAGES.glob("*.py")} - {"__init__"}
    steps = Counter(step(*place).screen for place in STEPS)
    assert steps.keys() == screens
    assert min(steps.values()) >= 3


@pytest.mark.parametrize("place", BY_HAND, ids=str)
def test_the_computed_answer_is_the_one_worked_out_by_hand(place):
    assert step(*place).answer().text == BY_HAND[place]


@pytest.mark.parametrize("place", [one for one in STEPS if one not in SLOW], ids=str)
def test_the_right_answer_fits_and_a_wrong_one_does_not(place):
    question = step(*place).question
    answer = step(*place).answer()
    right = str(answer.index) if isinstance(question, Choice) else answer.text.split()[0]
    assert question.fits(right, answer)
    assert not question.fits("", answer)
    assert not question.fits("-1000", answer)


@pytest.mark.parametrize("place", STEPS, ids=str)
def test_the_options_of_a_choice_differ(place):
    question = step(*place).question
    if isinstance(question, Choice):
        assert len(set(question.options)) == len(question.options) >= 2


def test_temperature_two_halves_the_logits():
    z = load_examples()[0].logits.astype(np.float64)
    weights = np.exp(z / 2 - z.max() / 2)
    assert step(1, 6).answer().value == pytest.approx(100 * weights.max() / weights.sum(), rel=0.02)


def test_a_guess_within_the_tolerance_is_right_with_or_without_its_unit():
    asked, answer = step(1, 3).question, step(1, 3).answer()
    assert all(asked.fits(guess, answer) for guess in ("57", "57.1", "57.1 %", " 57.5"))
    assert not any(asked.fits(guess, answer) for guess in ("50", "58", "about half", "nan", "inf"))


def greedy(prompt, count):
    model = embedded()
    ids = model.start(model.tokenizer.encode(prompt))
    return [drawn.token_id for drawn in generate(model, ids, SamplerSettings(temperature=0), 0, 0, count)]


@pytest.mark.parametrize(
    ("prompt", "written"),
    [
        (path_context.GREETING, path_context.GREETED),
        (path_context.IN_FRENCH, path_context.GREETED_IN_FRENCH),
        (path_context.ASKED, path_context.GUESSED),
        (path_context.TOLD, path_context.REMEMBERED),
    ],
)
def test_the_texts_of_the_steps_are_what_the_model_writes(prompt, written):
    ids = [int(token) for token in written.split(".")]
    assert greedy(prompt, len(ids)) == ids


def test_the_tool_call_of_the_sampling_step_is_the_bundled_one():
    example = next(one for one in load_examples() if one.name == "tool-call")
    assert example.text == WITH_TOOL
    weights = np.exp(example.logits.astype(np.float64) - example.logits.max())
    assert embedded().tokenizer.decode([int(weights.argmax())]) == "city"
    assert step(3, 2).answer().value == pytest.approx(100 / weights.sum(), rel=0.02)


def outcomes(task, length):
    """The captured outcomes of a task, as they stand in the file."""
    return json.loads(captured.BUNDLED.read_text(encoding="utf-8"))["outcomes"][task][length]


def test_the_pass_of_the_answer_is_the_one_after_the_last_line_has_begun(monkeypatch):
    text, encode = outcomes("sum", "4")[0]["text"], embedded().tokenizer.encode
    monkeypatch.setattr(reading, "written", lambda *_: [tuple(encode(text))])
    before = text[: text.index("Sum: ") + len("Sum: ")]
    assert step(2, 2).answer().value == len(encode(before)) + 1


def test_what_is_right_after_the_right_steps_is_counted():
    assert step(2, 3).answer().value == sum(one["given"] for one in outcomes("sum", "4"))


def test_a_hint_moves_its_option_as_it_did_when_it_was_captured():
    kept = next(one for one in captured.load().hints if (one.question, one.hinted) == (1, 3))
    assert step(2, 4).answer().value == pytest.approx(100 * kept.after.shares[3], abs=2)


def test_what_a_schema_costs_is_the_length_of_the_text_with_it_less_that_without():

    said = [
        SystemMessage(content="You are a helpful assistant."),
        UserMessage(content="Will it rain in Paris tomorrow?"),
    ]
    long, short = (
        len(load_tokenizer().encode(render(said, tools, "chatml").text))
        for tools in ([GET_FORECAST.schema], [])
    )
    assert step(3, 1).answer().value == long - short


def test_what_is_new_is_all_but_the_call_before():

    first, second = (
        [token for segment in call.segments for token in segment.token_ids]
        for call in trace("parallel", TokenCounter(load_tokenizer())).calls
    )
    assert second[: len(first)] == first
    assert step(5, 6).answer().value == len(second) - len(first)


def test_the_sum_of_a_long_run_is_about_half_its_calls_times_its_last():
    assert math.isclose(step(5, 7).answer().value, 40 / 2, abs_tol=1.5)
