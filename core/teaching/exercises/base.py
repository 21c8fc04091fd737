"""What an exercise is made of: a task with fields, the right answers, known mistakes, a worked solution.

All texts are plain text; formulas are LaTeX of this package's own.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Answer = float | str | frozenset[str] | tuple[str, ...]
"""Of a NumberField, a ChoiceField or TextField, a SetField, an OrderField."""


@dataclass(frozen=True)
class Table:
    """Given figures: `columns` name what stands in each of the `rows`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Code:
    """Given text in the monospaced face: a schema, a call, a run. `caption` says what it is."""

    text: str
    caption: str = ""


Given = Table | Code


@dataclass(frozen=True)
class NumberField:
    """A number, right if it is within `tolerance`, which the screen says; 0 is exact: a count.

    `probability`: whether it lies between 0 and 1 by its nature. `signless`: whether a sign says nothing that
    another field does not say, so that -5 and 5 are one answer.
    """

    name: str
    label: str
    unit: str = ""
    tolerance: float = 0.01
    probability: bool = False
    signless: bool = False

    @property
    def whole(self) -> bool:
        """Whether it counts something, so that 1,000 is a thousand."""
        return self.tolerance == 0 or self.tolerance >= 0.5

    @property
    def decimals(self) -> int:
        """Decimals with which the right answer is shown: finer than the tolerance, so that sums fit."""
        return 0 if self.whole else math.floor(-math.log10(self.tolerance)) + 1


@dataclass(frozen=True)
class ChoiceField:
    """One of `options`."""

    name: str
    label: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class SetField:
    """Any number of `options`, at least one; where none can be right, an option says so."""

    name: str
    label: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class OrderField:
    """All of `items`, brought into order; they are shown as listed here."""

    name: str
    label: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class TextField:
    """Text of several lines, checked by `Made.checks`. `start` stands in it at first."""

    name: str
    label: str
    start: str = ""


Field = NumberField | ChoiceField | SetField | OrderField | TextField


@dataclass(frozen=True)
class Mistake:
    """What a typical wrong way gives in some of the fields, and a sentence that names the mistake.

    `decisive`: the fields in which it has to differ from the right answer. Figures with which it does not are
    drawn anew, so that this way cannot be found right.
    """

    sentence: str
    answers: Mapping[str, Answer]
    decisive: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One step of the worked solution."""

    text: str
    given: Given | None = None


@dataclass(frozen=True)
class Made:
    """One exercise and all that is known about it.

    `answers`: the right one of every field but the TextFields, which hold an example there. `mistakes`: the
    likelier ones first; `checking` leaves out what is right in this draw. `checks`: for each TextField, what
    is wrong with a text, as a sentence, or "". `otherwise`: for some fields, what is said of a wrong answer
    that no mistake explains. `hint`: a way to begin, that gives nothing away.
    """

    task: str
    fields: tuple[Field, ...]
    answers: Mapping[str, Answer]
    hint: str
    steps: tuple[Step, ...]
    given: tuple[Given, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    checks: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    otherwise: Mapping[str, Callable[[Answer], str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """A kind of exercise.

    `part`: A is sampling, B the loop and the context. `objective`: the lecture's, 1 to 5.
    `formula`: LaTeX, shown with the hint, or empty.
    """

    slug: str
    title: str
    part: Literal["A", "B"]
    objective: int
    make: Callable[[np.random.Generator], Made]
    formula: str = ""


@dataclass(frozen=True)
class Exercise:
    """A kind with the figures of a seed. The same kind and seed are the same exercise, on every machine."""

    kind: Kind
    seed: int
    made: Made


@dataclass(frozen=True)
class Verdict:
    """What is said about one field. `text` is one sentence, empty if nothing was answered."""

    field: str
    state: Literal["right", "wrong", "empty", "unreadable"]
    text: str
