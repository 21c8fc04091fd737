"""Long work in short pieces: a part of a page that runs on its own hears a press only between two runs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import streamlit as st

PIECE = 0.4  # seconds of one run
WHOLE = "the whole page runs"  # session: whether this run began with the page, or with a part of it

Told = TypeVar("Told")


def go_on(name: str, of: object, begin: Callable[[], Iterator[Told]]) -> Told | None:
    """Do a piece of the work `name`: what it told last, or `None` once it is done.

    `of`: what the work is for; where that has changed, it is begun anew.
    """
    key = f"work: {name}"
    held = st.session_state.pop(key, None)  # put back below: a press in the middle of a piece ends the work
    if held is None or held[0] != of:
        held = (of, begin())
    until = time.monotonic() + PIECE
    held = held[:2]
    for told in held[1]:
        if time.monotonic() > until:
            st.session_state[key] = (*held, told)
            return told
    return None


def last_told(name: str) -> object:
    """What the work told last; `None` if it has not begun."""
    return st.session_state.get(f"work: {name}", (None,) * 3)[2]


def forget(name: str) -> None:
    """Leave a work."""
    st.session_state.pop(f"work: {name}", None)


@contextmanager
def whole_page() -> Iterator[None]:
    """Within a run of the whole page: what asks for another run there asks for one of the page."""
    st.session_state[WHOLE] = True
    try:
        yield
    finally:  # also where a run was asked for: the next one may be of the part alone
        st.session_state[WHOLE] = False


def again() -> None:
    """Run this part of the page once more; what was pressed meanwhile takes effect before."""
    st.rerun(scope="app" if st.session_state.get(WHOLE) else "fragment")
