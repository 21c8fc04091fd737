"""The buttons behind which a screen has its terms and its formulas. An address can open them, at one."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.teaching.terms import Term, slug_of
from pages.common import address
from pages.common.page import opening
from pages.common.widgets import Widgets

WIDGETS = Widgets("beside_")
OPEN = "open"  # what the address says where none is lit
STYLE = """<style>
[data-testid="stPopoverBody"]:has(.st-key-terms_of_the_view) {
  width: min(42rem, 92vw) !important; max-width: none !important;
}
.st-key-terms_of_the_view p { font-size: 0.875rem; line-height: 1.45; }
</style>"""

Width = Literal["stretch", "content"]
Formula = tuple[str, str, str]
"""Its name, its LaTeX, and a remark."""


def show_terms(terms: Sequence[Term]) -> None:
    """Show the button of a view's terms. The address has the one that is lit under `terms`."""
    st.html(STYLE)
    # Here as with formulas, what a link asks for comes first: the list may be longer than the window.
    marked, popover = button_of("Terms", "terms", [term.slug for term in terms], "content")
    with popover, st.container(key="terms_of_the_view", gap="small"):
        for term in sorted(terms, key=lambda term: term.slug != marked):
            source = f"  :small[:gray[{term.source}.]]" if term.source else ""
            st.markdown(f"{_lit(term.name, term.slug == marked)}: {term.text}{source}")


def show_formulas(label: str, formulas: Sequence[Formula], width: Width = "stretch") -> None:
    """Show the button of formulas of the lecture. The address has the one that is lit under `formulas`."""
    slugs = [slug_of(title) for title, _, _ in formulas]
    marked, popover = button_of(label, "formulas", slugs, width)
    first = sorted(zip(slugs, formulas, strict=True), key=lambda one: one[0] != marked)
    with popover:
        for slug, (title, latex, remark) in first:
            st.markdown(_lit(title, slug == marked))
            st.latex(latex)
            st.caption(remark)


def button_of(
    label: str, name: str, slugs: Sequence[str] = (), width: Width = "stretch"
) -> tuple[str, DeltaGenerator]:
    """A button that the address opens: the slug at which it does, `OPEN` or empty, and what to show in it.

    The slug is `OPEN` where none is lit, and empty where the button is closed.
    """
    state, this = f"{name} opened at", opening()
    if st.session_state.get(state, (0, ""))[0] != this:
        asked = st.query_params.get(name, "")
        st.session_state[state] = this, asked if asked in (OPEN, *slugs) else ""
    marked: str = st.session_state[state][1]
    address.write({name: marked})

    def note(is_open: bool) -> None:
        st.session_state[state] = this, OPEN if is_open else ""

    key, on_change = WIDGETS.key(name, bool(marked)), WIDGETS.setting(name, note)
    return marked, st.popover(label, width=width, key=key, on_change=on_change)


def _lit(title: str, lit: bool) -> str:
    return f":orange-background[**{title}**]" if lit else f"**{title}**"
