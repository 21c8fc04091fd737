"""The speculative screen: a draft proposes, the target verifies, and the distribution stays the target's."""

from contextlib import suppress
from typing import Any

import streamlit as st

from core.decoding.speculative_speed import counted
from core.errors import InputError
from core.figures.generation_view import prompt_view, tokens
from core.figures.speculative_view import (
    MORAL,
    PAPERS,
    PREDICTION,
    Predicted,
    chips_view,
    counted_view,
    over_run,
    passes,
    ratio_lines,
    round_view,
    speed_view,
    what_if,
)
from core.lab.lab import Lab
from core.lab.speculative import speculative_lab
from core.lm import embedded
from core.teaching.lecture import SPECULATIVE_FORMULAS
from pages.common import lab, model, reading, speculating, speculating_link, speculating_measures, work
from pages.common.components import declare
from pages.common.page import configure, heading
from pages.common.speculating_controls import CONTROLS, TEXT, WIDGETS, choose_example, choose_prompt, dials
from pages.common.terms import show_formulas

PICTURES = {
    "rounds": declare("speculative", "chips", "masked"),
    "proof": declare("speculative_proof", "masked"),
    "speed": declare("speculative_speed", "masked"),
}
TITLE = "Does a draft change the text?"
UNTIL = "there is no target to draft for."


def choose_view(state: speculating.Speculating) -> None:
    """Show the ways to look at it."""
    st.segmented_control(
        "View",
        list(speculating.VIEWS),
        format_func=speculating.VIEWS.get,
        required=True,
        key=WIDGETS.key("view", state.view),
        on_change=WIDGETS.setting(
            "view", lambda view: speculating.change(view=view, playing=False, timing=False)
        ),
        label_visibility="collapsed",
    )


def actions(state: speculating.Speculating) -> None:
    """Play, pause, step, go back, begin again."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        WIDGETS.player(
            state.playing,
            play=speculating.play_or_pause,
            step=speculating.one_step,
            back=speculating.back,
            begin_again=speculating.begin_again,
            about_step="One round. Or PageDown",
        )
        st.caption(MORAL, width="content")


def make_wanted() -> None:
    """Make some of the rounds that a link asks for."""
    work.go_on("rounds of a link", of(speculating.current()), speculating.making_wanted)


def of(state: speculating.Speculating) -> tuple[object, ...]:
    """What a measurement is for."""
    return (state.prompt, state.draft, state.layers, state.window, state.gamma, state.settings, state.seed)


def unmeasured(state: speculating.Speculating) -> int:
    """How many early exits of the map are still to be measured."""
    return (len(speculating_measures.LAYERS) - len(speculating_measures.alphas(state))) * state.measuring


def measure(state: speculating.Speculating) -> None:
    """Do a piece of what is to be measured on the view of speed."""
    if state.timing:
        work.go_on("clock", of(state), speculating_measures.timing)
    else:
        work.go_on("map", (*of(state), state.path), speculating_measures.measuring)


def say_how_far(state: speculating.Speculating) -> None:
    """Show how far the rounds of a link are, or a measurement; shown first, so that it stays meanwhile."""
    many = len(speculating_measures.LAYERS)
    if speculating.missing() > 1:
        stoppable(
            len(state.rounds) / state.wanted,
            f"{len(state.rounds)} of the {state.wanted} rounds of the link",
            wanted=1,
        )
    elif state.view == "speed" and state.timing:
        clock = state.clock
        done = min(1.0, clock.tokens / speculating_measures.LONGEST_RACE) if clock else 0.0
        st.progress(done, str(work.last_told("clock") or "Both sides run"))
    elif state.view == "speed" and (left := unmeasured(state)):
        stoppable(
            1 - left / many, f"α of the early exits on this text: {many - left} of {many}", measuring=False
        )


def stoppable(share: float, said: str, **changes: object) -> None:
    """Show a bar, and a button that stops by changing the state."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, said)
        st.button("Stop", on_click=WIDGETS.doing(lambda: speculating.change(**changes)))


def show_rounds(state: speculating.Speculating, ids: list[int]) -> dict[str, Any]:
    """The text, and one round of it."""
    tokenizer, path = embedded().tokenizer, state.path
    note = ""
    if state.settings.temperature == 0:
        same = speculating.same_as_greedy(state)
        writes = f"writes {'the same' if same else 'other'} {tokens(len(path))}"
        note = f"T = 0: plain greedy generation {writes}."
    if speculating.over(state):
        note += (
            " The text ends here."
            if path[-1] in tokenizer.end_ids
            else f" This screen stops at {tokens(len(path))}."
        )
    return {
        "prompt": prompt_view(tokenizer, ids, shown=16),
        "chips": [chip.model_dump() for chip in chips_view(tokenizer, state.rounds)],
        "round": round_view(tokenizer, state.rounds[state.position], state.position).model_dump(),
        "index": state.position,
        "note": note.strip(),
        "count": f"{tokens(len(path))} in {passes(len(state.rounds))} of the target",
    }


def show_proof(state: speculating.Speculating, ids: list[int]) -> dict[str, Any]:  # noqa: ARG001
    """Many draws at one place by three rules, against the target's own distribution."""
    st.segmented_control(
        "Draws",
        speculating.DRAWS,
        format_func=lambda draws: f"{draws:,} draws",
        required=True,
        key=WIDGETS.key("draws", state.draws),
        on_change=WIDGETS.setting("draws", lambda draws: speculating.change(draws=draws)),
        label_visibility="collapsed",
    )
    return {
        "title": f"At the first drafted token of round {state.position + 1}",
        "rows": [row.model_dump() for row in speculating_measures.proof(state)],
    }


def show_speed(state: speculating.Speculating, ids: list[int]) -> dict[str, Any]:  # noqa: ARG001
    """What was counted and timed, the map of predictions, and a draft that is supposed."""
    text, alphas = speculating_measures.measured_ids(state), speculating_measures.alphas(state)
    count, draft = counted(state.rounds), speculating.draft_of(state)
    lines = counted_view(count, state.gamma, draft.cost, state.clock and state.clock.ratio)
    if state.ratio:
        lines += ratio_lines(state.ratio, count.expected_alpha, state.gamma, draft.cost)
    drafts = [
        Predicted(name=f"L = {layers}", alpha=alpha, cost=speculating_measures.st_cost(layers), on=len(text))
        for layers, alpha in alphas.items()
    ]
    if state.draft != "exit" and count.expected_alpha is not None:
        name = speculating.short_name(state)
        drafts.append(Predicted(name=name, alpha=count.expected_alpha, cost=draft.cost, on=count.tested))
    supposed = Predicted(name="supposed", alpha=state.alpha, cost=state.cost)
    return {
        "lines": [line.model_dump() for line in lines],
        "map": speed_view(drafts).model_dump(),
        "supposed": speed_view([supposed]).model_dump(),
        "what_if": what_if(state.alpha, state.cost),
        "over_run": over_run(speculating_measures.st_run(), state.alpha, state.cost),
        "papers": [paper.model_dump() for paper in PAPERS],
        "prediction": PREDICTION,
        "measured_on": f"α of an early exit: on the last {tokens(len(text))} of the text; "
        "its layers were never trained to draft.",
    }


SHOW = {"rounds": show_rounds, "proof": show_proof, "speed": show_speed}


def suppose(state: speculating.Speculating) -> None:
    """Show the sliders of a draft that is supposed, and the button that starts the clock."""
    start, alpha, cost = st.columns([2, 3, 3], vertical_alignment="bottom")
    start.button(
        "Stop" if state.timing else "Time both here",
        type="primary",
        key="speculative time",
        on_click=WIDGETS.doing(lambda: speculating.change(timing=not speculating.current().timing)),
        help="Speculative and plain generation, in turns, and a pass over several positions",
        width="stretch",
    )
    for column, label, name in (
        (alpha, "What if a draft had this α …", "alpha"),
        (cost, "… and cost this c, in passes of the target?", "cost"),
    ):
        column.slider(
            label,
            0.0,
            1.0,
            step=0.01,
            key=WIDGETS.key(name, getattr(state, name)),
            on_change=WIDGETS.setting(
                name, lambda value, name=name: speculating.change(**{name: value, "timing": False})
            ),
        )


def do(picture: str) -> None:
    """Do what was asked for in a picture."""
    match st.session_state[picture]["act"]:
        case {"do": "choose", "index": index}:
            speculating.choose(index)
        case {"do": "step"}:
            speculating.one_step()


@st.fragment(key=CONTROLS)
def controls() -> None:
    """Everything that is set by hand."""
    state = speculating.current()
    title, views, example, explained = st.columns([3.4, 4.2, 2.4, 1.3], vertical_alignment="center")
    with title:
        heading(TITLE)
    with views:
        choose_view(state)
    with example:
        choose_example(state)
    with explained:
        show_formulas("Formulas", SPECULATIVE_FORMULAS)
    choose_prompt(state)
    dials(state)
    actions(state)


@st.fragment(key=TEXT)
def text() -> None:
    """The picture. While the text plays, this runs for every round."""
    state = speculating.catch_up()
    try:
        ids = speculating.prompt_ids()
        reading.leave_to_page(embedded(), ids)
        if not state.rounds:
            make_wanted()
        state = speculating.current()
        say_how_far(state)
        if state.view == "speed":
            suppose(state)
        data = SHOW[state.view](state, ids)
    except InputError as error:
        speculating.change(playing=False, timing=False)
        st.warning(str(error))
        return
    picture = f"speculative picture {state.view}"
    PICTURES[state.view](key=picture, data=data, on_act_change=WIDGETS.doing(do, picture))
    if speculating.missing():
        make_wanted()
        work.again()
    if state.view == "speed" and (state.timing or unmeasured(state)):
        measure(state)
        work.again()
    if state.playing:
        # Shown first: Streamlit fades what a run has not shown yet, and a round can take a while.
        st.rerun(scope="fragment" if speculating.tick() else "app")
    speculating_link.write_address()


def code() -> Lab:
    """The round in view, as code."""
    state = speculating.current()
    return speculative_lab(state.prompt, state.rounds, state.position, lab.token_name)


configure("speculative")
if not model.installed():
    heading(TITLE)
    model.offer_install(UNTIL)
    st.stop()
speculating_link.on_opening()
speculating.change(playing=False, timing=False)  # a run of the whole script comes from elsewhere
controls()
with suppress(InputError):  # the text says why the model cannot read the prompt
    reading.read(embedded(), speculating.prompt_ids())
lab.offer(code)
with work.whole_page():
    text()
