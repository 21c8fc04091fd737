"""The lecture's statements and where a screen shows them, as `docs/lecture-map.md` says."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

from core.values import Value

MAP = Path(__file__).parents[2] / "docs" / "lecture-map.md"
CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"`([^`]+)`")


class Statement(Value):
    """What the lecture says, and the screen that shows it, with what its address holds then."""

    text: str
    screen: str
    address: dict[str, str]


@cache
def statements() -> tuple[Statement, ...]:
    """Every statement that a link opens, in the order of the lecture; of several links the first."""
    rows = (CELLS.split(line) for line in MAP.read_text(encoding="utf-8").splitlines())
    found = [
        _statement(row[1], link[1])
        for row in rows
        if len(row) == 5 and (link := LINK.search(row[3])) and not link[1].startswith("?")
    ]
    return tuple({one.text: one for one in reversed(found)}.values())[::-1]


def _statement(text: str, link: str) -> Statement:
    screen, _, query = link.partition("?")
    plain = text.strip().replace("\\|", "|").replace("`", "")
    return Statement(text=plain, screen=screen, address=dict(parse_qsl(query)))
