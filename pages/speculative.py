"""The speculative screen: a draft proposes, the target verifies, and the distribution stays the target's."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from core.decoding.speculative_speed import counted
from core.errors import InputError
from core.figures.generation_view import prompt_view, tokens
from core.figures.speculative_view import (
    MORAL,
    PAPERS,
    PREDICTION,
    chips_view,
    counted_view,
    passes,
    ratio_lines,
    round_view,
    speed_view,
    what_if,
)
from core.lm import embedded
from core.teaching.drafting import DRAFTING_EXAMPLES
from core.teaching.lecture import SPECULATIVE_FORMULAS
from pages.common import model, reading, speculating, speculating_link, work
from pages.common.components import declare
from pages.common.page import configure, formulas, heading
from pages.common.widgets import Widgets

PICTURES = {
    "rounds": declare("speculative", "chips", "masked"),
    "proof": declare("speculative_proof", "masked"),
    "speed": declare("speculative_speed", "masked"),
}
CONTROLS, TEXT = "speculative controls", "speculative text"  # the two parts that rerun on their own
WIDGETS = Widgets("speculative_", CONTROLS, TEXT)
TITLE = "Does a draft change the text?"
UNTIL = "there is no target to draft for."


def begin_with(name: str) -> Callable[[], None]:
    """A callback that begins the text again with another value of a field."""
    return WIDGETS.setting(name, lambda value: speculating.begin_again(**{name: value}))


def take_dial(name: str) -> Callable[[], None]:
    """A callback that begins the text again with another setting of the sampler."""

    def take(value: object) -> None:
        speculating.begin_again(settings=replace(speculating.current().settings, **{name: value}))

    return WIDGETS.setting(name, take)


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


def choose_example(state: speculating.Speculating) -> None:
    """Show the menu of examples."""
    titles = {(example.prompt, example.draft): example.title for example in DRAFTING_EXAMPLES}
    st.selectbox(
        "Examples",
        list(titles.values()),
        index=None,
        key=WIDGETS.key("example", titles.get((state.prompt, state.draft))),
        on_change=WIDGETS.setting("example", lambda title: title and speculating.choose_example(title)),
        placeholder="Examples",
        label_visibility="collapsed",
    )


def choose_prompt(state: speculating.Speculating) -> None:
    """Show the prompt field."""
    st.text_area(
        "Prompt",
        height=68,
        key=WIDGETS.key("prompt", state.prompt),
        on_change=begin_with("prompt"),
        placeholder="An empty prompt: the model starts from <|im_start|>",
        label_visibility="collapsed",
    )


def dials(state: speculating.Speculating) -> None:
    """Show the draft, γ, the sampler's settings and the seed."""
    draft, size, gamma, *rest, seed = st.columns([4.4, 2, 1.6, 1.6, 1.6, 1.6, 1.5])
    draft.segmented_control(
        "Draft",
        list(speculating.DRAFTS),
        format_func=speculating.DRAFTS.get,
        required=True,
        key=WIDGETS.key("draft", state.draft),
        on_change=begin_with("draft"),
    )
    if state.draft == "exit":
        size.slider(
            "Layers L of 30",
            1,
            speculating.MOST["layers"],
            key=WIDGETS.key("layers", state.layers),
            on_change=begin_with("layers"),
        )
    elif state.draft == "window":
        size.slider(
            "It reads the last w",
            1,
            speculating.MOST["window"],
            key=WIDGETS.key("window", state.window),
            on_change=begin_with("window"),
        )
    gamma.slider(
        "Drafted, γ",
        1,
        speculating.MOST["gamma"],
        key=WIDGETS.key("gamma", state.gamma),
        on_change=begin_with("gamma"),
    )
    for column, (label, name, high, step) in zip(
        rest,
        (("T", "temperature", 3.0, 0.05), ("Top-k", "top_k", 100, 1), ("Top-p", "top_p", 1.0, 0.01)),
        strict=True,
    ):
        column.slider(
            label,
            type(high)(0),
            high,
            step=step,
            key=WIDGETS.key(name, getattr(state.settings, name)),
            on_change=take_dial(name),
        )
    seed.number_input("Seed", 0, 10**9 - 1, key=WIDGETS.key("seed", state.seed), on_change=begin_with("seed"))


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
    return (len(speculating.LAYERS) - len(speculating.alphas(state))) * state.measuring


def measure(state: speculating.Speculating) -> None:
    """Do a piece of what is to be measured on the view of speed."""
    if state.timing:
        work.go_on("clock", of(state), speculating.timing)
    else:
        work.go_on("map", (*of(state), state.path), speculating.measuring)


def say_how_far(state: speculating.Speculating) -> None:
    """Show how far the rounds of a link are, or a measurement; shown first, so that it stays meanwhile."""
    many = len(speculating.LAYERS)
    if speculating.missing() > 1:
        stoppable(
            len(state.rounds) / state.wanted,
            f"{len(state.rounds)} of the {state.wanted} rounds of the link",
            wanted=1,
        )
    elif state.view == "speed" and state.timing:
        clock = state.clock
        done = min(1.0, clock.tokens / speculating.LONGEST_RACE) if clock else 0.0
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
        "rows": [row.model_dump() for row in speculating.proof(state)],
    }


def show_speed(state: speculating.Speculating, ids: list[int]) -> dict[str, Any]:  # noqa: ARG001
    """What was counted and timed, the map of predictions, and a draft that is supposed."""
    text, alphas = speculating.measured_ids(state), speculating.alphas(state)
    count, draft = counted(state.rounds), speculating.draft_of(state)
    lines = counted_view(count, state.gamma, draft.cost, state.clock and state.clock.ratio)
    if state.ratio:
        lines += ratio_lines(state.ratio, count.expected_alpha, state.gamma, draft.cost)
    names = [f"L = {layers}" for layers in alphas]
    costs = [speculating.st_cost(layers) for layers in alphas]
    return {
        "lines": [line.model_dump() for line in lines],
        "map": speed_view(names, list(alphas.values()), costs).model_dump(),
        "alphas": [
            f"α {alpha:.2f}, c {cost:.2f}" for alpha, cost in zip(alphas.values(), costs, strict=True)
        ],
        "supposed": speed_view(["supposed"], [state.alpha], [state.cost]).model_dump(),
        "what_if": what_if(state.alpha, state.cost),
        "papers": [paper.model_dump() for paper in PAPERS],
        "prediction": PREDICTION,
        "measured_on": f"α: on the last {tokens(len(text))} of the text.",
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
        formulas("Formulas", SPECULATIVE_FORMULAS, "stretch")
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
st.session_state[work.WHOLE] = True
text()
st.session_state[work.WHOLE] = False
