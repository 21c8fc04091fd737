"""Numbers that a person pastes: logits or probabilities, with or without names.

    0.5, 0.3, 0.2        2.1 0.4 -1        Paris: 0.7; London: 0.3        New York 62 %

Commas, semicolons, spaces and line breaks separate. A comma between two digits can also be a decimal comma.
It is one if semicolons separate or every number has a name ("0,5; 0,3", "Paris: 0,7"), and is refused if both
readings are left ("0,5 0,3").
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.sampling.logits import SUM_TOLERANCE

Kind = Literal["logits", "probabilities"]

MOST_NUMBERS = 1_000
MOST_CHARACTERS = 50_000

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?%?|[+-]?inf(inity)?|[+-]?nan", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(e[+-]?\d+)?%?", re.IGNORECASE)
_DECIMAL_POINT = re.compile(r"\d\.\d|(?<!\w)\.\d")
_TIGHT_COMMA = re.compile(r"(?<=\d),(?=\d)")
_OUTER = {"[": "]", "{": "}", "(": ")"}


@dataclass(frozen=True)
class Pasted:
    """What was read.

    `names`: one for each number; "1", "2", ... if the text names none. `values`: percentages as hundredths.
    `total`: the sum of probabilities; `None` for logits.
    """

    kind: Kind
    names: tuple[str, ...]
    values: tuple[float, ...]
    total: float | None

    @property
    def problem(self) -> str | None:
        """A sentence if probabilities do not sum to 1."""
        if self.total is None or abs(self.total - 1) <= SUM_TOLERANCE:
            return None
        return f"These probabilities sum to {self.total:.6g}, not to 1. Divided by that sum, they would."

    @property
    def counted(self) -> str:
        """How many there are, in words."""
        if len(self.values) == 1:
            return f"1 {_SINGULAR[self.kind]} as you gave it"
        return f"{len(self.values):,} {self.kind} as you gave them"

    def normalised(self) -> "Pasted":
        """The probabilities divided by their sum; logits as they are, since the softmax normalises them."""
        if self.total is None:
            return self
        values = tuple(value / self.total for value in self.values)
        return replace(self, values=values, total=sum(values))

    def logits(self) -> NDArray[np.float64]:
        """For `presort` and `distribution`: the logits, or ln p. Errors: `InputError` with the problem."""
        if self.problem:
            raise InputError(self.problem)
        if self.kind == "logits":
            return np.array(self.values)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.values), dtype=np.float64)


def read_pasted(text: str, kind: Kind) -> Pasted:
    """The numbers in a text.

    Probabilities need not sum to 1: then `.problem` says so, and `.normalised()` is the offer. A logit may be
    -inf, for a forbidden token.
    Errors: `InputError` for text that is no list of numbers, a comma with two readings, a probability that is
    negative or not finite, a logit that is +inf or not a number, nothing, all 0, or too much.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"That is too much text: paste at most {MOST_CHARACTERS:,} characters.")
    entries = list(_entries(_parts(_plain(text))))
    if not entries:
        raise InputError("There is no number yet: paste some, for instance 0.5, 0.3, 0.2.")
    if len(entries) > MOST_NUMBERS:
        raise InputError(f"These are {len(entries):,} numbers; at most {MOST_NUMBERS:,} can be shown.")
    unnamed = sum(not name for name, _ in entries)
    if 0 < unnamed < len(entries):
        number = next(written for name, written in entries if not name)
        raise InputError(f"{_short(number)} has no name while others do: give every number a name, or none.")
    names = tuple(name or str(index) for index, (name, _) in enumerate(entries, 1))
    values = tuple(_value(written, kind) for _, written in entries)
    if kind == "logits":
        if all(value == -math.inf for value in values):
            raise InputError("Every logit is minus infinity, so no token is left: give one of them a number.")
        return Pasted(kind, names, values, None)
    total = sum(values)
    if not total or math.isinf(total):
        raise InputError(f"These probabilities sum to {total:g}, so they share out nothing.")
    return Pasted(kind, names, values, total)


def _plain(text: str) -> str:
    """Without the brackets of a copied list, with an ASCII minus, and with % close to its number."""
    text = text.replace("−", "-").strip()
    if text and text[-1] == _OUTER.get(text[0]):
        text = text[1:-1]
    return re.sub(r"(?<=\d)[ \t\u00a0\u202f]+%", "%", text)


def _parts(text: str) -> list[str]:
    """The text cut at its separators other than spaces, with decimal points."""
    if _has_decimal_commas(text):
        return re.split(r"[;\n]", _TIGHT_COMMA.sub(".", text))
    return re.split(r"[,;\n]", text)


def _has_decimal_commas(text: str) -> bool:
    """Whether commas are decimal. Errors: `InputError` if nobody can tell."""
    chunks = re.split(r"[;:\s]+", text)
    decimal = [chunk for chunk in chunks if _DECIMAL_COMMA.fullmatch(chunk.rstrip(","))]
    if not decimal or _DECIMAL_POINT.search(text):
        return False
    others = any("," in chunk for chunk in chunks if chunk not in decimal) or any(
        c[-1] == "," for c in decimal
    )
    named = all(name for name, _ in _entries(re.split(r"[;\n]", _TIGHT_COMMA.sub(".", text))))
    if others or not (";" in text or named):
        raise InputError(
            f"In {decimal[0].rstrip(',')} the comma can be a decimal comma or stand between two numbers: "
            "write a decimal point, or separate the numbers with semicolons."
        )
    return True


def _entries(parts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The (name, number) pairs, with an empty name where there is none."""
    for part in parts:
        name: list[str] = []
        for word in _words(part):
            if word.endswith(":") or not _NUMBER.fullmatch(word):
                name.append(word)
                continue
            yield " ".join(name).removesuffix(":").strip().strip("\"'"), word
            name = []
        if name:
            raise InputError(f"{_short(' '.join(name))} is not a number, and no number follows it.")


def _words(part: str) -> Iterator[str]:
    """Words between spaces, and cut behind a colon that a number follows: `a:0.4` is `a:` and `0.4`."""
    for word in part.split():
        head, colon, number = word.rpartition(":")
        if colon and _NUMBER.fullmatch(number):
            yield head + colon
            yield number
        else:
            yield word


def _value(written: str, kind: Kind) -> float:
    if kind == "logits" and written.endswith("%"):
        raise InputError(f"{_short(written)} is a percentage, and logits have none: choose probabilities.")
    value = float(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
    if math.isnan(value):
        raise InputError("NaN stands for “not a number”: leave it out.")
    if value == math.inf or (kind == "probabilities" and math.isinf(value)):
        raise InputError(f"{_short(written)} is too large: a {_SINGULAR[kind]} is a finite number.")
    if value == -math.inf and "inf" not in written.lower():
        raise InputError(
            f"{_short(written)} is too far below 0 to be computed with: to forbid a token, write -inf."
        )
    if kind == "probabilities" and value < 0:
        raise InputError(f"{_short(written)} is negative, and no probability is: are these logits?")
    return value


_SINGULAR: dict[Kind, str] = {"logits": "logit", "probabilities": "probability"}


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
