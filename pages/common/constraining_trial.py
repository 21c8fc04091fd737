"""Pairs of a free and a masked text that are counted, each drawn once for all sessions."""

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from core.decoding.constrained_trial import Pair, pair_by_tokens
from core.lm import embedded
from pages.common.constraining import Constraining, change, current, prompt_ids

LONGEST_TRIAL = 64  # tokens of each text that is only counted
MOST_KNOWN = 2000  # pairs that all sessions share


@st.cache_resource(show_spinner=False)
def st_known() -> dict[tuple[object, ...], Pair]:
    """Pairs that were counted, for all sessions: a class that opens a link does not count them again."""
    return {}


def load_known() -> None:
    """Take over what is counted already of the pairs that are asked for."""
    state = current()
    known = st_known()
    while len(state.counted) < state.pairs and (pair := known.get(_pair_key(state))):
        state = replace(state, counted=(*state.counted, pair))
    change(counted=state.counted)


def counting() -> Iterator[int]:
    """Draw and check the pairs that are missing, telling after each token how many this pair has."""
    while (state := current()).counting and len(state.counted) < state.pairs:
        seed, known = len(state.counted), st_known()
        drawing = pair_by_tokens(embedded(), prompt_ids(), state.held, state.settings, seed, LONGEST_TRIAL)
        pair = yield from drawing
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[_pair_key(state)] = pair
        change(counted=(*state.counted, pair))
    change(counting=False)


def _pair_key(state: Constraining) -> tuple[object, ...]:
    return (state.held.kind, state.held.text, state.prompt, state.settings, len(state.counted))
