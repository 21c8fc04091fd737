"""What a lesson is made of: steps, each with the state of a screen, a question, and its computed answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isclose
from typing import Literal, Protocol

Address = Mapping[str, str]
"""What stands in the address of a screen, by name: the state that it opens with."""


@dataclass(frozen=True)
class Answer:
    """What was computed: `text` as it is shown, `value` of a number, `index` of the option that is right."""

    text: str
    value: float = 0
    index: int | None = None


class Question(Protocol):
    """Something to predict. `form` says what is asked for."""

    @property
    def form(self) -> Literal["number", "choice", "token"]:
        """Which field a guess is made in."""
        ...

    def answer(self, address: Address) -> Answer:
        """What core computes from the state of an address. `InputError` where it cannot."""
        ...

    def fits(self, guess: str, answer: Answer) -> bool:
        """Whether a guess, as it was typed, is right."""
        ...


@dataclass(frozen=True)
class Number:
    """A number: right within `tolerance`, in its own unit."""

    compute: Callable[[Address], float]
    tolerance: float = 0
    unit: str = ""
    digits: int = 0

    form: Literal["number"] = field(default="number", init=False)

    def answer(self, address: Address) -> Answer:
        """As `Question.answer`."""
        value = self.compute(address)
        return Answer(f"{value:,.{self.digits}f} {self.unit}".strip(), value=value)

    def fits(self, guess: str, answer: Answer) -> bool:
        """As `Question.fits`; what is no number is not right."""
        try:
            number = float(guess.strip().removesuffix("%").replace(",", ""))
        except ValueError:
            return False
        return isclose(number, answer.value, rel_tol=0, abs_tol=self.tolerance + 1e-9)


@dataclass(frozen=True)
class Choice:
    """One of some options; a guess is the place of one, from 0. What is computed is the right one's text.

    A model's draw can come out as none of them, on a machine that rounds otherwise.
    """

    options: tuple[str, ...]
    compute: Callable[[Address], str]

    form: Literal["choice"] = field(default="choice", init=False)

    def answer(self, address: Address) -> Answer:
        """As `Question.answer`."""
        text = self.compute(address)
        return Answer(text, index=self.options.index(text) if text in self.options else None)

    def fits(self, guess: str, answer: Answer) -> bool:
        """As `Question.fits`."""
        return guess == str(answer.index)


@dataclass(frozen=True)
class Token:
    """The text of a token; the space before a word does not count."""

    compute: Callable[[Address], str]

    form: Literal["token"] = field(default="token", init=False)

    def answer(self, address: Address) -> Answer:
        """As `Question.answer`."""
        return Answer(self.compute(address).strip())

    def fits(self, guess: str, answer: Answer) -> bool:
        """As `Question.fits`."""
        return guess.strip() == answer.text


@dataclass(frozen=True)
class LessonStep:
    """A step: a screen with the state of `address`, what to look at, and a question about what comes `then`.

    `then` holds what of the address changes with the answer. `why` is said after it. An address names
    something that its screen keeps in the session: otherwise the screen would show what was there before.
    """

    screen: str
    address: Address
    look: str
    ask: str
    question: Number | Choice | Token
    why: str
    then: Address = field(default_factory=dict)

    @property
    def revealed(self) -> Address:
        """The address that shows the answer."""
        return {**self.address, **self.then}

    def answer(self) -> Answer:
        """The answer, computed from the state that shows it. `InputError` where it cannot be."""
        return self.question.answer(self.revealed)


@dataclass(frozen=True)
class Lesson:
    """A path through screens, for one learning objective of the lecture."""

    title: str
    objective: str
    steps: tuple[LessonStep, ...]
