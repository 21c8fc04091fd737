"""The browser components: each is a script and a style sheet of the same name in this folder.

They draw what core computed. Text reaches the page through text nodes alone, never as markup.
"""

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from core.figures import palette

FOLDER = Path(__file__).parent


def _joined(names: tuple[str, ...], suffix: str) -> str:
    files = (FOLDER / f"{name}.{suffix}" for name in names)
    return "".join(file.read_text(encoding="utf-8") for file in files if file.exists())


def declare(name: str, *shared: str) -> ComponentRenderer:
    """Declare the component `name`, which may use the `shared` scripts of this folder, with their styles.

    Call it once, at module level.
    """
    return st.components.v2.component(
        f"loopscope_{name}",
        js=_joined(("dom", *shared, name), "js"),
        css=palette.css() + _joined(("base", *shared, name), "css"),
    )
