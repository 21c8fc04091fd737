"""The sampling screen: which token comes next, and what the sampler makes of the model's distribution."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from core import sampling
from core.errors import InputError
from core.figures.curves import over_temperature, two_shapes
from core.figures.dials import dials_view
from core.figures.distribution_view import (
    engines,
    names_view,
    stage_table,
    tally_view,
    token_table,
)
from core.figures.generation_view import START, next_token_address
from core.figures.partial_view import partial_view, picked_index
from core.figures.request_code import request_code
from core.lab.sampling import sampling_lab
from core.lm.local import local_path
from core.lm.next_token import BROKEN, NextToken, ReportedToken
from core.sampling.pasted import Pasted, read_pasted
from core.teaching.lecture import NUMBERS, SAMPLER_FORMULAS
from pages.common import address, draws, lab, model, more_in_view, presses, servers
from pages.common.components import declare
from pages.common.page import configure, heading
from pages.common.terms import show_formulas

PICTURE = declare("distribution", "bars", "sampler", "sampler_view", "dials")
PARTIAL = declare("partial", "bars", "dials")
LOGITS = declare("logits")
TABLE = declare("table")
TABLE_ROWS = 50
ROWS = 12  # as in sampler_view.js
MANY = 1000
NUMBERS_VIEW, CURVES, SHAPES, REQUEST = "Numbers", "Over temperature", "Peaked and flat", "Request"
UNTIL = "this screen shows the logits that it gave for a few prompts, and can't read yours."
SAME_DIALS = (
    "The same dials on two prompts. Top-k keeps as many on both, too many where one is sure, too few where "
    "many fit; top-p, its nucleus, and min-p follow the shape."
)
SHAPES_KEY = "Solid: kept, after the sampler. Hatched: cut. Outline: the model, T = 1."
BOTH_OFF = "Top-k and top-p are off, so both keep all: set top-k to 10, then top-p to 0.9, and compare."
FIRST_PROMPT = "The capital of France is"
FIRST_NUMBERS = {"probabilities": "A: 0.5; B: 0.3; C: 0.2", "logits": "A: 2; B: 1; C: 0.5; D: -1"}


def choose_source(state: draws.Draws) -> None:
    """Show the menu of models."""
    titles = {"": "SmolLM2, embedded" if model.installed() else "Bundled examples"}
    if path := local_path(servers.settings()):
        titles["local"] = f"{path.stem} · local file"
    found = servers.offered(look=servers.LOOK in st.session_state or state.source.startswith("ollama:"))
    titles |= found.titles
    titles.setdefault(state.source, state.source)
    st.session_state.source_menu = state.source
    st.selectbox(
        "Model",
        list(titles),
        format_func=titles.get,
        key="source_menu",
        on_change=take_source,
        label_visibility="collapsed",
    )
    if found.problem:
        st.warning(found.problem)


def take_source() -> None:
    """Ask another model from now on, or look which ones an Ollama has."""
    if st.session_state.source_menu == "ollama":
        st.session_state[servers.LOOK] = True
    else:
        draws.start_anew(source=st.session_state.source_menu)


def choose_example() -> None:
    """Show the menu of prompts and of the lecture's numbers."""
    titles = {text: example.title for text, example in model.st_examples().items()}
    titles |= {slug: numbers.title for slug, numbers in NUMBERS.items()}
    titles |= {slug: f"Your own {kind}" for slug, kind in draws.OWN.items()}
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


def take_example() -> None:
    """Start from the chosen example, and leave the menu ready for the next choice."""
    chosen = st.session_state.example
    is_prompt = chosen in model.st_examples()
    draws.start_anew(numbers="" if is_prompt else chosen or "")
    if is_prompt:
        st.session_state.prompt = chosen
    st.session_state.example = None


def choose_prompt(numbers: str, free: bool) -> str:
    """Show the field for the prompt, or for one's own numbers in its place."""
    own = numbers in draws.OWN
    return st.text_area(
        "Your numbers" if own else "Prompt",
        height=68,
        key=address.field("own", FIRST_NUMBERS[draws.OWN[numbers]])
        if own
        else address.field("prompt", FIRST_PROMPT, empty=START),
        on_change=draws.change if own else draws.start_anew,
        disabled=not own and (bool(numbers) or not free),
        placeholder="Numbers, with or without names" if own else "Empty: the model starts from <|im_start|>",
        label_visibility="collapsed",
    )


def offer_to_normalise(numbers: str, text: str) -> None:
    """Where probabilities don't sum to 1: put in their place what they are once divided by their sum."""
    try:
        pasted = read_pasted(text, draws.OWN[numbers])
    except InputError:
        return
    if pasted.problem:
        st.button("Divide them by their sum", on_click=take_numbers, args=(pasted.normalised(),))


def take_numbers(pasted: Pasted) -> None:
    """Put numbers into the field."""
    st.session_state.own = "; ".join(
        f"{name}: {value:.12g}" for name, value in zip(pasted.names, pasted.values, strict=True)
    )


def number(state: draws.Draws) -> float | None:
    """The u in view, the seed's for this draw or one set by hand; none if nothing is drawn, or greedily."""
    return {"draw": sampling.uniform(state.seed, max(state.count - 1, 0)), "hand": state.u}.get(state.by)


def heard() -> int:
    """How often the browser has told of a u that was set by hand."""
    told = st.session_state.get("picture", {}).get("u")
    return told["sent"] if told else 0


def picked(distribution: sampling.Distribution, state: draws.Draws) -> dict[str, Any] | None:
    """The token in view and its u."""
    if not state.by:
        return None
    u = number(state)
    token_id = int(distribution.order[0]) if u is None else sampling.draw(distribution, u)
    return {"u": u, "id": token_id, "rank": distribution.token(token_id).rank}


def actions(
    state: draws.Draws, append: Callable[[], None] | None, can_tally: bool, generate: dict[str, str] | None
) -> None:
    """Draw, take the most probable, append what was picked, take it back, begin again, go on elsewhere."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            "Draw",
            type="primary",
            shortcut="d",
            on_click=draws.draw_again,
        )
        st.button(
            f"Draw {MANY:,}",
            shortcut="m",
            type="primary" if state.many else "secondary",
            disabled=not can_tally,
            on_click=draws.change,
            kwargs={"many": not state.many},
        )
        st.button("Greedy", shortcut="g", on_click=draws.change, kwargs={"by": "greedy"})
        st.button(
            "Append",
            shortcut="a",
            disabled=append is None,
            on_click=append,
        )
        st.button(
            "Undo",
            shortcut="u",
            disabled=not state.added,
            on_click=draws.undo,
        )
        st.button("Begin again", shortcut="b", on_click=draws.start_anew)
        st.caption("Seed", width="content")
        st.number_input(
            "Seed",
            0,
            10**9 - 1,
            state.seed,
            key="seed",
            on_change=lambda: draws.change(seed=st.session_state.seed, count=0, by=""),
            label_visibility="collapsed",
            width=130,
        )
        if generate is not None and st.button("Go on in Generation", help="This prompt, token by token"):
            st.switch_page("pages/generation.py", query_params=generate)


def writing(token: ReportedToken) -> Callable[[], None] | None:
    """An act that writes a server's token after the prompt; none where its text is not known whole."""
    raw = token.text.encode() if token.raw is None else token.raw
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None

    def write() -> None:
        st.session_state.prompt += text
        draws.change(by="")

    return write if BROKEN not in text else None


def show_partial(told: NextToken, state: draws.Draws) -> None:
    """Show what a server tells of the most probable tokens, and draw where that says which token is drawn."""
    u, greedy = number(state), state.by == "greedy"
    PARTIAL(
        key="partial",
        data={
            "view": partial_view(told, state.settings, u, greedy),
            "dials": dials_view(),
            "engines": engines(),
            "settings": dials_of(state),
            "revision": state.revision,
        },
        on_settings_change=lambda: draws.set_dials(st.session_state.partial["settings"] or {}),
    )
    index = picked_index(told, state.settings, u, greedy)
    actions(state, None if index is None else writing(told.tokens[index]), can_tally=False, generate=None)


def dials_of(state: draws.Draws) -> dict[str, Any]:
    """The settings as the browser takes them."""
    return {field: getattr(state.settings, field) for field in draws.DIALS.values()}


def generating_here(text: str, state: draws.Draws) -> dict[str, str]:
    """The address of the generation screen that goes on from here."""
    seed = {"seed": str(state.seed)} if state.seed else {}
    return next_token_address(text, state.added, state.settings) | seed


def shapes(settings: sampling.SamplerSettings) -> list[tuple[str, sampling.Distribution, Any]]:
    """The peaked and the flat one of the bundled prompts under the same settings."""
    sources = [(text, model.example_source(text)) for text in model.shape_prompts()]
    return [
        (text, sampling.distribution(source.logits.ranked, settings), source.name) for text, source in sources
    ]


configure("sampling")
title, sources, examples, formula = st.columns([3, 1.6, 1.3, 0.8], vertical_alignment="center")
state = draws.on_opening()
more_in_view.note()
with title:
    heading("Which token comes next?")
with sources:
    choose_source(state)
with examples:
    choose_example()
with formula:
    show_formulas("Formulas", SAMPLER_FORMULAS)
served = state.source not in model.IN_PROCESS
free = served or bool(state.source) or model.installed()
text = choose_prompt(state.numbers, free)
if not free:
    model.offer_install(UNTIL)
elif not (text or state.numbers or state.source):
    st.caption(f"The prompt is empty, so the model starts from `{START}`.")

told = None
try:
    if served and not state.numbers:
        told = servers.told(state.source, text)
        source = model.told_source(told) if told.badge == "exact" else None
    else:
        source = model.source(text, state.numbers, state.added, local=state.source == "local")
except InputError as error:
    st.warning(str(error))
    if state.numbers in draws.OWN:
        offer_to_normalise(state.numbers, text)
    with st.container(horizontal=True):
        if state.added:
            st.button("Undo", shortcut="u", on_click=draws.undo)
        st.button("Begin again", shortcut="b", on_click=draws.start_anew)
    st.stop()
if source is None:
    show_partial(told, state)
    draws.write_address()
    st.stop()

ranked = source.logits.ranked
settings = dials_of(state)
distribution = sampling.distribution(ranked, state.settings)
pick = picked(distribution, state)
append = None
if pick and free and not state.numbers:
    append = writing(told.tokens[pick["id"]]) if told else partial(draws.append, pick["id"])
PICTURE(
    key="picture",
    data={
        "key": source.logits.payload[:8].hex(),
        "prompt": source.prompt,
        "dials": dials_view(),
        "engines": engines(),
        "choice": pick and pick | {"name": source.name(pick["id"])},
        "heard": heard(),
        "revision": state.revision,
        "settings": settings,
        "tally": tally_view(distribution, state.seed, MANY, ROWS) | {"of": settings} if state.many else None,
        **names_view(ranked, source.name),
    },
    on_settings_change=lambda: draws.set_dials(st.session_state.picture["settings"] or {}),
    on_presses_change=lambda: draws.draw_again(presses.fresh("picture")),
    on_u_change=lambda: draws.set_u(st.session_state.picture["u"]),
)
here = not state.source and not state.numbers and model.installed()
actions(state, append, can_tally=True, generate=generating_here(text, state) if here else None)
if note := sampling.engine_note(state.settings):
    st.caption(note)
more = st.segmented_control(
    "More",
    (NUMBERS_VIEW, CURVES, SHAPES, REQUEST),
    key=address.field("more", None, options=(NUMBERS_VIEW, CURVES, SHAPES, REQUEST)),
    label_visibility="collapsed",
)
if more == NUMBERS_VIEW:
    TABLE(key="table", data=token_table(distribution, source.name, source.raw, TABLE_ROWS))
    TABLE(key="stages", data=stage_table(distribution))
elif more == CURVES:
    swept = model.st_sweep(source.logits, replace(state.settings, temperature=1.0))
    st.plotly_chart(over_temperature(swept, source.name, state.settings.temperature), key="over temperature")
elif more == SHAPES:
    about = (
        SAME_DIALS if state.settings.top_k or state.settings.top_p < 1 or state.settings.min_p else BOTH_OFF
    )
    st.caption(f"{about}  \n{SHAPES_KEY}")
    st.plotly_chart(two_shapes(shapes(state.settings)), key="two shapes")
elif more == REQUEST:
    st.code(request_code(text, state.settings), language="python")
more_in_view.bring()
LOGITS(key="logits", data=source.logits.payload)
of = source.prompt["count"] if state.numbers else text
lab.offer(lambda: sampling_lab(of, distribution, source.name, pick and (pick["u"] or 0.0)))
draws.write_address()
