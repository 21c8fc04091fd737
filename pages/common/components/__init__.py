"""The browser components: each is a script and a style sheet of the same name in this folder.

They draw what core computed. Text reaches the page through text nodes alone, never as markup.
"""

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from core.figures import palette

FOLDER = Path(__file__).parent


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def declare(name: str) -> ComponentRenderer:
    """Declare the component `name`. Call it once, at module level."""
    return st.components.v2.component(
        f"loopscope_{name}",
        js=_read("dom.js") + _read(f"{name}.js"),
        css=palette.css() + _read("base.css") + _read(f"{name}.css"),
    )
