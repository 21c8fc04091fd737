"""What a link opens below the fold is brought into view, once."""

import streamlit as st

from pages.common.components import declare
from pages.common.page import opened, opening

IN_VIEW = declare("in_view")
ASKED = "opening that asked for more"  # session: its number, or None


def note() -> None:
    """Note whether the link that opened the screen asks for more; before the address says what is open."""
    if opened():
        st.session_state[ASKED] = opening() if "more" in st.query_params else None


def bring() -> None:
    """Bring into view what stands below the buttons with the key `more`; after it."""
    IN_VIEW(key="in view", data={"of": ".st-key-more", "once": st.session_state.get(ASKED)})
