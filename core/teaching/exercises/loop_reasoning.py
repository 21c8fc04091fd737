"""Chain of thought or ReAct: which of the two a task needs, and why."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from core.agent import LoopKind
from core.messages import ToolResultMessage
from core.teaching.exercises.base import ChoiceField, Kind, Made, Mistake, Step, Table
from core.teaching.exercises.loop_chance import between, pick, some
from core.teaching.exercises.loop_scripts import script
from core.teaching.exercises.loop_stories import DAYS

COT, REACT = LoopKind.CHAIN_OF_THOUGHT.value, LoopKind.REACT.value
GIVEN = f"{COT}: all that it needs is given"
KNOWN = f"{COT}: the model remembers it"
LOOK_UP = f"{REACT}: a fact has to be looked up"
ACT = f"{REACT}: something has to be done"
STEPS = f"{REACT}: it takes several steps"
OPTIONS = (GIVEN, KNOWN, LOOK_UP, ACT, STEPS)

NAMES = ("Asha", "Ben", "Mia", "Tom", "Lena", "Omar")
LETTERS = ("A", "B", "C")

WHY_NOT = {
    GIVEN: {
        KNOWN: "The right loop for another reason: it stands in the task, so nothing is remembered.",
        LOOK_UP: "Nothing has to be looked up: every fact stands in the task.",
        ACT: "Nothing outside the model changes: only words are asked for.",
        STEPS: "Several steps need no tool: a chain of thought is made of steps.",
    },
    LOOK_UP: {
        GIVEN: "The task does not say it, so a chain of thought would have to invent it.",
        KNOWN: "What the model remembers is as old as its training, and this is newer or private.",
        ACT: "The right loop for another reason: nothing is changed, something is looked up.",
        STEPS: "The right loop for another reason: even one look-up needs a tool.",
    },
    ACT: {
        GIVEN: "All facts may be given, but words alone change nothing.",
        KNOWN: "Nothing is to be remembered: the world has to change.",
        LOOK_UP: "The right loop for another reason: this does not end with knowing.",
        STEPS: "The right loop for another reason: even one action needs a tool.",
    },
}


@dataclass(frozen=True)
class Task:
    """A task, the loop that it needs with the reason, and how it goes on then."""

    text: str
    needs: str
    then: str


def reasoning(rng: np.random.Generator) -> Made:
    """Choose the loop for three tasks, each with its reason."""
    tasks = [pick(rng, pick(rng, TASKS))(rng) for _ in LETTERS]
    while len({task.text[:12] for task in tasks}) < len(LETTERS):
        tasks = [pick(rng, pick(rng, TASKS))(rng) for _ in LETTERS]
    named = list(zip(LETTERS, tasks, strict=True))
    return Made(
        task="Which loop fits each task, and why?",
        given=(Table(("", "task"), tuple((letter, task.text) for letter, task in named)),),
        fields=tuple(ChoiceField(letter, letter, OPTIONS) for letter in LETTERS),
        answers={letter: task.needs for letter, task in named},
        hint="Could somebody do it in a closed room, with this sheet only?",
        mistakes=tuple(
            Mistake(sentence, {letter: other})
            for letter, task in named
            for other, sentence in WHY_NOT[task.needs].items()
        ),
        steps=tuple(Step(f"{letter}: {task.needs}. {task.then}") for letter, task in named),
    )


def _train(rng: np.random.Generator) -> Task:
    start = datetime(2026, 1, 1, between(rng, 6, 20), 5 * between(rng, 0, 11))
    took = timedelta(hours=between(rng, 1, 3), minutes=5 * between(rng, 1, 11))
    hours, minutes = divmod(took.seconds // 60, 60)
    full = start + timedelta(hours=hours)
    return Task(
        f"A train leaves at {start:%H:%M} and takes {hours} h {minutes} min. When does it arrive?",
        GIVEN,
        f"{start:%H:%M} and {hours} h is {full:%H:%M}, and {minutes} min more is {start + took:%H:%M}.",
    )


def _boxes(rng: np.random.Generator) -> Task:
    boxes, each, broken = between(rng, 3, 9), between(rng, 6, 12), between(rng, 2, 9)
    return Task(
        f"There are {boxes} boxes with {each} pencils each, and {broken} are broken. How many are whole?",
        GIVEN,
        f"{boxes} · {each} = {boxes * each}, and {boxes * each} − {broken} = {boxes * each - broken}.",
    )


def _oldest(rng: np.random.Generator) -> Task:
    first, second, third = some(rng, NAMES, 3)
    return Task(
        f"{first} is older than {second}, and {third} is younger than {second}. Who is the youngest?",
        GIVEN,
        f"{first}, {second}, {third} by falling age: {third}.",
    )


def _reword(rng: np.random.Generator) -> Task:
    day = pick(rng, DAYS).title()
    return Task(
        f"Say it politely, in one sentence: “Meeting on {day} is off, new time {between(rng, 9, 17)}:30.”",
        GIVEN,
        "Only the words change, and they all stand there.",
    )


def _story(rng: np.random.Generator) -> Task:
    drawn = script(rng)
    while not drawn.tools[0].name.startswith(("get_", "find_")):
        drawn = script(rng)
    result = next(m for m in drawn.ran.trace.messages if isinstance(m, ToolResultMessage))
    return Task(
        drawn.question,
        LOOK_UP,
        f"The loop calls {drawn.tools[0].name}, and the first result is “{result.content}”.",
    )


def _order(rng: np.random.Generator) -> Task:
    return Task(
        f"Has order {between(rng, 10_000, 99_999)} been sent yet?",
        LOOK_UP,
        "It stands in a database that no training data holds.",
    )


def _inbox(rng: np.random.Generator) -> Task:
    return Task(
        f"What did {pick(rng, NAMES)} write in the last e-mail to me?",
        LOOK_UP,
        "It is private and new, so it has to be read.",
    )


def _send(rng: np.random.Generator) -> Task:
    return Task(
        f"Send {pick(rng, NAMES)} the minutes of {pick(rng, DAYS).title()}'s meeting.",
        ACT,
        "Whether the mail went out is told by the result only.",
    )


def _cancel(rng: np.random.Generator) -> Task:
    return Task(
        f"Cancel order {between(rng, 10_000, 99_999)}.",
        ACT,
        "It may be too late: the next step depends on the result.",
    )


def _delete(rng: np.random.Generator) -> Task:
    return Task(
        f"Delete the files in /tmp/reports that are older than {between(rng, 10, 90)} days.",
        ACT,
        "Some may be locked: the next step depends on the result.",
    )


TASKS: tuple[tuple[Callable[[np.random.Generator], Task], ...], ...] = (
    (_train, _boxes, _oldest, _reword),
    (_story, _order, _inbox),
    (_send, _cancel, _delete),
)
"""By what they need, so that each need is drawn equally often."""

REASONING = (Kind("cot-or-react", "Chain of thought or ReAct", "B", 2, reasoning),)
