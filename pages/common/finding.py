"""Finding a statement of the lecture from any screen, and being told where on its screen to look."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from core.teaching.lecture_map import Statement, statements
from pages.common.components import declare
from pages.common.page import open_anew, title_of

DOOR = declare("find")
FOUND = "statement that was found"  # session: the Found


@dataclass(frozen=True)
class Found:
    """What one went to see last: the place of the statement in the list, which of its places, and which of
    all visits this is, for the browser tells of each but once."""

    at: int
    place: int
    count: int


def door(key: str) -> None:
    """Show the button that begins to find, as its key does."""
    DOOR(key=key)


def listed() -> Sequence[dict[str, str]]:
    """What the list says of every statement, and what else it is found by."""
    return [
        {
            "part": one.part,
            "text": one.text,
            "where": _where(one),
            "behind": " ".join(place.lit for place in one.places),
        }
        for one in statements()
    ]


def go(at: int, place: int) -> None:
    """Open a place of the statement that is at this one of the list; this ends the run."""
    if not (0 <= at < len(statements()) and 0 <= place < len(statements()[at].places)):
        return
    told: Found | None = st.session_state.get(FOUND)
    st.session_state[FOUND] = Found(at, place, told.count + 1 if told else 1)
    open_anew()
    there = statements()[at].places[place]
    st.switch_page(f"pages/{there.screen}.py", query_params=there.address)


def found(screen: str) -> dict[str, object] | None:
    """What was found on the screen in view, if one came there to see it."""
    told: Found | None = st.session_state.get(FOUND)
    if told is None:
        return None
    one = statements()[told.at]
    if one.places[told.place].screen != screen:
        return None
    return {**asdict(told), "text": one.text, "where": _where(one), "places": len(one.places)}


def _where(one: Statement) -> str:
    title = title_of(one.places[0].screen)
    named = one.where.startswith(title.split()[0])  # "Context, …" is on the screen Context budget
    return one.where if named else f"{title}: {one.where}"
