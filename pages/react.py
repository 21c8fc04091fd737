"""The ReAct screen: the loop of the lecture, step by step, with its messages, its context and its tokens.

A second view has the run as its trajectory: each call with its reason, and a review.
"""

import re
from typing import Any

import streamlit as st

from core.figures.loop_tokens import token_panel
from core.figures.loop_view import about, coming_view, loop_view
from core.figures.trajectory_view import trajectory_view
from core.lab.react import react_lab
from core.teaching.lecture import REACT_FORMULAS
from pages.common import address, files, lab, live
from pages.common import run as running
from pages.common.components import declare
from pages.common.counting import counted
from pages.common.kept import kept
from pages.common.page import configure, heading, opened
from pages.common.terms import show_formulas

LOOP = declare("loop", "about_run", "stepper", "chips", "loop_tokens")
TRAJECTORY = declare("trajectory", "about_run")
POLL = 0.4  # seconds between two looks at a run that is going
GOING = "the run in view was going"  # session: when it was last drawn
TOKEN = "token in view"  # session: slug of its run, and "call.position", both from 1
VIEW = "view of the loop"  # session: step by step, which is "", or "trajectory"
TURNED = "view of the loop was changed"  # session: whether the whole screen has to follow
LEAVE = "go to the sampling screen"  # session: whether the panel's link was pressed


def picture() -> None:
    """Show the run in view; of one that is going, as far as it has come."""
    if st.session_state.pop(TURNED, False):
        st.rerun()
    run = running.grown(running.current())
    going = run.live if run.live and run.live.going else None
    if run.trace.steps and st.session_state[VIEW]:
        show_trajectory(run)
    elif run.trace.steps:
        panel = chosen_token(run)
        if st.session_state.pop(LEAVE, False) and panel and panel["address"]:
            st.switch_page("pages/sampling.py", query_params=panel["address"])
        data = {
            "view": kept(
                "loop", (run.slug, len(run.trace.steps)), lambda: loop_view(counted(run)).model_dump()
            ),
            "coming": going and coming_view(going),
            "panel": panel and {name: value for name, value in panel.items() if name != "address"},
        }
        running.mount(LOOP, run, data, key="loop", on_act=lambda act: do(run, act))
    else:
        st.caption("The run begins." if going else "This run has no steps.")
    if st.session_state.get(GOING) and not going:
        st.session_state[GOING] = False
        st.rerun()  # nothing is looked for any more
    st.session_state[GOING] = going is not None


def show_trajectory(run: running.Run) -> None:
    """Show the run call by call, with its review; a step that is chosen there opens in the loop."""
    made = kept(
        "trajectory", (run.slug, len(run.trace.steps)), lambda: trajectory_view(run.trace).model_dump()
    )
    TRAJECTORY(
        key="trajectory",
        data={"view": made, "note": run.trace.description},
        on_act_change=leave_trajectory,
    )


def leave_trajectory() -> None:
    """Turn back to the steps, to the one that was chosen if one was."""
    asked = re.fullmatch(r"step=([0-9]{1,6})", st.session_state["trajectory"]["act"] or "")
    if asked:
        running.go_to(int(asked[1]))
    st.session_state[VIEW], st.session_state[TURNED] = "", True


def chosen_token(run: running.Run) -> dict[str, Any] | None:
    """The distribution of the token in view, if one is."""
    slug, token = st.session_state.get(TOKEN, ("", ""))
    found = re.fullmatch(r"([0-9]{1,6})\.([0-9]{1,6})", token) if slug == run.slug else None
    panel = found and token_panel(run.trace, int(found[1]), int(found[2]) - 1, *running.drawing(run))
    # All three: in a part of the screen that reruns by itself, the address is that of the last whole run.
    address.write({"scenario": run.slug, "step": str(run.step), "token": token if panel else ""})
    return panel


def do(run: running.Run, act: str) -> None:
    """Do what the picture asks: choose a token, open it on its screen, or steer the run that is going."""
    if act.startswith("token="):
        st.session_state[TOKEN] = run.slug, act.removeprefix("token=")
    elif act == "trajectory":
        st.session_state[VIEW], st.session_state[TURNED] = "trajectory", True
    elif act == "sampling":
        st.session_state[LEAVE] = True
    elif run.live:
        live.do(run.live, act)


configure("react")
title, choice, begin, change, symbols = st.columns([4, 3, 1.25, 1.8, 1.35], vertical_alignment="center")
with choice:
    run = running.choose()
if opened() and "token" in st.query_params:
    st.session_state[TOKEN] = run.slug, st.query_params["token"]
if opened() or VIEW not in st.session_state:  # the run that opened it may have been ended before
    st.session_state[VIEW] = "trajectory" if st.query_params.get("view") == "trajectory" else ""
address.write({"view": st.session_state[VIEW]})
with title, st.container(gap=None):
    line, details = files.about(run.trace)
    question = "What did it do, and why?" if st.session_state[VIEW] else "What does the loop do now?"
    heading(question, run.notice or line or running.plain(about(run.trace)), details)
with begin:
    live.form(run.trace)
with change:
    live.edit(run)
with symbols:
    show_formulas("Formulas", REACT_FORMULAS)
lab.offer(lambda: react_lab(run.trace))
going = run.live is not None and run.live.going
st.fragment(picture, run_every=POLL if going else None)()
