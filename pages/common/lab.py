"""The button behind which a picture has its code: a snippet to read, and a notebook to keep."""

from collections.abc import Callable

import streamlit as st

from core.errors import InputError
from core.lab.lab import Lab
from core.lm import embedded, visible
from pages.common.page import apart

OPEN = "code_of_the_picture"  # session: whether the button is open
HEIGHT = 380  # pixels: all of it fits below the button at 1366x768
ABOUT = "With the numbers of this screen. The notebook needs numpy and plotly."
# In the band above the heading, where it takes no room from a screen; above Streamlit's own empty header.
STYLE = f"""<style>
[data-testid="stLayoutWrapper"]:has(> .st-key-lab) {{
  position: fixed; top: 0; right: 2rem; width: auto; z-index: 999991;
}}
.st-key-{OPEN} button {{ min-height: 1.2rem; padding: 0 0.3rem; }}
.st-key-{OPEN} button p {{ font-size: 0.8125rem; line-height: 1.2rem; }}
[data-testid="stPopoverBody"]:has(.st-key-lab_code) {{
  width: min(58rem, 92vw) !important; max-width: none !important;
}}
.st-key-lab_code code {{ font-size: 0.8125rem; }}
</style>"""


def token_name(token_id: int) -> str:
    """A token of the embedded model, as the code writes it."""
    return visible(embedded().tokenizer.token_bytes(token_id))


@st.fragment
def offer(make: Callable[[], Lab]) -> None:
    """Show the button. The code is made when it is opened, and the notebook when it is asked for.

    `make`: the code of the picture in view; `InputError` where it has none. The page is not run for it.
    """
    st.html(STYLE)
    apart("lab")
    with st.container(key="lab"):
        opened = st.popover("Code", type="tertiary", key=OPEN, on_change="rerun")
    if not opened.open:
        return
    with opened, st.container(key="lab_code"):
        try:
            made = make()
        except InputError as error:
            st.caption(str(error))
            return
        st.code(made.snippet, height=HEIGHT)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.download_button(
                "Notebook",
                lambda: made.notebook.encode(),
                f"loopscope-{made.name}.ipynb",
                "application/x-ipynb+json",
                on_click="ignore",
            )
            st.caption(ABOUT)
