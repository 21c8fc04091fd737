"""Two runs beside each other: where they part, step by step, and what is worth a look in each."""

import secrets
from dataclasses import dataclass, replace

import streamlit as st

from core.figures.compare_view import PRESETS, compare_view
from core.lab.compare import compare_lab
from core.teaching.lecture import LOOP_FORMULAS, REACT_ELEMENTS
from core.teaching.loop_terms import LOOP_TERMS
from pages.common import address, lab
from pages.common import run as running
from pages.common.address import whole
from pages.common.components import declare
from pages.common.kept import kept
from pages.common.page import configure, heading, opened
from pages.common.terms import button_of, show_formulas, show_terms

COMPARE = declare("compare", "stepper")
STATE = "runs compared"  # session: the Compared
SIDES = ("left", "right")
PRESET = "preset of runs compared"  # session: the menu
UNKNOWN = "The address names a run that is not here; another is shown in its place."


@dataclass(frozen=True)
class Compared:
    """Which runs are compared, by slug, and the row in view, from 1; 0 for the one where they part.

    A new `revision` says that the row was set by other means than stepping, and to `start`.
    """

    left: str
    right: str
    row: int = 0
    start: int = 0
    revision: str = ""
    notice: str = ""


def current() -> Compared:
    """What is compared; where the screen was opened by a link, what its address says."""
    first = next(iter(PRESETS.values()))
    asked = {side: st.query_params.get(side) for side in SIDES}
    if STATE not in st.session_state or (opened() and any(asked.values())):
        slugs = [
            slug if running.is_here(slug) else other
            for slug, other in zip(asked.values(), first, strict=True)
        ]
        unknown = any(slug and not running.is_here(slug) for slug in asked.values())
        row = 0 if unknown else whole(st.query_params.get("step", "")) or 0
        take(*slugs, row, UNKNOWN if unknown else "")
    elif opened():  # the component of this screen is a new one: it starts where the reader left off
        state = st.session_state[STATE]
        take(state.left, state.right, state.row)
    state: Compared = st.session_state[STATE]
    return state


def take(left: str, right: str, row: int = 0, notice: str = "") -> None:
    """Compare two runs, from the row where they part, or from another one."""
    st.session_state[STATE] = Compared(left, right, row, row, secrets.token_hex(4), notice)


def choose(state: Compared, side: str) -> None:
    """Show the menu of one side."""
    titles = running.titles()
    key = f"{side} run"
    st.session_state[key] = getattr(state, side)
    st.selectbox(
        f"The {side} run",
        list(titles),
        key=key,
        format_func=titles.__getitem__,
        on_change=lambda: take(*(st.session_state[f"{one} run"] for one in SIDES)),
        label_visibility="collapsed",
    )


def choose_preset() -> None:
    """Show the menu of pairs."""
    st.selectbox(
        "Pairs",
        list(PRESETS),
        index=None,
        key=PRESET,
        on_change=take_preset,
        placeholder="Pairs worth a look",
        label_visibility="collapsed",
    )


def show_elements() -> None:
    """Show, behind a button, where thought, action, observation and answer stand in each kind of loop."""
    _, table = button_of("Text or native", "elements")
    with table:
        rows = "\n".join(f"| **{name}** | {text} | {native} |" for name, text, native in REACT_ELEMENTS)
        st.markdown(f"| | in a loop of text | with native tool calls |\n|---|---|---|\n{rows}")
        st.caption("The pair “ReAct as text and native calls” has both on one question.")


def take_preset() -> None:
    """Compare the chosen pair, and leave the menu ready for the next choice."""
    chosen = st.session_state[PRESET]
    if chosen:
        take(*PRESETS[chosen])
    st.session_state[PRESET] = None


def stepped() -> None:
    """Take over the row that the stepper reports, unless other runs were chosen meanwhile."""
    reported = st.session_state.get("compare", {}).get("step")
    state: Compared = st.session_state[STATE]
    if reported and reported["revision"] == state.revision:
        st.session_state[STATE] = replace(state, row=int(reported["step"]))


configure("compare")
title, loops, elements, meanings, presets = st.columns(
    [2.2, 1.25, 1.25, 0.85, 1.9], vertical_alignment="center"
)
state = current()
with title, st.container(gap=None):
    heading("Where do two runs part?", state.notice)
with loops:
    show_formulas("Open or closed", LOOP_FORMULAS)
with elements:
    show_elements()
with meanings:
    show_terms(LOOP_TERMS)
with presets:
    choose_preset()
for column, side in zip(st.columns(2), SIDES, strict=True):
    with column:
        choose(state, side)
traces = running.trace_of(state.left), running.trace_of(state.right)
view = kept(
    "compare",
    (state.left, state.right, *(len(trace.steps) for trace in traces)),
    lambda: compare_view(*traces),
)
if not 1 <= state.row <= len(view.rows):
    parting = 1 if view.parted is None else view.parted + 1
    state = st.session_state[STATE] = replace(state, row=parting, start=parting)
address.write({"left": state.left, "right": state.right, "step": str(state.row)})
lab.offer(lambda: compare_lab(*traces))
if view.rows:
    data = view.model_dump()
    COMPARE(
        key="compare",
        # The anchor stays the same while the reader steps, so the data do too, and are not sent again.
        data={
            "timeline": data.pop("stops"),
            "view": data,
            "anchor": {"step": state.start, "revision": state.revision},
        },
        on_step_change=stepped,
    )
else:
    st.caption("Neither run has steps yet.")
