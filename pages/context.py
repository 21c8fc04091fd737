"""The context screen: what every model call of a run sends, how much of it is sent again, and what if."""

from typing import Any

import streamlit as st

from core.context import RunBudget, Supposed, Supposition, run_budget
from core.context.fitting import tighter_window
from core.context.prefix_cache import bill, cached_calls
from core.context.supplies import Assembly
from core.context.what_if import Replay
from core.errors import InputError
from core.figures.budget_cache import bills, partings, saying
from core.figures.budget_curves import growth, reading
from core.figures.budget_fit import offers
from core.figures.budget_view import budget_view, headline
from core.lab.context import context_lab
from core.scenarios import SCENARIOS
from core.trace import Trace
from pages.common import address, files, lab, more_in_view, summarising, supposing
from pages.common import run as running
from pages.common.components import declare
from pages.common.counting import counted, counter, why_uncounted
from pages.common.kept import kept
from pages.common.page import configure, heading, opened, opening
from pages.common.supposing_link import MORE, PARTS

BUDGET = declare("budget", "stepper")
KEY = "budget"
OPENED = "budget opened"  # session: the part in the address when this run was opened here


def follow_part(revision: str) -> str:
    """Write the part that the browser reports to the address, and return the one to start from.

    That one stays the same while the reader chooses, so that the data do too and are not sent again.
    """
    reported = st.session_state.get(KEY, {}).get("step")
    if reported and reported["revision"] == revision:
        address.write({"part": reported["part"]})
    opened = st.session_state.get(OPENED)
    if opened is None or opened[0] != revision:
        asked = st.query_params.get("part", "")
        opened = st.session_state[OPENED] = (revision, asked if asked in PARTS else "")
        address.write({"part": opened[1]})
    return opened[1]


def assembly(run: running.Run) -> Assembly | None:
    """What the system prompt of a bundled run is made of, where something is added to it."""
    return next((scenario.assembly for scenario in SCENARIOS if scenario.slug == run.slug), None)


def kept_replay(run: running.Run, trace: Trace) -> Replay:
    """The run as it can be replayed under one supposition after the other."""
    of = (run.slug, len(trace.steps))
    return kept("replay", of, lambda: Replay(trace, counter(trace), assembly(run)))


def supposed_run(
    run: running.Run, trace: Trace, asked: Supposition, writer: str
) -> tuple[Supposed | None, str]:
    """The run under a supposition; `None` where it is as it was, and a sentence where it cannot be."""
    if asked == Supposition(window=asked.window):
        return None, ""
    of = (run.slug, len(trace.steps))
    try:
        replay = kept_replay(run, trace)
        summaries, version = summarising.summaries(writer), summarising.version()
        return kept("supposed", (*of, asked, writer, version), lambda: replay.suppose(asked, summaries)), ""
    except InputError as error:
        return None, str(error)


def offered(run: running.Run, trace: Trace, supposed: Supposed) -> list[dict[str, object]]:
    """What can be taken into view in place of a run that fits."""
    asked = supposed.supposition
    replay = kept_replay(run, trace)
    tighter = kept("tighter", (run.slug, len(trace.steps), asked), lambda: tighter_window(replay, supposed))
    return [offer.model_dump() for offer in offers(tighter, run.slug)]


def take(offer: dict[str, Any]) -> None:
    """Take what was offered into view."""
    st.session_state["window"] = f"{offer['window']:,}"
    if offer["scenario"]:
        running.take(offer["scenario"])


def show_more(trace: Trace, budget: RunBudget, supposed: Supposed | None, window: int | None) -> None:
    """What stands below the picture: the curves of the run, or its cache."""
    if opened() or "more" not in st.session_state:  # the run that opened it may have been ended before
        asked = st.query_params.get("more")
        st.session_state["more"] = asked if asked in MORE else None
    more = st.segmented_control(
        "More",
        list(MORE),
        format_func=MORE.__getitem__,
        key="more",
        label_visibility="collapsed",
    )
    address.write({"more": more or ""})
    if more == "curves":
        st.plotly_chart(growth(budget, window), key="growth")
    elif more == "cache":
        server = supposing.choose_server()
        try:
            calls = cached_calls(supposed.calls if supposed else trace.calls, server)
            paid = bills(bill(calls, server))
        except InputError as error:
            st.caption(running.plain(str(error)))
            return
        st.text(saying(calls))
        for sentence in partings(calls)[:6]:
            st.text(sentence)
        for sentence in paid:
            st.text(sentence)
        st.plotly_chart(reading(calls), key="reading")


configure("context")
more_in_view.note()
title, choices = st.columns([1, 1], vertical_alignment="center")
with choices:
    run = running.choose()
    trace = counted(run)
    budget = kept("run budget", (run.slug, len(trace.steps)), lambda: run_budget(trace))
    choice = supposing.choose(budget.window, len(trace.tools or ()), assembly(run) is not None)
asked, writer = choice.supposition, choice.writer
supposed, declined = supposed_run(run, trace, asked, writer)
if supposed and writer and choice.place:
    with choice.place:
        summarising.show(writer, supposed.compactions)
with title, st.container(gap=None):
    notice = run.notice or choice.notice or declined
    about = "\n\n".join(filter(None, files.about(run.trace)))
    heading("What is sent at every call?", running.plain(notice or headline(trace)), about)
window = asked.window
shown = supposed.budget if supposed else budget
of = (run.slug, len(trace.steps), asked, writer, summarising.version(), declined)
view = kept("budget", of, lambda: budget_view(trace, shown, window, supposed).model_dump())
calls = supposed.calls if supposed else trace.calls
lab.offer(lambda: context_lab(trace.title, calls, window))
data = {
    "view": view,
    "part": follow_part(run.revision),
    "opening": opening(),
    "uncounted": why_uncounted(run),
    "offers": offered(run, trace, supposed) if supposed and view["fit"] else [],
}
running.mount(BUDGET, run, data, key=KEY, on_act=take)
show_more(trace, shown, supposed, window)
more_in_view.bring()
