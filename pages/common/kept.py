"""What a screen has made of its run, kept in the session: whoever only steps on has nothing made anew."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")

KEPT = "made of the run in view"  # session: what -> what it was made of, and the thing itself


def kept(what: str, of: Hashable, make: Callable[[], T]) -> T:
    """Return the thing named `what`, made anew only where it was last made of something else."""
    things: dict[str, tuple[Hashable, Any]] = st.session_state.setdefault(KEPT, {})
    if what not in things or things[what][0] != of:
        things[what] = (of, make())
    thing: T = things[what][1]
    return thing
