"""What is counted and timed on the speculative screen: the proof, α of each early exit, the clock."""

from collections.abc import Iterator

import streamlit as st

from core.decoding import early_exit
from core.decoding.speculative_clock import pass_ratio, race
from core.decoding.speculative_proof import place_after, prove
from core.decoding.speculative_speed import acceptances
from core.figures.speculative_view import ProofRow, proof_view
from core.lm import embedded
from core.sampling import SamplerSettings
from core.scenarios.embedded_run import embedded_run
from pages.common.speculating import Speculating, change, current, draft_key, draft_of, prompt_ids, st_draft

LAYERS = (3, 9, 15, 20, 25, 27, 29)  # of the drafts on the map; the target has 30
LONGEST_RACE = 40  # tokens by the clock
MEASURED = 48  # the last positions of a text, on which α is measured
SHOWN = 8  # tokens in the proof
MOST_KNOWN = 500  # measurements that all sessions share


@st.cache_resource(show_spinner=False)
def st_cost(layers: int) -> float:
    """c of an early exit."""
    return early_exit(embedded(), layers).cost


@st.cache_resource(show_spinner=False)
def st_run() -> tuple[int, ...]:
    """The tokens that each call of the bundled recording generated."""
    return tuple(len(call.tokens or ()) for step in embedded_run().steps if (call := step.model_call))


def proof(state: Speculating) -> tuple[ProofRow, ...]:
    """The rules counted at the first drafted position of the round in view; nothing where none is drafted."""
    before = tuple(token for done in state.rounds[: max(state.position, 0)] for token in done.tokens)
    ids = (*prompt_ids(), *before)
    return st_proof(draft_key(state), ids, state.settings, state.seed, state.draws)


@st.cache_resource(max_entries=256, show_spinner=False)
def st_proof(
    draft: tuple[str, int], ids: tuple[int, ...], settings: SamplerSettings, seed: int, draws: int
) -> tuple[ProofRow, ...]:
    """The proof at a place, counted once for all who look at it."""
    place = place_after(embedded(), st_draft(*draft), ids, settings)
    if place is None:
        return ()
    counted = prove(place.p, place.q, seed, draws)
    return proof_view(embedded().tokenizer, counted, place.p, place.largest(SHOWN))


@st.cache_resource(show_spinner=False)
def st_alphas() -> dict[tuple[object, ...], float]:
    """α of an early exit on a text, for all sessions: measured once."""
    return {}


def measured_ids(state: Speculating) -> tuple[int, ...]:
    """The text on which α is measured: the end of prompt and what was drawn."""
    return (*prompt_ids(), *state.path)[-MEASURED:]


def alphas(state: Speculating) -> dict[int, float]:
    """α of each early exit of the map that is measured on this text, by its layers."""
    known, text = st_alphas(), measured_ids(state)
    found = {layers: known.get((text, state.settings, layers)) for layers in LAYERS}
    return {layers: alpha for layers, alpha in found.items() if alpha is not None}


def measuring() -> Iterator[int]:
    """Measure α of the early exits that are missing, telling after each how many are there."""
    state, known = current(), st_alphas()
    if len(known) > MOST_KNOWN:
        known.clear()
    text, there = measured_ids(state), alphas(state)
    left = [layers for layers in LAYERS if layers not in there]
    if left:
        drafts = [early_exit(embedded(), layers) for layers in left]
        measured = acceptances(embedded(), drafts, text, state.settings)
        for layers, alpha in zip(left, measured, strict=True):
            known[text, state.settings, layers] = alpha
            yield len(alphas(state))


def timing() -> Iterator[str]:
    """Let both sides run by the clock, then time a pass over several positions; telling how far it is."""
    state, model, ids = current(), embedded(), prompt_ids()
    for clock in race(model, draft_of(state), ids, state.settings, state.seed, state.gamma, LONGEST_RACE):
        change(clock=clock)
        sofar = f", {clock.ratio:.2f} times so far" if clock.ratio else ""
        yield f"{clock.tokens} of {LONGEST_RACE} tokens{sofar}"
    change(ratio=pass_ratio(model, [*ids, *state.path], state.gamma + 1), timing=False)
