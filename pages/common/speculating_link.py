"""What of the speculative screen stands in the address: read when a link opens it, written at each change."""

from collections.abc import Mapping

import streamlit as st

from core.figures.dials import HIGHEST
from core.sampling import SamplerSettings
from pages.common import address, speculating
from pages.common.address import dials_from, whole
from pages.common.page import opened
from pages.common.speculating import DRAFTS, DRAWS, KEY, LONGEST, MOST, VIEWS, Speculating

DIALS = {"T": "temperature", "top_k": "top_k", "top_p": "top_p"}  # address: setting
NUMBERS = {"layers": "layers", "window": "window", "gamma": "gamma", "seed": "seed"}
SUPPOSED = ("alpha", "cost")
NAMES = {*DIALS, *NUMBERS, *SUPPOSED, "prompt", "draft", "view", "rounds", "round", "draws"}


def on_opening() -> None:
    """Set up the state of this session; where the screen was opened by a link, as its address says."""
    if KEY not in st.session_state or (opened() and NAMES & set(st.query_params)):
        st.session_state[KEY] = _from_address(st.query_params)


def write_address() -> None:
    """Put the state into the address."""
    state, first = speculating.current(), Speculating()
    wanted = {
        "rounds": str(rounds) if (rounds := max(len(state.rounds), state.wanted)) > 1 else "",
        "round": str(state.chosen + 1) if state.chosen is not None else "",
    }
    for name in ("prompt", "draft", "view", "draws", *NUMBERS):
        value = getattr(state, name)
        wanted[name] = str(value) if value != getattr(first, name) else ""
    for name in SUPPOSED:
        value = getattr(state, name)
        wanted[name] = f"{value:g}" if value != getattr(first, name) else ""
    for name, setting in DIALS.items():
        value = getattr(state.settings, setting)
        wanted[name] = f"{value:g}" if value != getattr(first.settings, setting) else ""
    address.write(wanted)


def _from_address(asked: Mapping[str, str]) -> Speculating:
    """What fits of the address; a student may have typed it."""
    first = Speculating()
    numbers = {}
    for name in NUMBERS:
        value = whole(asked.get(name, ""))
        if value is not None and (value or name == "seed"):
            numbers[name] = min(value, MOST.get(name, value))
    for name in SUPPOSED:
        numbers[name] = _share(asked.get(name, ""), getattr(first, name))
    wanted = min(max(whole(asked.get("rounds", "")) or 1, 1), LONGEST)
    chosen = (whole(asked.get("round", "")) or 0) - 1
    draws = whole(asked.get("draws", ""))
    return Speculating(
        prompt=asked.get("prompt", first.prompt),
        settings=dials_from(asked, DIALS, HIGHEST, SamplerSettings()),
        draft=asked["draft"] if asked.get("draft") in DRAFTS else first.draft,
        view=asked["view"] if asked.get("view") in VIEWS else first.view,
        wanted=wanted,
        chosen=chosen if 0 <= chosen < wanted else None,
        draws=draws if draws in DRAWS else first.draws,
        **numbers,
    )


def _share(text: str, otherwise: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return otherwise
    return value if 0 <= value <= 1 else otherwise
