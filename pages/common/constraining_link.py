"""What of the constrained screen stands in the address: read when a link opens it, written at each change."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from core.errors import InputError
from core.figures.dials import HIGHEST
from core.sampling import ENGINES, SamplerSettings
from pages.common import address, constraining
from pages.common.address import dials_from, whole
from pages.common.constraining import EXAMPLES, FIRST, KEY, LONGEST, PAIRS, VIEWS, Constraining
from pages.common.page import opened

DIALS = {"T": "temperature", "top_k": "top_k", "top_p": "top_p"}  # address: setting
NAMES = {
    *DIALS,
    "engine",
    "example",
    "kind",
    "constraint",
    "prompt",
    "seed",
    "view",
    "tokens",
    "token",
    "pairs",
}


def on_opening() -> None:
    """Set up the state of this session; where the screen was opened by a link, as its address says."""
    if KEY not in st.session_state or (opened() and NAMES & set(st.query_params)):
        st.session_state[KEY] = _from_address(st.query_params)


def write_address() -> None:
    """Put the state into the address."""
    state, first = constraining.current(), SamplerSettings()
    example = state.example
    wanted = {
        "example": example.slug if example and example != FIRST else "",
        "kind": "" if example else state.held.kind,
        "constraint": "" if example else state.held.text,
        "prompt": state.prompt if state.prompt != (example or FIRST).prompt else "",
        "seed": str(state.seed or ""),
        "view": state.view if state.view != "steps" else "",
        "tokens": str(tokens) if (tokens := max(len(state.steps), state.wanted)) > 1 else "",
        "token": str(state.chosen + 1) if state.chosen is not None else "",
        "pairs": str(state.pairs) if state.pairs != PAIRS[1] else "",
        "engine": state.settings.engine if state.settings.engine != first.engine else "",
    }
    for name, setting in DIALS.items():
        value = getattr(state.settings, setting)
        wanted[name] = f"{value:g}" if value != getattr(first, setting) else ""
    address.write(wanted)


def _from_address(asked: Mapping[str, str]) -> Constraining:
    """What fits of the address; a student may have typed it."""
    settings = dials_from(asked, DIALS, HIGHEST, SamplerSettings())
    if asked.get("engine") in ENGINES:
        settings = replace(settings, engine=asked["engine"])
    example = EXAMPLES.get(asked.get("example", ""), FIRST)
    kind, text, notice = example.kind, example.text, ""
    if "constraint" in asked:
        kind, text = asked.get("kind", kind), asked["constraint"]
    try:
        held = constraining.usable(kind, text)
    except InputError as error:
        notice = f"The constraint in the address cannot be used. {error}"
        kind, text = example.kind, example.text
        held = constraining.usable(kind, text)
    pairs, view = whole(asked.get("pairs", "")), asked.get("view")
    wanted = min(max(whole(asked.get("tokens", "")) or 1, 1), LONGEST)
    chosen = (whole(asked.get("token", "")) or 0) - 1
    return Constraining(
        held=held,
        kind=kind,
        draft=text,
        prompt=asked.get("prompt", example.prompt),
        settings=settings,
        seed=whole(asked.get("seed", "")) or 0,
        view=view if view in VIEWS else "steps",
        wanted=wanted,
        chosen=chosen if 0 <= chosen < wanted else None,
        pairs=pairs if pairs in PAIRS else PAIRS[1],
        notice=notice,
    )
