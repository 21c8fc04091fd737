"""The generation screen: a text token by token, the distribution behind each, the roads not taken."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from core.decoding.beams import START, Search
from core.errors import InputError
from core.figures.beams_view import beam_lane, search_line
from core.figures.dials import DIALS, HIGHEST
from core.figures.generation_view import (
    advice,
    best,
    branches_view,
    chance_view,
    differing,
    log_prob,
    next_token_address,
    panel_view,
    prompt_view,
    repeated,
    text_view,
    tokens,
)
from core.lab.generation import generation_lab
from core.lab.lab import Lab
from core.lm import embedded
from core.teaching.use_cases import RULES, USE_CASES
from pages.common import generating, generation_link, lab, model, presses, reading
from pages.common.components import declare
from pages.common.page import configure, heading
from pages.common.widgets import Widgets

PICTURE = declare("generation", "chips")
LANES = declare("temperatures", "chips")
CONTROLS, TEXT = "generation controls", "generation text"  # the two parts that rerun on their own
WIDGETS = Widgets("generation ", CONTROLS, TEXT)
TITLE = "How does a text come about, token by token?"
UNTIL = "there is nothing to generate with."
BEST_OF = (
    "Which of several candidates is kept is a search problem. Best-of-N keeps the one with the highest "
    "score, here log P a token in the model (T = 1); self-consistency the most frequent answer. At equal "
    "temperatures each text has a seed of its own. Tree of Thoughts searches among candidates too, so it "
    "needs some that differ: T above 0."
)
BEAMS = (
    "Beam search keeps the four most probable beginnings at each step: it looks for a probable text and "
    "draws nothing. Four passes a token; with one beam it is greedy search."
)
TITLES = {"one": "One text", "four": "Four temperatures", "beams": "Beam search"}


def choose_view(state: generating.Generation) -> None:
    """Show one text, four temperatures, or a search."""
    st.segmented_control(
        "View",
        list(TITLES),
        format_func=TITLES.__getitem__,
        required=True,
        key=WIDGETS.key("view", state.view),
        on_change=WIDGETS.doing(take_view),
        label_visibility="collapsed",
    )


def use_cases(state: generating.Generation) -> None:
    """Show the use cases as presets; an address can open them."""
    with st.popover(
        "Use cases",
        width="stretch",
        key=WIDGETS.key("cases", state.cases),
        on_change=WIDGETS.setting("cases", lambda is_open: generating.change(cases=is_open)),
    ):
        st.caption(RULES)
        for case in USE_CASES:
            name, values = st.columns([2, 3], vertical_alignment="center")
            name.button(case.name, on_click=WIDGETS.doing(generating.use, case), width="stretch")
            values.caption(f"T = {case.temperature:g}, top-p {case.settings.top_p:g}: {case.outputs}")


def choose_prompt(state: generating.Generation) -> None:
    """Show the prompt field."""
    st.text_area(
        "Prompt",
        height=68,
        key=WIDGETS.key("prompt", state.prompt),
        on_change=WIDGETS.doing(take_prompt),
        placeholder="An empty prompt: the model starts from <|im_start|>",
        label_visibility="collapsed",
    )


def dials(state: generating.Generation) -> None:
    """Show the settings and the seed: of four temperatures T has four fields, a search has none of them."""
    if state.view == "beams":
        return
    shown = DIALS if state.view == "one" else DIALS[1:]
    columns = st.columns([4] * len(shown) + [3] if state.view == "one" else [3, 3, 3, 5, 3])
    for column, dial in zip(columns, shown, strict=False):
        column.slider(
            dial.label if dial.setting == "temperature" else f"{dial.label} ({dial.neutral:g} is off)",
            type(dial.highest)(0),
            dial.highest,
            step=dial.step,
            key=WIDGETS.key(dial.setting, getattr(state.settings, dial.setting)),
            on_change=WIDGETS.doing(take_dial, dial.setting),
        )
    if state.view == "four":
        with columns[3]:
            for index, (column, value) in enumerate(zip(st.columns(4), state.temperatures, strict=True)):
                column.number_input(
                    f"T {index + 1}",
                    0.0,
                    HIGHEST["temperature"],
                    step=0.1,
                    format="%g",
                    key=WIDGETS.key(f"T {index}", value),
                    on_change=WIDGETS.doing(take_temperature, index),
                )
    columns[-1].number_input(
        "Seed",
        0,
        10**9 - 1,
        key=WIDGETS.key("seed", state.seed),
        on_change=WIDGETS.doing(take_seed),
    )


def take_view() -> None:
    """Take over the view."""
    generating.change(view=WIDGETS.value("view"), playing=False)


def take_prompt() -> None:
    """Take over the prompt."""
    generating.begin_again(prompt=WIDGETS.value("prompt"))


def take_seed() -> None:
    """Take over the seed."""
    generating.set_seed(WIDGETS.value("seed"))


def take_dial(name: str) -> None:
    """Take over a setting."""
    generating.set_dials(replace(generating.current().settings, **{name: WIDGETS.value(name)}))


def take_temperature(index: int) -> None:
    """Take over one of the four temperatures."""
    generating.set_temperature(index, WIDGETS.value(f"T {index}"))


def actions(state: generating.Generation) -> None:
    """Play, pause, step, go back, begin again."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        WIDGETS.player(
            state.playing,
            play=generating.play_or_pause,
            step=generating.one_step,
            back=generating.back,
            begin_again=generating.begin_again,
        )
        if state.view == "one" and st.button("Next token on Sampling", help="Its distribution, live"):
            there = next_token_address(state.prompt, state.tree.current, state.settings)
            st.switch_page("pages/sampling.py", query_params=there)
        if state.view == "beams":
            return
        if said := advice(state.settings if state.view == "one" else replace(state.settings, temperature=1)):
            st.caption(said, width="content")


def one_text(state: generating.Generation, prompt_ids: list[int]) -> None:
    """Show the text, the distribution behind one token, and the branches."""
    tokenizer, tree = embedded().tokenizer, state.tree
    drawn = tree.along(tree.current)
    position = len(drawn) - 1 if state.chosen is None else state.chosen
    panel = (
        panel_view(tokenizer, drawn[position], position, state.prompt, tree.current[:position])
        if drawn
        else None
    )
    act = PICTURE(
        key="generation picture",
        data={
            "prompt": prompt_view(tokenizer, prompt_ids, shown=32),
            "text": text_view(tokenizer, drawn, generating.why_over(state, tree.current), generating.LONGEST),
            "chance": chance_view(drawn),
            "panel": panel,
            "count": generating.progress(len(drawn)),
            "position": position,
            "chosen": state.chosen,
            "branches": branches_view(tokenizer, tree),
            "plain": tokenizer.decode([*prompt_ids, *tree.current]),
            "colour": state.colour,
            "note": "" if state.prompt else "The prompt is empty, so the model starts from <|im_start|>.",
        },
        on_act_change=WIDGETS.doing(do, "generation picture"),
        on_presses_change=WIDGETS.doing(step_on, "generation picture"),
    ).act
    if act == {"do": "sampling"} and panel:
        st.switch_page("pages/sampling.py", query_params=panel["address"])


def four_texts(state: generating.Generation, prompt_ids: list[int]) -> None:
    """Show the same prompt at four temperatures."""
    tokenizer, first = embedded().tokenizer, best(state.lanes)
    LANES(
        key="generation lanes",
        data={
            "prompt": prompt_view(tokenizer, prompt_ids, shown=6),
            "colour": state.colour,
            "count": generating.progress(sum(map(len, state.lanes))),
            "lanes": [
                {
                    "title": lane_title(state, index),
                    "text": text_view(
                        tokenizer,
                        lane,
                        generating.why_over(state, generating.path_of(lane)),
                        generating.LONGEST_LANE,
                    ),
                    "note": f"{tokens(len(lane))} · log P = {log_prob(lane)}" if lane else "",
                    "best": index == first,
                }
                for index, lane in enumerate(state.lanes)
            ],
        },
        on_act_change=WIDGETS.doing(do, "generation lanes"),
        on_presses_change=WIDGETS.doing(step_on, "generation lanes"),
    )
    said = f"{differing(state.lanes)} {repeated(state.lanes, state.temperatures)}".strip()
    st.caption(f"{said} {BEST_OF}".strip())


def search(state: generating.Generation, prompt_ids: list[int]) -> None:
    """Show the beams of a search side by side, the best one first."""
    tokenizer = embedded().tokenizer
    last = state.searched[-1] if state.searched else Search()
    beams = [*last.beams, *[START] * generating.WIDTH][: generating.WIDTH]
    LANES(
        key="generation beams",
        data={
            "prompt": prompt_view(tokenizer, prompt_ids, shown=6),
            "colour": state.colour,
            "count": generating.progress(len(state.searched)),
            "lanes": [beam_lane(tokenizer, beam, place) for place, beam in enumerate(beams)],
        },
        on_act_change=WIDGETS.doing(do, "generation beams"),
        on_presses_change=WIDGETS.doing(step_on, "generation beams"),
    )
    st.caption(f"{search_line(last.beams, last.greedy)} {BEAMS}".strip())


def lane_title(state: generating.Generation, index: int) -> str:
    """Its temperature, and its seed where that is not the one in the field."""
    seed = generating.lane_seed(state, index)
    return f"T = {state.temperatures[index]:g}" + (f", seed {seed}" if seed != state.seed else "")


def step_on(picture: str) -> None:
    """Step as often as the key was pressed."""
    for _ in range(presses.fresh(picture)):
        generating.one_step()


def do(picture: str) -> None:
    """Do what was asked for in a picture."""
    match st.session_state[picture]["act"]:
        case {"do": "choose", "position": position}:
            generating.choose(position)
        case {"do": "branch", "position": position, "id": token_id}:
            generating.branch(position, token_id)
        case {"do": "go", "index": index}:
            generating.go(index)
        case {"do": "colour", "colour": colour} if colour in generating.COLOURS:
            generating.change(colour=colour)
        case {"do": "open", "index": index}:
            opens = generating.open_beam if generating.current().view == "beams" else generating.open_lane
            opens(index)


SHOW = {"one": one_text, "four": four_texts, "beams": search}


@st.fragment(key=CONTROLS)
def controls() -> None:
    """Everything that is set by hand."""
    state = generating.current()
    title, views, cases = st.columns([3.5, 2.9, 1], vertical_alignment="center")
    with title:
        heading(TITLE)
    with views:
        choose_view(state)
    with cases:
        use_cases(state)
    choose_prompt(state)
    dials(state)
    actions(state)


@st.fragment(key=TEXT)
def text() -> None:
    """The text or texts. While they play, this runs for every few tokens; a stop keeps those shown."""
    state = generating.catch_up()
    try:
        prompt_ids = generating.prompt_ids(state.prompt)
    except InputError as error:
        generating.change(playing=False)
        st.warning(str(error))
        return
    reading.leave_to_page(embedded(), prompt_ids)
    if state.notice:
        st.warning(state.notice)
    SHOW[state.view](state, prompt_ids)
    if state.playing:
        # Shown first: Streamlit fades what a run has not shown yet, and a token can take a while.
        going = generating.tick()
        generation_link.write_while_playing()
        st.rerun(scope="fragment" if going else "app")
    generation_link.write_address()


def code() -> Lab:
    """The text up to the token in view, or the four texts, as code."""
    state = generating.current()
    if state.view == "one":
        texts = {"text": state.tree.along(state.tree.current)}
        last = len(texts["text"]) - 1 if state.chosen is None else state.chosen
    elif state.view == "beams":
        texts = {"beam 1": generating.beam_text(state, 0) if state.searched else []}
        last = len(texts["beam 1"]) - 1
    else:
        lanes = enumerate(zip(state.temperatures, state.lanes, strict=True), start=1)
        texts = {f"text {number}, T = {t:g}": lane for number, (t, lane) in lanes}
        last = max(map(len, texts.values())) - 1
    return generation_lab(state.prompt, texts, last, state.seed, lab.token_name)


configure("generation")
if not model.installed():
    heading(TITLE)
    model.offer_install(UNTIL)
    st.stop()
try:
    generation_link.on_opening()
except InputError as error:
    st.warning(str(error))
    st.stop()
generating.change(playing=False)  # a run of the whole script comes from elsewhere
controls()
generation_link.write_address()
with suppress(InputError):  # the text says why the model cannot read the prompt
    reading.read(embedded(), generating.prompt_ids(generating.current().prompt))
lab.offer(code)
text()
