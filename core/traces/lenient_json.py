"""JSON as programs write it to disk: not quite standard, cut off, or a value on each line.

`core.messages.strict_json` is for what a model wrote; here a file is read as far as it can be.
"""

import re
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

INCOMPLETE = "\0incomplete"
"""A key of each object in which a broken file breaks off: what is in it is not all that was written."""


class JSONBroken(ValueError):
    """JSON that breaks off or is wrong; `readable` is what stands before the fault, or `None`."""

    def __init__(self, sentence: str, readable: Any) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.readable = readable


def parse_json(written: str) -> Any:
    """The value of a JSON text, with what programs write beyond the standard: NaN, halves of surrogate pairs.

    Raises:
        JSONBroken: naming line and column.
    """
    try:
        return _value(written)
    except ValueError as error:
        problem = str(error)
    readable, place = None, re.search(r" at line (\d+) column (\d+)$", problem)
    what = problem[: place.start()] if place else problem
    where = f"line {int(place[1]):,}, column {int(place[2]):,}" if place else "its beginning"
    if place:
        end = _offset(written, int(place[1]), int(place[2]))
        readable = _before(written[:end])
    if what.startswith("EOF"):
        sentence = f"The file breaks off at {where}, in the middle of its JSON."
    elif what.startswith("recursion"):
        sentence = f"The JSON is nested too deeply at {where}; no run is."
    else:
        sentence = f"The JSON is broken at {where}: {what}."
    raise JSONBroken(sentence, readable)


def parsed(value: object) -> object:
    """A value that a tracer may have written as JSON text: parsed if it is such, else as it stands."""
    if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
        return value
    try:
        return _value(value)
    except ValueError:
        return value


@dataclass(frozen=True)
class Lines:
    """The values of a text with one on each line, and the numbers, from 1, of the lines that hold none."""

    values: tuple[Any, ...]
    broken: tuple[int, ...]


def json_lines(written: str) -> Lines:
    """The objects and lists on the lines of a text; lines of white space do not count."""
    values, broken = [], []
    for number, line in enumerate(written.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = _value(line)
        except ValueError:
            value = None
        if isinstance(value, dict | list):
            values.append(value)
        else:
            broken.append(number)
    return Lines(tuple(values), tuple(broken))


def _value(written: str) -> Any:
    try:
        return from_json(written)
    except ValueError as error:
        if "surrogate" in str(error) or "hex escape" in str(error):
            return from_json(_without_half_pairs(written))
        raise


def _before(written: str) -> Any:
    """What a text that breaks off holds, with a mark in every object that is open at its end; else `None`."""
    try:
        readable = from_json(written, allow_partial=True)
    except ValueError:
        return None
    brackets = STRING.sub("", written)
    value = readable
    for _ in range(sum(map(brackets.count, "{[")) - sum(map(brackets.count, "}]"))):
        members = list(value.values()) if isinstance(value, dict) else value
        if isinstance(value, dict):
            value[INCOMPLETE] = True
        if not isinstance(members, list) or not members:
            break
        value = members[-1]
    return readable


# Possessive, and with the end of the text for the missing quote: no text takes more than one pass.
STRING = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)

ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.S
)


def _without_half_pairs(written: str) -> str:
    """The text with each half of a surrogate pair replaced: cutting a text by UTF-16 units leaves such."""
    return ESCAPE.sub(lambda match: r"\ufffd" if match[1] else match[0], written)


def _offset(written: str, line: int, column: int) -> int:
    """The place in the text, just before the character at fault. Columns count bytes of UTF-8, from 1."""
    start = 0
    for _ in range(line - 1):
        start = written.find("\n", start) + 1
    row = written[start : start + column].encode("utf-8", "surrogatepass")
    return start + len(row[: max(column - 1, 0)].decode("utf-8", "ignore"))
