"""The context screen: what every model call of a run sends, and how much of it is sent again."""

import streamlit as st

from core.context import run_budget
from core.figures.budget_view import budget_view, headline, windows
from pages.common import address
from pages.common import run as running
from pages.common.components import declare
from pages.common.page import configure, heading

BUDGET = declare("budget", "stepper")
KEY = "budget"
OPENED = "budget opened"  # session: the part in the address when this run was opened here
ABOUT_WINDOW = "How many tokens one call can hold. Suppose another window: the run stays the same."


def choose_window(offered: tuple[int, ...], own: int | None) -> int | None:
    """Let the reader suppose another window than the run's own; the address keeps the supposition."""
    asked = st.query_params.get("window", "")
    default = int(asked) if asked in map(str, offered) else own
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
        st.caption("Window", width="content", help=ABOUT_WINDOW)
        window = st.segmented_control(
            "Window",
            offered,
            default=default,
            format_func=lambda tokens: f"{tokens:,}",
            key="window",
            required=default is not None,
            label_visibility="collapsed",
        )
    address.write({"window": "" if window == own else str(window)})
    return window


def follow_part(revision: str) -> str:
    """Write the part that the browser reports to the address, and return the one to start from.

    That one stays the same while the reader chooses, so that the data do too and are not sent again.
    """
    reported = st.session_state.get(KEY, {}).get("step")
    if reported:
        address.write({"part": reported["part"]})
    opened = st.session_state.get(OPENED)
    if opened is None or opened[0] != revision:
        opened = st.session_state[OPENED] = (revision, st.query_params.get("part", ""))
    return opened[1]


configure("context")
title, choices = st.columns([3, 2], vertical_alignment="center")
with choices:
    run = running.choose()
    budget = run_budget(run.trace)
    window = choose_window(windows(budget), budget.window)
with title, st.container(gap=None):
    heading("What is sent at every call?", run.notice or running.plain(headline(run.trace)))
view = budget_view(run.trace, budget, window).model_dump()
running.mount(BUDGET, run, {"view": view, "part": follow_part(run.revision)}, key=KEY)
