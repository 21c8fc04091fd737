"""Marks around what is handed to a template, from which its output tells who owns which character.

A mark is a private-use character that the plain text does not contain, so no content can forge one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from core.messages.markers import MARKER
from core.messages.parts import Part
from core.messages.rendered import Owner

Placement = Literal["outer", "inner", "none"]
"""Where the marks of a content stand: around it, inside its leading and trailing white space (so that a
template that trims still trims) or, of JSON, inside its braces, or nowhere."""

Run = tuple[int, int, Owner]
"""`text[start:end]` is the owner's."""

_MARK = re.compile("([\U000f0000-\U000ffffd\U00100000-\U0010fffd])")  # planes 15 and 16, for private use


class MarkedText(str):
    """Text with marks in it that a template may compare, measure and cut as if they were not there.

    What it cuts out carries the marks again: it is still the owner's.
    """

    plain: str
    _mark: Callable[[str], str]

    def __new__(cls, marked: str, plain: str, mark: Callable[[str], str]) -> "MarkedText":
        text = super().__new__(cls, marked)
        text.plain = plain
        text._mark = mark
        return text

    def __eq__(self, other: object) -> bool:
        return self.plain == (other.plain if isinstance(other, MarkedText) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.plain)

    def __len__(self) -> int:
        return len(self.plain)


def _on_plain(name: str) -> Callable[..., Any]:
    method = getattr(str, name)

    def call(self: MarkedText, *given: Any, **named: Any) -> Any:
        found = method(self.plain, *given, **named)
        if isinstance(found, list | tuple):
            return type(found)(self._mark(part) for part in found)
        return self._mark(found) if isinstance(found, str) else found

    return call


for _name in (
    *("__contains__", "__getitem__", "startswith", "endswith", "find", "rfind", "index", "count"),
    *("strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "replace"),
    *("split", "rsplit", "splitlines", "partition", "rpartition"),
    *("upper", "lower", "title", "capitalize"),
):
    setattr(MarkedText, _name, _on_plain(_name))


class Marks:
    """The marks of one run of the template: a pair of characters for each owner.

    Args:
        placements: where each owner's marks stand.
        plain: the text without marks; what it contains is no mark.
    """

    def __init__(self, placements: Mapping[Owner, Placement], plain: str) -> None:
        used = set(_MARK.findall(plain))
        free = (
            mark
            for code in chain(range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))
            if (mark := chr(code)) not in used
        )
        self._placements = placements
        self._pairs = {
            owner: (next(free), next(free)) for owner, placement in placements.items() if placement != "none"
        }
        self._opening = {pair[0]: owner for owner, pair in self._pairs.items()}
        self._closing = {pair[1]: owner for owner, pair in self._pairs.items()}
        self._owned: dict[int, tuple[object, Owner]] = {}

    def around(self, owner: Owner, text: str) -> str:
        """The text between the marks of its owner; empty text stays empty, for templates test that."""
        if owner not in self._pairs or not text:
            return text
        opening, closing = self._pairs[owner]

        def mark(part: str) -> str:
            core = part if self._placements[owner] == "outer" else part.strip()
            if not core:
                return part
            start = part.index(core)
            marked = part[:start] + opening + core + closing + part[start + len(core) :]
            return MarkedText(marked, part, mark)

        return mark(text)

    def claim(self, owner: Owner, value: Any) -> Any:
        """Have every object and list in a value enclosed in the owner's marks where it is written as JSON."""
        self._owned[id(value)] = (value, owner)  # holding the value keeps its id from being used again
        members = value.values() if isinstance(value, dict) else value
        for member in members:
            if isinstance(member, dict | list):
                self.claim(owner, member)
        return value

    def around_json(self, value: object, text: str) -> str:
        """The JSON text of a value between the marks of whoever claimed it."""
        claimed = self._owned.get(id(value))
        if claimed is None or claimed[1] not in self._pairs:
            return text
        opening, closing = self._pairs[claimed[1]]
        if self._placements[claimed[1]] == "inner":  # a template may cut the last brace off, to add a field
            return text[0] + opening + text[1:-1] + closing + text[-1]
        return opening + text + closing

    def read(self, marked: str, plain: str) -> tuple[list[Run], set[Owner]] | None:
        """What the marks in a text say.

        Returns:
            The owned stretches of the plain text, and the owners whose marks do not pair, so that nothing
            can be said of them; `None` where the marks changed the text.
        """
        pieces = _MARK.split(marked)
        runs: list[Run] = []
        inside: list[Owner] = []
        broken: set[Owner] = set()
        position = 0
        for piece in pieces:
            if piece in self._opening:
                inside.append(self._opening[piece])
            elif piece in self._closing:
                owner = self._closing[piece]
                if inside and inside[-1] == owner:
                    inside.pop()
                else:
                    broken.add(owner)
            elif piece:
                if not plain.startswith(piece, position):
                    return None
                if inside:
                    runs.append((position, position + len(piece), inside[0]))
                position += len(piece)
        return (_joined(runs, plain), broken | set(inside)) if position == len(plain) else None

    def tail(self, marked: str) -> str:
        """The text behind the last mark of an owner that is a message."""
        last = 0
        for mark in _MARK.finditer(marked):
            owner = self._closing.get(mark.group())
            if owner is not None and owner.message is not None:
                last = mark.end()
        own = self._opening.keys() | self._closing.keys()
        return "".join(piece for piece in _MARK.split(marked[last:]) if piece not in own)


def _joined(runs: Sequence[Run], text: str) -> list[Run]:
    """Neighbouring runs of one owner as one. A schema or call that is written piece by piece owns what lies
    between, unless that is a marker: markers are the template's."""
    joined: list[Run] = []
    for start, end, owner in runs:
        if joined:
            first, last, previous = joined[-1]
            in_pieces = owner.part in (Part.TOOLS, Part.TOOL_CALL) and not MARKER.search(text, last, start)
            if previous == owner and (last == start or in_pieces):
                joined[-1] = (first, end, owner)
                continue
        joined.append((start, end, owner))
    return joined
