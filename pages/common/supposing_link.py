"""What is supposed, in the address: read when a link opens the screen, written at each change."""

from contextlib import suppress
from typing import Any

import streamlit as st

from core.context import Strategy
from core.context.supplies import Choice
from core.context.supposition import LARGEST_WINDOW, SMALLEST_WINDOW, SUMMARY, window_of
from core.errors import InputError
from core.figures.loop_timeline import slug
from core.trace import Part
from pages.common import address

SWITCHES = ("reorder", "thoughts", "skills")
NUMBERS = {  # from and to; of the tools, up to those that the run has
    "reserve": (0, 1_000_000),
    "threshold": (1, 100),
    "keep": (0, 20),
    "tools": (0, 0),
    "documents": (0, 10),
    "facts": (0, 4),
    "block": (1, 100_000),
    "minimum": (0, 1_000_000),
}
AMOUNTS = ("price", "again", "speed")
COSTS = ("block", "minimum", *AMOUNTS)
WHATS = (
    *("window", "strategy", "clock", "summary", "writer"),
    *(name for name in NUMBERS if name not in COSTS),
    *SWITCHES,
)
DEFAULTS: dict[str, Any] = {
    "strategy": Strategy.NONE,
    "reserve": 0,
    "threshold": 80,
    "keep": 4,
    "summary": SUMMARY,
    "writer": "",
    "clock": "none",
    "reorder": False,
    "thoughts": False,
    "documents": Choice().documents,
    "facts": Choice().facts,
    "skills": Choice().skills,
    "block": 1,
    "minimum": 0,
    "price": None,
    "again": None,
    "speed": None,
}
CLOCKS = {
    "none": "no clock",
    "head": "at the head of the system prompt",
    "end": "at the end of the last message",
}
SHORT_CLOCKS = {"none": "No clock", "head": "Clock at the head", "end": "Clock at the end"}
MORE = {"curves": "The run as curves", "cache": "What a prompt cache saves"}
PARTS = tuple(slug(part) for part in Part)
ALL = (*WHATS, *COSTS, "part", "more")
STRATEGIES = {strategy.name.lower(): strategy for strategy in Strategy}
LONGEST_SUMMARY = 2_000  # characters: it stands in the address
LONGEST_WORD = 30  # characters of a value that makes no sense, as it is repeated


def asked(tools: int) -> dict[str, Any]:
    """The values of the widgets that the address gives, of a run with so many tools."""
    values = {name: _asked(name, tools) for name in (*WHATS, *COSTS)}
    return {name: value for name, value in values.items() if value is not None}


def notice(tools: int) -> str:
    """A sentence about what the address says and cannot be; empty where all of it can."""
    refused = [name for name in ALL if st.query_params.get(name) and _asked(name, tools) is None]
    if not refused:
        return ""
    first, *others = refused
    text = st.query_params[first]
    said = text if len(text) <= LONGEST_WORD else f"{text[:LONGEST_WORD]}…"
    more = f", and so {'is' if len(others) == 1 else 'are'} {', '.join(others)}" if others else ""
    return f"The address says {first}={said}, but {first} is {_what(first, tools)}: it is left out{more}."


def written(values: dict[str, Any], own: int | None, tools: int) -> dict[str, str]:
    """The texts of the address for some widgets; what is as at first is left out.

    `own`: the window of the run itself, and `tools` how many it has.
    """
    first = DEFAULTS | {"window": f"{own:,}" if own else None, "tools": tools}
    return {name: "" if value == first[name] else _text(name, value) for name, value in values.items()}


def _text(name: str, value: Any) -> str:
    match name:
        case "window":
            with suppress(InputError):
                return str(window_of(value or ""))
            return ""
        case "strategy":
            return next(word for word, strategy in STRATEGIES.items() if strategy is value)
        case _ if name in SWITCHES:
            return "yes" if value else "no"
        case _ if name in COSTS:
            return f"{value:g}"
        case _:
            return str(value)


def _asked(name: str, tools: int) -> Any:
    """The value that the address gives for a widget; `None` where it gives none that makes sense."""
    text = st.query_params.get(name, "")
    if not text:
        return None
    match name:
        case "window":
            with suppress(InputError):
                return f"{window_of(text):,}"
            return None
        case "strategy":
            return STRATEGIES.get(text)
        case "clock":
            return text if text in CLOCKS else None
        case "more":
            return text if text in MORE else None
        case "part":
            return text if text in PARTS else None
        case "summary":
            return text[:LONGEST_SUMMARY]
        case "writer":
            return text
        case _ if name in SWITCHES:
            return text == "yes" if text in ("yes", "no") else None
        case _ if name in AMOUNTS:
            with suppress(ValueError):
                return number if 0 < (number := float(text)) < 1e9 else None
            return None
        case _:
            low, high = _range(name, tools)
            whole = address.whole(text)
            return whole if whole is not None and low <= whole <= high else None


def _range(name: str, tools: int) -> tuple[int, int]:
    return (0, tools) if name == "tools" else NUMBERS[name]


def _what(name: str, tools: int) -> str:
    """What the values of a widget are, for who has typed another."""
    match name:
        case "window":
            return f"a number of tokens from {SMALLEST_WINDOW} to {LARGEST_WINDOW:,}"
        case "strategy":
            return _one_of(STRATEGIES)
        case "clock":
            return _one_of(CLOCKS)
        case "more":
            return _one_of(MORE)
        case "part":
            return f"the name of a part, such as {PARTS[1]}"
        case _ if name in SWITCHES:
            return "yes or no"
        case _ if name in AMOUNTS:
            return "a number above 0"
        case _:
            low, high = _range(name, tools)
            return f"a whole number from {low} to {high:,}"


def _one_of(words: dict[str, Any]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}"
