"""The constrained screen: a grammar, and what its mask does to the distribution of every token."""

from contextlib import suppress
from typing import Any

import streamlit as st

from core.decoding.constrained_trial import progress
from core.errors import InputError
from core.figures.constrained_compare_view import beside_view, fact_row, pair_rows, trial_view
from core.figures.constrained_view import engines_view, meaning, step_view, text_view
from core.figures.generation_view import prompt_view
from core.lab.constrained import constrained_lab
from core.lab.lab import Lab
from core.lm import embedded
from core.teaching.lecture import MASK_FORMULA
from pages.common import constraining, constraining_link, constraining_trial, lab, model, reading, work
from pages.common.components import declare
from pages.common.constraining_controls import (
    CONTROLS,
    TEXT,
    WIDGETS,
    choose_example,
    dials,
    dials_of,
    write_constraint,
)
from pages.common.page import configure, heading, monospaced
from pages.common.terms import show_formulas

PICTURES = {
    "steps": declare("constrained", "chips", "masked"),
    "beside": declare("constrained_beside", "masked"),
    "trial": declare("constrained_trial", "masked"),
    "engines": declare("constrained_engines", "masked"),
}
TITLE = "What does a mask do to the distribution?"
UNTIL = "there is no distribution to mask."


def choose_view(state: constraining.Constraining) -> None:
    """Show the ways to look at the mask."""
    st.segmented_control(
        "View",
        list(constraining.VIEWS),
        format_func=constraining.VIEWS.get,
        required=True,
        key=WIDGETS.key("view", state.view),
        on_change=WIDGETS.setting(
            "view", lambda view: constraining.change(view=view, playing=False, counting=False)
        ),
        label_visibility="collapsed",
    )


def actions(state: constraining.Constraining) -> None:
    """Play, pause, step, go back, begin again."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        WIDGETS.player(
            state.playing,
            play=constraining.play_or_pause,
            step=constraining.one_step,
            back=constraining.back,
            begin_again=constraining.begin_again,
        )
        show_formulas("Formula", MASK_FORMULA, "content")


def draw_wanted() -> None:
    """Draw a few of the tokens that a link asks for."""
    state = constraining.current()
    work.go_on("tokens of a link", (state.held, state.prompt), constraining.drawing_wanted)


def say_how_far(state: constraining.Constraining) -> None:
    """Show how far the tokens of a link are, or the pairs; shown first, so that it stays while they go on."""
    if state.counting:
        said = f"Seed {len(state.counted) + 1} of {state.pairs}: token {work.last_told('pairs') or 0}"
        st.progress(len(state.counted) / state.pairs, said)
    elif state.view != "trial" and constraining.missing() > 1:
        with st.container(horizontal=True, vertical_alignment="center"):
            said = f"{len(state.steps)} of the {state.wanted} tokens of the link"
            st.progress(min(1.0, len(state.steps) / state.wanted), said)
            st.button("Stop", on_click=WIDGETS.doing(constraining.want_no_more))


def show_steps(state: constraining.Constraining, ids: list[int]) -> dict[str, Any]:
    """The text so far, and one of its tokens before and after the mask."""
    tokenizer, checked = embedded().tokenizer, constraining.checked(state)
    return {
        "prompt": prompt_view(tokenizer, ids, shown=10),
        "text": text_view(tokenizer, state.held, state.steps, checked).model_dump(),
        "step": step_view(tokenizer, state.steps, state.position).model_dump(),
        "position": state.position,
        "chosen": state.chosen,
        "moral": meaning(constraining.text_of(state.path), state.fact)
        if checked and checked.conforms
        else "",
    }


def show_beside(state: constraining.Constraining, ids: list[int]) -> dict[str, Any]:
    """The same prompt and seed without the mask and with it."""
    tokenizer = embedded().tokenizer
    view = beside_view(
        tokenizer, state.free, state.path, constraining.free_checked(state), constraining.checked(state)
    )
    return {"prompt": prompt_view(tokenizer, ids, shown=10), **view.model_dump()}


def show_trial(state: constraining.Constraining, ids: list[int]) -> dict[str, Any]:
    """So many texts without an instruction, with it, and masked, counted."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.segmented_control(
            "Seeds",
            constraining.PAIRS,
            format_func=lambda count: f"{count} seeds",
            required=True,
            key=WIDGETS.key("pairs", state.pairs),
            on_change=WIDGETS.setting(
                "pairs", lambda pairs: constraining.change(pairs=pairs, counting=False)
            ),
            label_visibility="collapsed",
        )
        left = state.pairs - len(state.counted)
        st.button(
            "Stop"
            if state.counting
            else f"Draw {left} more"
            if state.counted and left > 0
            else "Draw and count",
            type="primary",
            disabled=left <= 0,
            key="constrained count",
            on_click=WIDGETS.doing(lambda: constraining.change(counting=not constraining.current().counting)),
        )
    first = constraining_trial.first(state, ids)
    if not state.counted:
        return {
            "arms": [],
            "rows": [first.row.model_dump()],
            "finding": first.finding,
            "summary": "",
            "texts": [],
        }
    view = trial_view(progress(state.counted), max(state.pairs, len(state.counted)))
    facts = [fact_row(state.counted, state.fact)] if state.fact else []
    return {
        "arms": view.arms,
        "rows": [row.model_dump() for row in (first.row, *view.rows, *facts)],
        "finding": first.finding,
        "summary": view.summary,
        "texts": [row.model_dump() for row in pair_rows(state.counted)],
    }


def show_engines(state: constraining.Constraining, ids: list[int]) -> dict[str, Any]:  # noqa: ARG001
    """The token in view as each engine draws it."""
    view = engines_view(embedded().tokenizer, constraining.engines(state)).model_dump()
    hint = "" if state.settings.top_k else "Set top-k to a few to see them part."
    done = {"settings": dials_of(state), "hint": hint, "over": constraining.over(state)}
    return {**view, "title": f"Token {state.position + 1}", **done}


SHOW = {"steps": show_steps, "beside": show_beside, "trial": show_trial, "engines": show_engines}


def do(picture: str) -> None:
    """Do what was asked for in a picture."""
    match st.session_state[picture]["act"]:
        case {"do": "choose", "position": position}:
            constraining.choose(position)
        case {"do": "step"}:
            constraining.one_step()


def count() -> None:
    """Draw a few tokens of the pairs that are counted."""
    state = constraining.current()
    work.go_on("pairs", (state.held, state.prompt, state.settings, state.pairs), constraining_trial.counting)


@st.fragment(key=CONTROLS)
def controls() -> None:
    """Everything that is set by hand."""
    state = constraining.current()
    choose_example(state)
    write_constraint(state)
    dials(state)


@st.fragment(key=TEXT)
def text() -> None:
    """The picture. While the text plays or pairs are counted, this runs again and again."""
    state = constraining.catch_up()
    choose_view(state)
    if state.view != "trial":
        actions(state)
    if state.notice:
        st.warning(state.notice)
    try:
        ids = constraining.prompt_ids()
        reading.leave_to_page(embedded(), ids)
        if state.view == "trial":
            constraining_trial.load_known()
        elif not state.steps:
            draw_wanted()
        state = constraining.current()
        say_how_far(state)
        data = SHOW[state.view](state, ids)
    except InputError as error:
        constraining.change(playing=False, counting=False)
        st.warning(str(error))
        return
    picture = f"constrained picture {state.view}"
    PICTURES[state.view](key=picture, data=data, on_act_change=WIDGETS.doing(do, picture))
    if state.counting:
        count()
        work.again()
    if state.view != "trial" and constraining.missing():
        draw_wanted()
        work.again()
    if state.playing:
        # Shown first: Streamlit fades what a run has not shown yet, and a token can take a while.
        st.rerun(scope="fragment" if constraining.tick() else "app")
    constraining_link.write_address()


def code() -> Lab:
    """The mask at the token in view, as code."""
    state = constraining.current()
    return constrained_lab(state.held.text, state.steps, state.position, lab.token_name)


configure("constrained")
monospaced("constrained_draft")
heading(TITLE)
if not model.installed():
    model.offer_install(UNTIL)
    st.stop()
constraining_link.on_opening()
constraining.change(playing=False, counting=False)  # a run of the whole script comes from elsewhere
written, seen = st.columns([4, 9], gap="medium")
with written:
    controls()
with seen:
    with suppress(InputError):  # the text says why the model cannot read the prompt
        reading.read(embedded(), constraining.prompt_ids())
    lab.offer(code)
    with work.whole_page():
        text()
