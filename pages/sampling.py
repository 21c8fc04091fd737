"""The sampling screen: which token comes next, and what the sampler makes of the model's distribution."""

import streamlit as st

from core import sampling
from core.errors import InputError
from core.figures.distribution_view import Pick, distribution_view, token_table
from core.teaching.lecture import NUMBERS, SAMPLER_FORMULAS
from pages.common import draws, model
from pages.common.components import declare
from pages.common.page import configure, heading

PICTURE = declare("distribution")
TABLE = declare("table")
TABLE_ROWS = 50
FIRST_PROMPT = "The capital of France is"
WIDTHS = (3.2, 1)


def formulas() -> None:
    """Show the lecture's formulas."""
    with st.popover("Formulas", width="stretch"):
        for name, latex, remark in SAMPLER_FORMULAS:
            st.markdown(f"**{name}**")
            st.latex(latex)
            st.caption(remark)


def take_example() -> None:
    """Start from the chosen example, and leave the menu ready for the next choice."""
    chosen = st.session_state.example
    draws.start_anew(numbers=chosen if chosen in NUMBERS else "")
    if chosen and chosen not in NUMBERS:
        st.session_state.prompt = chosen
    st.session_state.example = None


def choose_example() -> None:
    """Show the menu of prompts and of the lecture's numbers."""
    titles = {text: example.title for text, example in model.st_examples().items()}
    titles |= {slug: chosen.title for slug, chosen in NUMBERS.items()}
    st.selectbox(
        "Examples",
        list(titles),
        index=None,
        format_func=titles.get,
        key="example",
        on_change=take_example,
        placeholder="Examples",
        label_visibility="collapsed",
    )


def choose_prompt(numbers: str, installed: bool) -> str:
    """Show the prompt field."""
    return st.text_area(
        "Prompt",
        FIRST_PROMPT,
        height=68,
        key="prompt",
        bind="query-params",
        on_change=draws.start_anew,
        disabled=bool(numbers) or not installed,
        placeholder="An empty prompt: the model starts from <|im_start|>",
        label_visibility="collapsed",
    )


def dials() -> tuple[sampling.SamplerSettings, int]:
    """The sampler's dials and the seed of the draws; their values are in the address."""
    temperature = st.slider("Temperature T", 0.0, 3.0, 1.0, 0.05, key="T", bind="query-params")
    top_k = st.slider("Top-k (0 is off)", 0, 100, 0, key="top_k", bind="query-params")
    top_p = st.slider("Top-p (1 is off)", 0.0, 1.0, 1.0, 0.01, key="top_p", bind="query-params")
    min_p = st.slider("Min-p (0 is off)", 0.0, 1.0, 0.0, 0.01, key="min_p", bind="query-params")
    left, right = st.columns([1.6, 1], gap="small")
    engine = left.selectbox("As in engine", list(sampling.ENGINES), key="engine", bind="query-params")
    seed = right.number_input("Seed", 0, 2**31 - 1, 0, key="seed", bind="query-params")
    return sampling.SamplerSettings(temperature, top_k, top_p, min_p, engine), seed


def picked(distribution: sampling.Distribution, state: draws.Draws, seed: int) -> Pick | None:
    """The token in view: drawn by the seed's number of this draw, or greedy."""
    if state.by == "draw":
        u = sampling.uniform(seed, max(state.count - 1, 0))
        return Pick(sampling.draw(distribution, u), u)
    if state.by == "greedy":
        return Pick(int(distribution.order[0]), None)
    return None


def actions(state: draws.Draws, pick: Pick | None, can_append: bool) -> None:
    """Draw, take the most probable, append what was picked, take it back, begin again."""
    left, right = st.columns(2, gap="small")
    left.button(
        "Draw",
        type="primary",
        shortcut="d",
        width="stretch",
        on_click=draws.change,
        kwargs={"count": state.count + 1, "by": "draw"},
    )
    right.button("Greedy", shortcut="g", width="stretch", on_click=draws.change, kwargs={"by": "greedy"})
    left.button(
        "Append",
        shortcut="a",
        width="stretch",
        disabled=pick is None or not can_append,
        on_click=draws.change,
        kwargs={"added": (*state.added, pick.token_id) if pick else state.added, "by": ""},
    )
    right.button(
        "Undo",
        shortcut="u",
        width="stretch",
        disabled=not state.added,
        on_click=draws.change,
        kwargs={"added": state.added[:-1], "by": ""},
    )
    st.button("Begin again", shortcut="b", width="stretch", on_click=draws.start_anew)


configure()
title, examples, formula = st.columns([3, 1.6, 0.8], vertical_alignment="center")
with title:
    heading("Which token comes next?")
with examples:
    choose_example()
with formula:
    formulas()
state = draws.current()
installed = model.installed()
prompt = choose_prompt(state.numbers, installed)
if not installed:
    model.offer_install()
picture, controls = st.columns(WIDTHS, gap="medium")
with controls:
    settings, seed = dials()
try:
    source = model.source(prompt, state)
except InputError as error:
    picture.warning(str(error))
    st.stop()

distribution = sampling.distribution(source.ranked, settings)
pick = picked(distribution, state, seed)
with controls:
    actions(state, pick, can_append=installed and not state.numbers)
with picture:
    PICTURE(
        key="picture",
        data=distribution_view(distribution, source.name, pick) | {"prompt": source.prompt},
    )
    if note := sampling.engine_note(settings):
        st.caption(note)
with st.expander(f"The first {TABLE_ROWS} tokens as a table"):
    TABLE(key="table", data=token_table(distribution, source.name, source.raw, TABLE_ROWS))
draws.write_address()
