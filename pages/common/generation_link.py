"""What of the generation screen stands in the address: read when a link opens it, written at each change."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.decoding import Drawn, Path, Tree, replay
from core.errors import InputError
from core.figures import dials
from core.figures.dials import HIGHEST, NAMES
from core.figures.generation_view import START
from core.lm import embedded
from core.sampling import SamplerSettings
from pages.common import address, generating, generation_path
from pages.common.address import dials_from, whole
from pages.common.generating import (
    COLOURS,
    FIRST_PROMPT,
    KEY,
    LONGEST,
    LONGEST_LANE,
    TEMPERATURES,
    VIEWS,
    Generation,
)
from pages.common.generation_path import Way
from pages.common.page import opened

WRITTEN_AT = "generation address written at"  # session: seconds
READ = {
    *NAMES,
    "prompt",
    "added",
    "branches",
    "seed",
    "token",
    "colour",
    "view",
    "temps",
    "texts",
    "steps",
    "cases",
}
"""What a link to the screen may say."""

APART = 2.0  # seconds between two writings while it plays


def on_opening() -> None:
    """Set up the state of this session; where the screen was opened by a link, as its address says."""
    if KEY not in st.session_state or (opened() and READ & set(st.query_params)):
        st.session_state[KEY] = _from_address(st.query_params)


def write_while_playing() -> None:
    """Put the state into the address, if that was long ago.

    Streamlit answers each writing with a drawing of the whole page, a quarter of what a picture costs.
    """
    if time.monotonic() - st.session_state.get(WRITTEN_AT, 0.0) > APART:
        write_address()


def write_address() -> None:
    """Put the state into the address."""
    st.session_state[WRITTEN_AT] = time.monotonic()
    state, first = generating.current(), Generation()
    way = Way(state.settings, state.seed)
    wanted = {
        "prompt": (state.prompt or START) if state.prompt != first.prompt else "",
        "added": generation_path.written(state.tree.along(state.tree.current), way),
        "branches": generation_path.branches_written(state.tree, way),
        "seed": str(state.seed or ""),
        "token": str(state.chosen + 1) if state.chosen is not None else "",
        "colour": state.colour if state.colour != first.colour else "",
        "view": state.view if state.view != first.view else "",
        "temps": "_".join(f"{t:g}" for t in state.temperatures)
        if state.temperatures != first.temperatures
        else "",
        "texts": generation_path.texts_written(state.lanes) if state.view == "four" else "",
        "steps": str(len(state.searched) or "") if state.view == "beams" else "",
        "cases": "open" if state.cases else "",
    }
    address.write({**wanted, **dict.fromkeys(NAMES, ""), **dials.address(state.settings)})


def _from_address(asked: Mapping[str, str]) -> Generation:
    """What fits of the address; a student may have typed it."""
    settings = dials_from(asked, NAMES, HIGHEST, SamplerSettings())
    state = Generation(
        prompt=asked.get("prompt", FIRST_PROMPT),
        settings=settings,
        seed=whole(asked.get("seed", "")) or 0,
        colour=asked["colour"] if asked.get("colour") in COLOURS else COLOURS[0],
        view=asked["view"] if asked.get("view") in VIEWS else VIEWS[0],
        temperatures=_temperatures(asked.get("temps", "")),
        cases=asked.get("cases") == "open",
    )
    way, size = Way(settings, state.seed), embedded().tokenizer.vocab_size
    in_view = generation_path.read(asked.get("added", ""), way, size)[:LONGEST]
    branches = generation_path.branches_read(asked.get("branches", ""), in_view, way, size)
    tree, steps = Tree(), whole(asked.get("steps", "")) or 0
    try:
        prompt_ids = generating.prompt_ids(state.prompt)
        for plan in (*branches, in_view):  # in the order in which they began, then back to that in view
            tree = generation_path.grown(tree, embedded(), prompt_ids, plan[:LONGEST])
        if state.view == "four":
            texts = generation_path.texts_read(asked.get("texts", ""), size)
            state = replace(state, lanes=_lanes(state, prompt_ids, texts))
        if state.view == "beams":
            state = replace(state, searched=generating.st_searched(state.prompt, steps))
    except InputError as error:
        return replace(state, notice=str(error))
    state = replace(state, tree=tree)
    chosen = (whole(asked.get("token", "")) or 0) - 1
    return replace(state, chosen=chosen if 0 <= chosen < len(state.tree.current) else None)


def _lanes(state: Generation, prompt_ids: list[int], texts: Sequence[Path]) -> tuple[tuple[Drawn, ...], ...]:
    """The four texts, each with its temperature and its seed; what neither draws counts as by hand."""
    paths = [*texts, *[()] * len(state.lanes)][: len(state.lanes)]
    return tuple(
        tuple(
            replay(
                embedded(),
                prompt_ids,
                path[:LONGEST_LANE],
                generating.lane_settings(state, index),
                generating.lane_seed(state, index),
            )
        )
        for index, path in enumerate(paths)
    )


def _temperatures(text: str) -> tuple[float, ...]:
    try:
        temperatures = tuple(SamplerSettings(temperature=float(part)).temperature for part in text.split("_"))
    except (ValueError, InputError):
        return TEMPERATURES
    temperatures = tuple(min(temperature, HIGHEST["temperature"]) for temperature in temperatures)
    return temperatures if len(temperatures) == len(TEMPERATURES) else TEMPERATURES
