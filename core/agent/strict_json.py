"""JSON as RFC 8259 defines it, with the place of every fault.

Python's parser also takes NaN and Infinity, keeps the last of two equal keys, and reads a number that is too
large as infinity. A runtime that executes what a model wrote must not guess, so these are faults here.
"""

import json
import math
import re
from typing import Any


class JSONFault(ValueError):
    """Text that is not JSON; the message says what and where."""

    def __init__(self, problem: str, text: str, position: int) -> None:
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        super().__init__(f"{problem} at line {line}, column {column}")
        self.problem = problem
        self.position = position


def parse(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        JSONFault: the text is not JSON in the sense of RFC 8259, names a key twice, or is nested too deeply.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise JSONFault(error.msg, text, error.pos) from error
    except RecursionError as error:
        raise JSONFault("nested too deeply", text, 0) from error
    except ValueError as error:  # an integer with thousands of digits
        raise JSONFault("a number is too long", text, 0) from error
    _refuse_leniences(text)
    return value


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def _refuse_leniences(text: str) -> None:
    """Find what Python's parser accepts beyond the RFC. The text is known to be well-formed otherwise."""
    keys: list[set[str]] = []  # one set for each open object or list
    previous, start = "", 0
    for token in _TOKEN.finditer(text):
        word = token.group()
        match word[0]:
            case "{" | "[":
                keys.append(set())
            case "}" | "]":
                keys.pop()
            case '"':
                pass
            case ":":
                key = json.loads(previous)
                if key in keys[-1]:
                    raise JSONFault(f"the key {previous} appears twice", text, start)
                keys[-1].add(key)
            case "-" | "N" | "I" | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9":
                if word in ("NaN", "Infinity", "-Infinity"):
                    raise JSONFault(f"{word} is not JSON", text, token.start())
                if math.isinf(float(word)):
                    raise JSONFault(f"the number {word} is too large", text, token.start())
        previous, start = word, token.start()
