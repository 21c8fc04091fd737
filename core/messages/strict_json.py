"""JSON as RFC 8259 defines it, with the place of every fault.

Python's parser also takes NaN and Infinity, keeps the last of two equal keys, reads a number that is too
large as infinity, and lets half of a surrogate pair through, which no UTF-8 can express. A runtime that
executes what a model wrote must not guess, so these are faults here.
"""

import json
import math
import re
from typing import Any

MOST_LEVELS = 64
"""How deep lists and objects may be nested; the RFC lets an implementation set a limit (section 9)."""


class JSONFault(ValueError):
    """Text that is not JSON; the message says what and where."""

    def __init__(self, problem: str, text: str, position: int) -> None:
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        super().__init__(f"{problem} at line {line}, column {column}")
        self.position = position


def parse(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        JSONFault: the text is not JSON in the sense of RFC 8259, names a key twice, or exceeds a limit.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise JSONFault(error.msg.removesuffix(" at"), text, error.pos) from error
    except RecursionError as error:
        raise JSONFault(f"more than {MOST_LEVELS} levels of nesting", text, 0) from error
    except ValueError as error:  # Python reads no integer of more than 4300 digits
        raise JSONFault("a number that is too large", text, 0) from error
    _refuse_leniences(text)
    return value


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def _refuse_leniences(text: str) -> None:
    """Find what Python's parser accepts beyond the RFC; otherwise the text is known to be well-formed."""
    keys: list[set[str]] = []  # of each object or list that is open
    latest, position = "", 0
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word in "{[":
            keys.append(set())
            if len(keys) > MOST_LEVELS:
                raise JSONFault(f"more than {MOST_LEVELS} levels of nesting", text, token.start())
        elif word in "}]":
            keys.pop()
        elif word == ":":
            if latest in keys[-1]:
                raise JSONFault(f"the key {json.dumps(latest, ensure_ascii=False)} again", text, position)
            keys[-1].add(latest)
        elif word[0] == '"':
            latest, position = json.loads(word), token.start()
            if any("\ud800" <= character <= "\udfff" for character in latest):
                raise JSONFault("half of a surrogate pair", text, position)
        elif word in ("NaN", "Infinity", "-Infinity"):
            raise JSONFault(f"{word}, which JSON does not know,", text, token.start())
        elif word[-1].isdigit() and math.isinf(float(word)):
            raise JSONFault("a number that is too large", text, token.start())
