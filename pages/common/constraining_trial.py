"""Texts without an instruction, with it, and masked, that are counted; each drawn once for all sessions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import streamlit as st

from core.decoding import constrained_captured
from core.decoding.constrained_captured import LONGEST
from core.decoding.constrained_grammar import constraint
from core.decoding.constrained_trial import Pair, first_fits, pair_by_tokens
from core.figures.constrained_compare_view import FirstView, first_view
from core.lm import embedded
from core.sampling import SamplerSettings
from pages.common import reading
from pages.common.constraining import Constraining, change, current, prompt_ids

MOST_KNOWN = 2000  # pairs that all sessions share


@st.cache_resource(show_spinner=False)
def st_known() -> dict[tuple[object, ...], Pair]:
    """Pairs that were counted, for all sessions: a class that opens a link does not count them again."""
    return {}


def load_known() -> None:
    """Take over what is counted already of the pairs that are asked for."""
    state = current()
    known = st_known()
    while len(state.counted) < state.pairs and (pair := known.get(_pair_key(state)) or _captured(state)):
        state = replace(state, counted=(*state.counted, pair))
    change(counted=state.counted)


def counting() -> Iterator[int]:
    """Draw and check the pairs that are missing, telling after each token how many this pair has."""
    while (state := current()).counting and len(state.counted) < state.pairs:
        seed, known = len(state.counted), st_known()
        ids, unasked = prompt_ids(), unasked_ids(state)
        pair = yield from pair_by_tokens(embedded(), ids, state.held, state.settings, seed, LONGEST, unasked)
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[_pair_key(state)] = pair
        change(counted=(*state.counted, pair))
    change(counting=False)


def unasked_ids(state: Constraining) -> tuple[int, ...]:
    """The prompt without its instruction; of one's own nobody knows which words that is: then nothing."""
    if not state.example or state.prompt != state.example.prompt:
        return ()
    return tuple(reading.prompt_ids(state.example.unasked, room=LONGEST))


def first(state: Constraining, ids: Sequence[int]) -> FirstView:
    """How probable a first token is that fits, with the instruction and without it."""
    of, unasked = (state.held.kind, state.held.text, state.settings), unasked_ids(state)
    return first_view(st_first(tuple(ids), *of), st_first(unasked, *of) if unasked else None)


@st.cache_resource(max_entries=1024, show_spinner=False)
def st_first(ids: tuple[int, ...], kind: str, text: str, settings: SamplerSettings) -> float:
    """The same of one prompt, computed once for all who look at it."""
    return first_fits(embedded(), ids, constraint(kind, text), settings)


def _captured(state: Constraining) -> Pair | None:
    """The next pair, if it was captured beforehand: of an example as it is, with the dials as they begin."""
    example = state.example
    if not example or state.prompt != example.prompt or state.settings != SamplerSettings():
        return None
    pairs = constrained_captured.load().get(example.slug, ())
    return pairs[len(state.counted)] if len(state.counted) < len(pairs) else None


def _pair_key(state: Constraining) -> tuple[object, ...]:
    return (state.held.kind, state.held.text, state.prompt, state.settings, len(state.counted))
