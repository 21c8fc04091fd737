"""Serial tasks: what is asked has the answer that is given, and a seed decides it all."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.teaching.thought.tasks import LENGTHS, TASKS, prompts

SEEDS = st.integers(0, 999)


def states_of(task: str, given_text: str) -> list[str]:
    """The states after each item, from the text of the question alone."""
    if task == "sum":
        numbers = [int(number) for number in re.findall(r"\d", given_text)]
        return [str(sum(numbers[: place + 1])) for place in range(len(numbers))]
    acts = re.findall(r"^\S+ (?:= )?(0|1|presses|waits)$", given_text, re.MULTILINE)
    words = ("even", "odd") if task == "parity" else ("off", "on")
    return [
        words[sum(act in ("1", "presses") for act in acts[: place + 1]) % 2] for place in range(len(acts))
    ]


@given(st.sampled_from(sorted(TASKS)), st.sampled_from(LENGTHS), SEEDS, st.integers(0, 99))
def test_steps_and_answer_follow_from_the_question(task, length, seed, index):
    asked = prompts(task, length, seed, index)
    states = states_of(task, asked.question.given)
    assert len(states) == length
    assert [step.split()[-1] for step in asked.question.steps] == states
    assert asked.question.answer == states[-1]


@given(st.sampled_from(sorted(TASKS)), SEEDS)
def test_the_examples_stand_before_every_question_of_a_seed(task, seed):
    one, other = prompts(task, 4, seed, 0), prompts(task, 7, seed, 1)
    examples = one.in_steps.removesuffix(f"{one.question.given}Steps:\n")
    assert other.in_steps == f"{examples}{other.question.given}Steps:\n"
    assert examples.count("Steps:") == 5


def test_an_example_in_steps_is_the_one_at_once_with_its_steps():
    asked = prompts("light", 3, 5)
    without = re.sub(r"Steps:\n(?:\w+ \w+: \w+\n)+(?=After)", "", asked.in_steps)
    before_question = asked.at_once.removesuffix(asked.question.given + asked.question.asks)
    assert without == f"{before_question}{asked.question.given}Steps:\n"


def test_seed_length_and_number_make_other_questions():
    texts = {prompts("sum", 8, seed, index).question.given for seed in range(3) for index in range(3)}
    assert len(texts) == 9


@pytest.mark.parametrize(
    ("task", "length", "seed"), [("chess", 4, 0), ("sum", 1, 0), ("sum", 9, 0), ("sum", 4, -1)]
)
def test_what_cannot_be_asked_is_said(task, length, seed):
    with pytest.raises(InputError):
        prompts(task, length, seed)


def test_the_exemplar_is_the_first_solved_example_of_both_prompts():
    asked = prompts("sum", 4, 0)
    solved = asked.exemplar
    assert asked.at_once.startswith(f"{solved.given}{solved.asks}{solved.ending}\n")
    steps = "".join(f"{step}\n" for step in solved.steps)
    assert asked.in_steps.startswith(f"{solved.given}Steps:\n{steps}{solved.asks}{solved.ending}\n")
