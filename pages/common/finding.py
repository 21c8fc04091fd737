"""Finding a statement of the lecture from any screen, and being told where on its screen to look."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.teaching.lecture_map import Statement, statements
from pages.common.components import declare
from pages.common.page import open_anew, title_of

DOOR = declare("find")
FOUND = "statement that was found"  # session: the Found


@dataclass(frozen=True)
class Found:
    """What one went to see last, and which of all this is: the browser tells of each but once."""

    statement: Statement
    count: int


def door(key: str) -> None:
    """Show the button that begins to find, as its key does."""
    DOOR(key=key)


def listed() -> Sequence[dict[str, str]]:
    """What the list says of every statement, and what else it is found by."""
    return [
        {"part": one.part, "text": one.text, "where": _where(one), "behind": one.lit} for one in statements()
    ]


def go(at: int) -> None:
    """Open the screen that shows the statement at this place of the list; this ends the run."""
    if not 0 <= at < len(statements()):
        return
    one = statements()[at]
    count = 1 + (st.session_state[FOUND].count if FOUND in st.session_state else 0)
    st.session_state[FOUND] = Found(one, count)
    open_anew()
    st.switch_page(f"pages/{one.screen}.py", query_params=one.address)


def found(screen: str) -> dict[str, object] | None:
    """What was found on the screen in view, if one came there to see it."""
    told: Found | None = st.session_state.get(FOUND)
    if told is None or told.statement.screen != screen:
        return None
    one = told.statement
    return {"text": one.text, "where": _where(one), "count": told.count}


def _where(one: Statement) -> str:
    title = title_of(one.screen)
    named = one.where.startswith(title.split()[0])  # "Context, …" is on the screen Context budget
    return one.where if named else f"{title}: {one.where}"
