"""Reading and writing the address: each value under its own name, what is as at first left out."""

from collections.abc import Mapping

import streamlit as st


def write(wanted: Mapping[str, str]) -> None:
    """Put values into the address, where it does not hold them already; an empty one is taken out."""
    for name, text in wanted.items():
        if not text:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != text:
            st.query_params[name] = text


def whole(text: str) -> int | None:
    """The whole number, of at most nine digits, that a student may have typed; `None` if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None
