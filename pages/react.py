"""The ReAct screen: the loop of the lecture, step by step, with its messages and its context."""

import streamlit as st

from core.figures.loop_view import SOURCES, coming_view, loop_view
from pages.common import live
from pages.common import run as running
from pages.common.components import declare
from pages.common.page import configure, heading

LOOP = declare("loop", "stepper")
POLL = 0.4  # seconds between two looks at a run that is going
GOING = "the run in view was going"  # session: when it was last drawn


def picture() -> None:
    """Show the run in view; of one that is going, as far as it has come."""
    run = running.grown(running.current())
    going = run.live if run.live and run.live.going else None
    if run.trace.steps:
        data = {"view": loop_view(run.trace).model_dump(), "coming": going and coming_view(going)}
        running.mount(LOOP, run, data, key="loop", on_act=lambda act: going and live.do(going, act))
    else:
        st.caption("The run begins.")
    if st.session_state.get(GOING) and not going:
        st.session_state[GOING] = False
        st.rerun()  # nothing is looked for any more
    st.session_state[GOING] = going is not None


configure("react")
title, choice, begin, change = st.columns([5, 3, 1.2, 1.6], vertical_alignment="center")
with choice:
    run = running.choose()
with title, st.container(gap=None):
    heading(running.plain(run.trace.title), run.notice or SOURCES[run.trace.source])
with begin:
    live.form(running.question(run.trace))
with change:
    live.edit(run)
going = run.live is not None and run.live.going
st.fragment(picture, run_every=POLL if going else None)()
