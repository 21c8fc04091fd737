"""The labels of ReAct texts: where each begins a section, and what is written under it.

A label stands at the start of a line, in either case, with or without a number, asterisks or `#`. Inside a
closed code fence it is text. `Input:` is read as `Action Input:` right after an action.
"""

import re
from collections.abc import Sequence

from core.values import Value


class Section(Value):
    """A label, in lower case and empty above the first one, its number, and the text under it.

    `raw` is all as written; the `raw`s of a text, joined, are the text.
    """

    label: str
    body: str
    raw: str
    number: str = ""


# Possessive quantifiers: a long line of blanks costs no more than it is long.
_LABEL = re.compile(
    r"[ \t]*+(?:\#++[ \t]*+)?(?P<bold>\**+)[ \t]*+"
    r"(?P<label>thought|action[ \t]++input|input|action|observation|final[ \t]++answer|answer|question|claim)"
    r"[ \t]*+(?P<number>\d{0,6}+)[ \t]*+\**+[ \t]*+:",
    re.IGNORECASE,
)
_BARE_FINISH = re.compile(r"[ \t]*+\**+(?=finish[ \t]*+\[)", re.IGNORECASE)


def sections(text: str, also: Sequence[str] = ()) -> list[Section]:
    """The sections of a text, in order.

    Args:
        also: `answer` is a label only where it is named here, for people end their texts so, and no prompt
            asks a model for it.
    """
    lines = text.splitlines(keepends=True)
    fenced = _fenced(lines)
    found: list[tuple[str, str, list[str], list[str]]] = [("", "", [], [])]
    for place, line in enumerate(lines):
        label, number, rest = ("", "", line) if place in fenced else _label(line, found[-1][0], also)
        if label:
            found.append((label, number, [], []))
        found[-1][2].append(rest)
        found[-1][3].append(line)
    return [
        Section(label=label, number=number, body="".join(body), raw="".join(raw))
        for label, number, body, raw in found
        if raw
    ]


def _label(line: str, above: str, also: Sequence[str]) -> tuple[str, str, str]:
    """The label of a line, its number, and what follows; no label where it has none."""
    if bare := _BARE_FINISH.match(line):
        return "action", "", line[bare.end() :]
    found = _LABEL.match(line)
    label = " ".join(found["label"].lower().split()) if found else ""
    if not found or (label == "answer" and label not in also) or (label == "input" and above != "action"):
        return "", "", line
    rest = line[found.end() :]
    return (
        "action input" if label == "input" else label,
        found["number"],
        rest.lstrip().removeprefix(found["bold"]) if found["bold"] else rest,
    )


def _fenced(lines: Sequence[str]) -> set[int]:
    """The lines of code fences that are closed; one that is left open fences nothing."""
    ticks = [number for number, line in enumerate(lines) if line.lstrip().startswith("```")]
    closing = [number for number in ticks if not lines[number].strip().strip("`")]
    inside: set[int] = set()
    opened = -1
    for number in ticks:
        if opened < 0:
            opened = number if closing and number < closing[-1] else -1
        elif not lines[number].strip().strip("`"):
            inside.update(range(opened, number + 1))
            opened = -1
    return inside
