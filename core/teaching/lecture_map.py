"""The lecture's statements and where a screen shows them, as `docs/lecture-map.md` says."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

from core.teaching.lecture import (
    LOOP_FORMULAS,
    MASK_FORMULA,
    REACT_FORMULAS,
    SAMPLER_FORMULAS,
    SPECULATIVE_FORMULAS,
)
from core.teaching.loop_terms import LOOP_TERMS
from core.teaching.terms import slug_of
from core.teaching.tool_terms import TERMS
from core.values import Value

FORMULAS = (SAMPLER_FORMULAS, MASK_FORMULA, SPECULATIVE_FORMULAS, REACT_FORMULAS, LOOP_FORMULAS)

MAP = Path(__file__).parents[2] / "docs" / "lecture-map.md"
CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"`([^`]+)`")


class Place(Value):
    """A screen, and what its address holds."""

    screen: str
    address: dict[str, str]

    @property
    def lit(self) -> str:
        """The terms or formulas at which it opens a button, or empty."""
        return _entries().get(self.address.get("terms") or self.address.get("formulas", ""), "")


class Statement(Value):
    """What the lecture says, the part in which it does, the places that show it, and where to look there."""

    part: str
    text: str
    where: str
    places: tuple[Place, ...]


@cache
def statements() -> tuple[Statement, ...]:
    """Every statement that a link opens, in the order of the lecture; of rows with one text the first."""
    return tuple({one.text: one for one in reversed(tuple(_rows()))}.values())[::-1]


def _rows() -> Iterator[Statement]:
    chapter = part = ""
    for line in MAP.read_text(encoding="utf-8").splitlines():
        row = CELLS.split(line)
        if line.startswith("## "):
            chapter = part = line.removeprefix("## ")
        elif line.startswith("### "):
            part = f"{chapter}, {line.removeprefix('### ')}"
        elif len(row) == 5 and (links := LINK.findall(row[3])) and not links[0].startswith("?"):
            places = tuple(_place(link) for link in links)
            yield Statement(part=part, text=_plain(row[1]), where=_plain(row[2]), places=places)


def _place(link: str) -> Place:
    screen, _, query = link.partition("?")
    return Place(screen=screen.strip("/") or "home", address=dict(parse_qsl(query)))


def _plain(cell: str) -> str:
    return cell.strip().replace("\\|", "|").replace("`", "")


@cache
def _entries() -> dict[str, str]:
    """What the buttons of the screens have under each name; two may have the same."""
    terms = (term for group in (*TERMS.values(), LOOP_TERMS) for term in group)
    formulas = (one for group in FORMULAS for one in group)
    texts: dict[str, str] = {}
    for name, text in (*((term.name, term.text) for term in terms), *((one[0], one[2]) for one in formulas)):
        texts[slug_of(name)] = f"{texts.get(slug_of(name), '')} {name} {text}"
    return texts
