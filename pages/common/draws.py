"""What was done to a prompt on the sampling screen: one value in the session, and in the address."""

from dataclasses import dataclass, replace

import streamlit as st

from core.lm import load_tokenizer
from core.teaching.lecture import NUMBERS

KEY = "draws of the sampling screen"
WAYS = ("draw", "greedy")


@dataclass(frozen=True)
class Draws:
    """`numbers`: the slug of the lecture's numbers that stand in for a prompt, or empty.

    `added`: the tokens appended so far. `count`: the draws made under the seed. `by`: how the token in view
    was picked, one of `WAYS`; empty if none is.
    """

    numbers: str = ""
    added: tuple[int, ...] = ()
    count: int = 0
    by: str = ""


def current() -> Draws:
    """The state of this session; the first time, what the address says."""
    if KEY not in st.session_state:
        st.session_state[KEY] = _from_address()
    return st.session_state[KEY]


def change(**changes: object) -> None:
    """Change the state in part."""
    st.session_state[KEY] = replace(current(), **changes)


def start_anew(numbers: str = "") -> None:
    """Forget what was drawn."""
    st.session_state[KEY] = Draws(numbers=numbers)


def write_address() -> None:
    """Put the state into the address, each value under its own name."""
    draws = current()
    for name, value in (
        ("numbers", draws.numbers),
        ("added", ".".join(map(str, draws.added))),
        ("draws", str(draws.count or "")),
        ("by", draws.by),
    ):
        if value:
            st.query_params[name] = value
        elif name in st.query_params:
            del st.query_params[name]


def _from_address() -> Draws:
    """What fits of the address; a student may have typed it."""
    numbers, by = st.query_params.get("numbers", ""), st.query_params.get("by", "")
    added = [_whole(part) for part in st.query_params.get("added", "").split(".")]
    return Draws(
        numbers=numbers if numbers in NUMBERS else "",
        added=tuple(id_ for id_ in added if id_ is not None and id_ < load_tokenizer().vocab_size),
        count=_whole(st.query_params.get("draws", "")) or 0,
        by=by if by in WAYS else "",
    )


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None
