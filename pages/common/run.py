"""Which run is in view, and which of its steps: one choice for all screens of the loop and the context.

The choice lives in the session, so that it survives a change of screen, and is written to the address. The
address is read when a screen is opened: by a link, or by back and forward in the browser's history. A screen
that is open follows it only to another scenario: a step in the address of a late rerun may be an older one.
"""

import re
import secrets
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from core.context import TokenCounter
from core.figures import loop_timeline
from core.lm import load_tokenizer
from core.scenarios import SCENARIOS, trace
from core.trace import Trace
from pages.common import address
from pages.common.page import opened

TITLES = {scenario.slug: scenario.title for scenario in SCENARIOS}

RUN = "run"  # session: the Run
TOUCHED = "run touched"  # session: a widget has set the run in this very rerun
SELECT = "run scenario"  # session: the select box

NO_SCENARIO = "The address names a scenario that does not exist; this is the first one."
NO_STEP = "The address names a step that this run does not have; this is the nearest one."


@dataclass(frozen=True)
class Run:
    """The run in view and its step, from 1. `notice` is a sentence about a bad address, or empty.

    A new `revision` says that the step was set by other means than stepping, and to `start`: a stepper that
    meets a revision for the first time goes there.
    """

    slug: str
    step: int
    start: int
    revision: str
    notice: str = ""

    @property
    def trace(self) -> Trace:
        """The run itself."""
        return st_trace(self.slug)


@st.cache_resource(show_spinner=False)
def st_trace(slug: str) -> Trace:
    """Run a scenario through the real loop, once for all sessions."""
    return trace(slug, TokenCounter(load_tokenizer()))


def choose() -> Run:
    """Draw the select box of scenarios and return the run in view."""
    run = st.session_state[RUN] = _followed()
    st.session_state[SELECT] = run.slug
    st.selectbox(
        "Scenario",
        list(TITLES),
        key=SELECT,
        format_func=TITLES.__getitem__,
        label_visibility="collapsed",
        on_change=_scenario_chosen,
    )
    address.write({"scenario": run.slug, "step": str(run.step)})
    return run


def mount(component: ComponentRenderer, run: Run, data: dict[str, object], key: str) -> None:
    """Mount a component that holds a stepper: `data` and the timeline go there, the step comes back."""
    stops = [stop.model_dump() for stop in loop_timeline.timeline(run.trace)]
    # The anchor stays the same while the reader steps, so the data do too, and are not sent again.
    anchor = {"step": run.start, "revision": run.revision}
    component(
        key=key, data=data | {"timeline": stops, "anchor": anchor}, on_step_change=lambda: _stepped(key)
    )


def plain(text: str) -> str:
    """Return `text` as Markdown that shows it literally: data are never markup."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def _followed() -> Run:
    """Return the run after what the address, the select box and the stepper have to say to it."""
    run: Run | None = st.session_state.get(RUN)
    touched = st.session_state.pop(TOUCHED, False)
    slug, step = st.query_params.get("scenario"), st.query_params.get("step")
    if run is None:
        return _addressed(slug, step)
    if slug is not None and not touched and (opened() or slug != run.slug):
        return _addressed(slug, step)
    if opened():  # the component of this screen is a new one: it starts where the other screen left off
        return replace(run, start=run.step, revision=_revision(), notice="")
    return replace(run, notice="") if touched else run


def _addressed(asked: str | None, asked_step: str | None) -> Run:
    slug, step, notice = asked, 1, ""
    if slug not in TITLES:
        slug, notice = next(iter(TITLES)), NO_SCENARIO if asked else ""
    if asked_step is not None and not notice:
        wanted = int(asked_step) if re.fullmatch(r"-?[0-9]{1,9}", asked_step) else 0
        step = _within(slug, wanted)
        notice = NO_STEP if step != wanted else ""
    return Run(slug, step, start=step, revision=_revision(), notice=notice)


def _scenario_chosen() -> None:
    slug = st.session_state[SELECT]
    st.session_state[TOUCHED] = True
    st.session_state[RUN] = replace(st.session_state[RUN], slug=slug, step=1, start=1, revision=_revision())


def _stepped(key: str) -> None:
    """Take over the step that a stepper reports, unless the run was set otherwise while it was on its way."""
    run: Run = st.session_state[RUN]
    reported = st.session_state.get(key, {}).get("step")
    st.session_state[TOUCHED] = reported is not None
    if reported is not None and reported["revision"] == run.revision:
        st.session_state[RUN] = replace(run, step=_within(run.slug, int(reported["step"])))


def _within(slug: str, step: int) -> int:
    return max(1, min(len(st_trace(slug).steps), step))


def _revision() -> str:
    return secrets.token_hex(4)
