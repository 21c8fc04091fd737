"""What every screen shares: its configuration, its heading, the sidebar, and projector mode."""

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from core.errors import InputError
from core.lm import embedded
from pages.common import callbacks
from pages.common.components import declare

LOGO = (Path(__file__).parent / "logo.svg").read_text(encoding="utf-8")
CODE_FACE = 'font-family: "Source Code Pro", monospace; font-size: 0.8125rem; line-height: 1.4;'
HISTORY = declare("history")
SCREEN = "screen"  # session: the screen in view
OPENED = "screen opened"  # session: whether it came into view with this run
OPENING = "openings of screens"  # session: how many there were
TITLES = {"react": "ReAct", "context": "Context budget", "thought": "Chain of thought"}
SIDEBAR_WIDTH = 232  # pixels
STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding-left: 2rem; padding-right: 2rem; }
[data-testid="stMain"]:focus-visible { outline: none; box-shadow: none; }
[data-testid="stSelectbox"] input { text-overflow: ellipsis; }
[data-testid="stSidebarNav"] li { margin: 0; }
[data-testid="stSidebarNavLink"] { margin: 1px 0; } /* the lessons have to be in view below */
</style>"""
# Everything is sized in rem, so one rule enlarges it all: 22 px at 1920x1080, and no larger than what fits
# elsewhere. `?embed=true` hides the rest of Streamlit's frame.
PROJECTOR_STYLE = """<style>
html { font-size: clamp(16px, min(2.04vh, 1.15vw), 44px); }
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none; }
</style>"""


def configure(screen: str = "") -> None:
    """Set the page up, also where a page is run without app.py (a cold deep link), and note which it is."""
    callbacks.run_to_their_end()
    st.set_page_config(page_title="Loopscope", layout="wide", initial_sidebar_state=SIDEBAR_WIDTH)
    st.html(STYLE)
    if st.context.is_embedded:
        st.html(PROJECTOR_STYLE)
    if screen:
        new = st.session_state[OPENED] = st.session_state.get(SCREEN) != screen
        st.session_state[OPENING] = st.session_state.get(OPENING, 0) + new
        st.session_state[SCREEN] = screen


def open_anew() -> None:
    """Let the next run of a screen count as its opening, also if it is in view: the address counts."""
    st.session_state[SCREEN] = ""


def title_of(screen: str) -> str:
    """The title of a screen, which its address names."""
    return TITLES.get(screen, screen.capitalize())


def opened() -> bool:
    """Whether the reader has just come to this screen, by a link or from another one: the address counts."""
    return st.session_state[OPENED]


def opening() -> int:
    """The number of the opening that brought this screen into view: the same in the runs of its fragments."""
    return st.session_state[OPENING]


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


def apart(key: str) -> None:
    """Take the container with this key, the only one of a fragment, out of the flow: it takes no room."""
    fragment = f'[data-testid="stLayoutWrapper"]:has(> * > [data-testid="stLayoutWrapper"] > .st-key-{key})'
    st.html(f"<style>{fragment} {{ position: absolute; }}</style>")


def monospaced(*keys: str) -> None:
    """Show the text areas with these keys in the face of code."""
    areas = ", ".join(f".st-key-{key} textarea" for key in keys)
    st.html(f"<style>{areas} {{ {CODE_FACE} }}</style>")


def heading(title: str, about: str = "", details: str = "") -> None:
    """Show the question that a screen answers, a line on what is in view, and what stands behind it."""
    st.header(title, anchor=False)
    if about:
        st.caption(about, help=details or None)
