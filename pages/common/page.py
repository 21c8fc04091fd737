"""What every screen shares: its configuration, its heading, the sidebar, and projector mode."""

import streamlit as st

from core.errors import InputError
from core.lm import install

PROJECTOR_STYLE = "<style>html { font-size: 21px; }</style>"


def configure() -> None:
    """Set the page up, also where a page is run without app.py (a cold deep link)."""
    st.set_page_config(page_title="Loopscope", layout="wide", initial_sidebar_state="auto")
    if st.context.is_embedded:
        st.html(PROJECTOR_STYLE)


def sidebar() -> None:
    """Show which model answers."""
    with st.sidebar:
        st.caption(install.status())


def heading(title: str, about: str = "") -> None:
    """Show the question that a screen answers, and one line on what is in view."""
    st.header(title, anchor=False)
    if about:
        st.caption(about)
