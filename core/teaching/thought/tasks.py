"""Serial tasks: a state that every item changes, asked for after the last one; a seed makes the questions.

Parity is a regular language; a Transformer of fixed depth can't recognise all of those at once, whatever the
length (Merrill & Sabharwal 2024). Every item has a name that no other item of its question has, so that a
model can find the place again where it stands.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from core.errors import InputError

LENGTHS = (2, 3, 4, 5, 6, 7, 8)
EXAMPLES = (2, 8, 4, 6, 3)
"""How many items the solved examples have that stand before a question."""

LETTERS = tuple("ABCDEFGHJKLMNPQRSTUVWXYZ")
PEOPLE = (
    *("Ann", "Bob", "Tom", "Dan", "Eva", "Sam", "Max", "Ben", "Leo", "Mia"),
    *("Ian", "Kim", "Lee", "Jim", "Amy", "Ray", "Roy", "Joe", "Sue"),
)
FLIPPED = {"even": "odd", "odd": "even", "off": "on", "on": "off"}


@dataclass(frozen=True)
class Question:
    """One question: the text that puts it, the right steps, a line each, and how the answer is written.

    `asks`: what stands before the answer, in its line; `ending`: the rest of the line, up to its break.
    """

    given: str
    steps: tuple[str, ...]
    asks: str
    ending: str

    @property
    def answer(self) -> str:
        """The right answer."""
        return self.ending.strip()


@dataclass(frozen=True)
class Task:
    """A serial task. `answers`: all there are, if they are few enough to be guessed."""

    slug: str
    title: str
    answers: tuple[str, ...]
    make: Callable[[random.Random, int], Question]


def _parity(chance: random.Random, length: int) -> Question:
    names, state, steps = chance.sample(LETTERS, length), "even", []
    bits = [chance.randrange(2) for _ in names]
    for name, bit in zip(names, bits, strict=True):
        state = FLIPPED[state] if bit else state
        steps.append(f"{name} = {bit}: {state}")
    given = "".join(f"{name} = {bit}\n" for name, bit in zip(names, bits, strict=True))
    return Question(f"Bits:\n{given}", tuple(steps), f"After {names[-1]} = {bits[-1]}:", f" {state}\n")


def _sum(chance: random.Random, length: int) -> Question:
    # Each number once, so that it too can be found again. The blank before a digit is a token of its own.
    numbers, total, steps = chance.sample(range(1, 10), length), 0, []
    for number in numbers:
        steps.append(f"{total} + {number} = {total + number}")
        total += number
    return Question(f"Numbers: {' '.join(map(str, numbers))}\n", tuple(steps), "Sum: ", f"{total}\n")


def _light(chance: random.Random, length: int) -> Question:
    names, state, steps = chance.sample(PEOPLE, length), "off", []
    acts = [chance.choice(("presses", "waits")) for _ in names]
    for name, act in zip(names, acts, strict=True):
        state = FLIPPED[state] if act == "presses" else state
        steps.append(f"{name} {act}: {state}")
    given = "".join(f"{name} {act}\n" for name, act in zip(names, acts, strict=True))
    return Question(
        f"The light is off.\n{given}", tuple(steps), f"After {names[-1]} {acts[-1]}:", f" {state}\n"
    )


TASKS = {
    task.slug: task
    for task in (
        Task("parity", "Parity", ("even", "odd"), _parity),
        Task("sum", "Running sum", (), _sum),
        Task("light", "A light", ("off", "on"), _light),
    )
}


@dataclass(frozen=True)
class Prompts:
    """One question with its solved examples, to be answered at once and in steps.

    `exemplar`: the first of the solved examples, as a question with its steps and answer.
    """

    question: Question
    at_once: str
    in_steps: str
    exemplar: Question

    @property
    def chain(self) -> str:
        """The right steps as text."""
        return "".join(f"{step}\n" for step in self.question.steps)


def prompts(task: str, length: int, seed: int, index: int = 0) -> Prompts:
    """The question `index` of a task and a length under a seed, which also makes the examples before it.

    Errors: `InputError` if there is no such task or length, or a number is negative.
    """
    if task not in TASKS:
        raise InputError(f"There is no task “{task}”: choose one of {', '.join(TASKS)}.")
    if length not in LENGTHS:
        raise InputError(f"A question has {LENGTHS[0]} to {LENGTHS[-1]} items, not {length}: choose one.")
    if seed < 0 or index < 0:
        raise InputError("Seeds and the numbers of questions begin at 0.")
    question = TASKS[task].make(random.Random(f"question {task} {length} {seed} {index}"), length)
    at_once, in_steps, exemplar = _examples(task, seed)
    return Prompts(
        question,
        f"{at_once}{question.given}{question.asks}",
        f"{in_steps}{question.given}Steps:\n",
        exemplar,
    )


@cache
def _examples(task: str, seed: int) -> tuple[str, str, Question]:
    chance = random.Random(f"examples {task} {seed}")
    made = [TASKS[task].make(chance, length) for length in EXAMPLES]
    return _solved(made, steps=False), _solved(made, steps=True), made[0]


def _solved(questions: Sequence[Question], steps: bool) -> str:
    return "".join(
        question.given
        + ("Steps:\n" + "".join(f"{step}\n" for step in question.steps) if steps else "")
        + f"{question.asks}{question.ending}\n"
        for question in questions
    )
