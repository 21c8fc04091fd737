"""What every screen shares: its configuration, its heading, the sidebar, and projector mode."""

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from core.errors import InputError
from core.lm import embedded
from pages.common.components import declare

LOGO = (Path(__file__).parent / "logo.svg").read_text(encoding="utf-8")
HISTORY = declare("history")
SCREEN = "screen"  # session: the screen in view
OPENED = "screen opened"  # session: whether it came into view with this run
SIDEBAR_WIDTH = 232  # pixels
STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding-left: 2rem; padding-right: 2rem; }
</style>"""
# Everything is sized in rem, so one rule enlarges it all: 22 px at 1920x1080, and no larger than what fits
# elsewhere. `?embed=true` hides the rest of Streamlit's frame.
PROJECTOR_STYLE = """<style>
html { font-size: clamp(16px, min(2.04vh, 1.15vw), 44px); }
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none; }
</style>"""


def configure(screen: str = "") -> None:
    """Set the page up, also where a page is run without app.py (a cold deep link), and note which it is."""
    st.set_page_config(page_title="Loopscope", layout="wide", initial_sidebar_state=SIDEBAR_WIDTH)
    st.html(STYLE)
    if st.context.is_embedded:
        st.html(PROJECTOR_STYLE)
    if screen:
        st.session_state[OPENED] = st.session_state.get(SCREEN) != screen
        st.session_state[SCREEN] = screen


def opened() -> bool:
    """Whether the reader has just come to this screen, by a link or from another one: the address counts."""
    return st.session_state[OPENED]


def sidebar() -> None:
    """Show whose house this is, which model answers, and the way to projector mode."""
    st.logo(LOGO, size="large")
    with st.sidebar:
        st.link_button(
            "Projector mode",
            f"?{urlencode({**st.query_params.to_dict(), 'embed': 'true'})}",
            width="stretch",
            help="This screen in large type, without the navigation. PageUp and PageDown step.",
        )
        try:
            model = embedded()
        except InputError:
            st.caption("The embedded model is not installed; bundled examples stand in.")
        else:
            st.caption(
                f"{model.name}, embedded  \n{model.vocab_size:,} tokens · window {model.context_length:,}"
            )
        HISTORY(key="history")


def heading(title: str, about: str = "", details: str = "") -> None:
    """Show the question that a screen answers, a line on what is in view, and what stands behind it."""
    st.header(title, anchor=False)
    if about:
        st.caption(about, help=details or None)
