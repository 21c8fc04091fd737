"""The button behind which a view has its terms. An address can open it, at one of them."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.teaching.tool_terms import Term

STYLE = """<style>
[data-testid="stPopoverBody"]:has(.st-key-terms_of_the_view) {
  width: min(42rem, 92vw) !important; max-width: none !important;
}
.st-key-terms_of_the_view p { font-size: 0.875rem; line-height: 1.45; }
</style>"""


def show_terms(terms: Sequence[Term], marked: str, key: str, on_change: Callable[[], None]) -> None:
    """Show the button, and lit the term whose slug is `marked`.

    Whether the button is open stands in the session, under `key`.
    """
    st.html(STYLE)
    popover = st.popover("Terms", key=key, on_change=on_change)
    with popover, st.container(key="terms_of_the_view", gap="small"):
        for term in terms:
            name = f":orange-background[**{term.name}**]" if term.slug == marked else f"**{term.name}**"
            source = f"  :small[:gray[{term.source}.]]" if term.source else ""
            st.markdown(f"{name}: {term.text}{source}")
