"""One question in three ways, on models whose every choice is known."""

import random

import pytest

from core.decoding.counts import wilson
from core.teaching.thought.counts import tally
from core.teaching.thought.tasks import prompts
from core.teaching.thought.ways import EXTRA, Outcome, answer
from tests.core.teaching.thought.characters import CharacterModel, following

ASKED = prompts("sum", 4, 1)
RIGHT = "".join(f"{step}\n" for step in ASKED.question.steps) + f"Sum: {ASKED.question.answer}\n"


def in_steps(text: str) -> CharacterModel:
    return CharacterModel(following(ASKED.in_steps + text))


def test_a_model_that_writes_the_right_chain_is_right_throughout():
    outcome = answer(in_steps(RIGHT), ASKED)
    assert (outcome.own, outcome.given, outcome.steps, outcome.whole) == (True, True, (True,) * 4, True)
    assert outcome.text == RIGHT


def test_answering_at_once_is_a_matter_of_its_own():
    outcome = answer(CharacterModel(following(f"{ASKED.at_once}{ASKED.question.answer}\n")), ASKED)
    assert (outcome.at_once, outcome.own, outcome.given) == (True, False, False)


def test_a_step_counts_where_all_before_it_are_right():
    def forgets_the_second(so_far: str) -> str:
        told = so_far.removeprefix(ASKED.in_steps)
        return "?" if told.count("\n") == 1 else following(ASKED.in_steps + RIGHT)(so_far)

    assert answer(CharacterModel(forgets_the_second), ASKED).steps == (True, False, True, True)


@pytest.mark.parametrize("seed", range(20))
def test_own_steps_are_what_greedy_writes_token_by_token(seed):
    text = ASKED.in_steps + RIGHT

    def errs(so_far: str) -> str:
        chance = random.Random(f"{seed} {so_far}")
        right = text[len(so_far)] if len(so_far) < len(text) else "\n"
        return chance.choice("0123456789\n") if chance.random() < 0.1 else right

    greedy = ""
    while len(greedy) < len(RIGHT) + EXTRA:
        greedy += errs(ASKED.in_steps + greedy)
        if any(line == "" or line.startswith("Sum:") for line in greedy.split("\n")[:-1]):
            break
    assert answer(CharacterModel(errs), ASKED).text == greedy


def test_a_chain_that_breaks_off_has_not_answered():
    only_steps = RIGHT[: RIGHT.index("Sum:")]
    outcome = answer(in_steps(only_steps), ASKED)
    assert (outcome.text, outcome.whole, outcome.own) == (only_steps, True, False)


def outcome(**changes) -> Outcome:
    wrong = {"at_once": False, "own": False, "given": False, "steps": (True, False), "text": ""}
    return Outcome(**{**wrong, **changes})


def test_outcomes_are_counted_with_intervals_and_steps_over_all_chains():
    counted = tally([outcome(), outcome(own=True, steps=(True, True)), outcome(given=True)])
    assert (counted.own, counted.at_once) == (wilson(1, 3), wilson(0, 3))
    assert (counted.steps, counted.whole) == (wilson(4, 6), wilson(1, 3))
    assert counted.expected == pytest.approx((4 / 6) ** 2)
