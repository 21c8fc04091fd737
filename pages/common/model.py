"""Where the sampling screen's logits come from, cached by what they depend on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.errors import InputError
from core.figures.distribution_view import logits_bytes, prompt_view
from core.lm import Example, embedded, install, load_examples, load_tokenizer, visible
from core.sampling import SamplerSettings, SortedLogits, Sweep, logits_from_probs, presort, sweep
from core.sampling.pasted import read_pasted
from core.teaching.lecture import NUMBERS
from pages.common.draws import OWN


@dataclass(frozen=True, eq=False)
class Logits:
    """Sorted logits, and the same as the browser takes them."""

    ranked: SortedLogits
    payload: bytes


@dataclass(frozen=True, eq=False)
class Source:
    """The logits of the next token, and how to write its tokens.

    `prompt` shows the tokens that were read. `raw` gives a token's bytes, if tokens are more than names.
    """

    logits: Logits
    prompt: dict[str, Any]
    name: Callable[[int], str]
    raw: Callable[[int], bytes] | None


def source(text: str, numbers: str, added: tuple[int, ...]) -> Source:
    """What follows the prompt `text` and the tokens appended to it, or what `numbers` put in its place.

    Errors: `InputError` where the model can't read the prompt, or the text holds no such numbers.
    """
    if numbers in OWN:
        pasted = read_pasted(text, OWN[numbers])
        reads = {"tokens": [], "count": f"{len(pasted.names):,} {pasted.kind} as you gave them"}
        return Source(
            _sorted(pasted.logits()), reads, lambda token_id: visible(pasted.names[token_id].encode()), None
        )
    if numbers:
        given = NUMBERS[numbers]
        reads = {"tokens": [], "count": f"{given.title}. {given.note}"}
        return Source(st_numbers(given.probs), reads, given.name, None)
    if not installed():
        return example_source(text)
    token_ids = [*embedded().start(load_tokenizer().encode(text)), *added]
    return _source(st_next(tuple(token_ids)), token_ids, len(added))


def example_source(prompt: str) -> Source:
    """What follows one of the bundled prompts. `InputError` if it is none."""
    return _source(st_example(prompt), load_tokenizer().encode(prompt), 0)


def shape_prompts() -> list[str]:
    """The bundled prompts whose distributions are peaked and flat."""
    return [text for text, example in st_examples().items() if example.name in ("peaked", "flat")]


def _source(logits: Logits, token_ids: list[int], added: int) -> Source:
    tokenizer = load_tokenizer()
    return Source(
        logits,
        prompt_view(tokenizer, token_ids, added),
        lambda token_id: visible(tokenizer.token_bytes(token_id)),
        tokenizer.token_bytes,
    )


def installed() -> bool:
    """Whether the embedded model can be opened."""
    return install.find() is not None


@st.cache_resource(show_spinner=False)
def st_examples() -> dict[str, Example]:
    """The bundled prompts with their captured logits, by the text of the prompt."""
    return {example.text: example for example in load_examples()}


@st.cache_resource(max_entries=16, show_spinner="Reading the prompt")  # some 2.5 MB each
def st_next(token_ids: tuple[int, ...]) -> Logits:
    """The logits of the token after `token_ids`, by the embedded model."""
    return _sorted(embedded().next_logits(token_ids))


@st.cache_resource(max_entries=16, show_spinner=False)
def st_example(text: str) -> Logits:
    """The logits that were captured for a bundled prompt."""
    if text not in st_examples():
        raise InputError(
            "Without the embedded model only the examples can be shown: pick one, or install it."
        )
    return _sorted(st_examples()[text].logits)


@st.cache_resource(max_entries=16, show_spinner=False)
def st_numbers(probs: tuple[float, ...]) -> Logits:
    """Logits with the given probabilities."""
    return _sorted(logits_from_probs(probs))


def _sorted(logits: Any) -> Logits:
    ranked = presort(logits)
    return Logits(ranked, logits_bytes(ranked))


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs={Logits: lambda logits: logits.payload[:8]})
def st_sweep(logits: Logits, settings: SamplerSettings) -> Sweep:
    """What the settings make of the logits over temperature, whatever their own temperature is."""
    return sweep(logits.ranked, settings)


def offer_install() -> None:
    """Say that the embedded model is missing, and install it when asked to."""
    with st.container(border=True):
        st.write(
            "The embedded model is not installed. Until it is, this screen shows the logits that it gave "
            "for a few prompts, and can't read yours."
        )
        if st.button("Install it (98 MB)", type="primary"):
            bar, share = st.progress(0.0, text="Starting"), 0.0

            def progress(done: float | None, doing: str) -> None:
                nonlocal share
                share = share if done is None else min(1.0, max(0.0, done))
                bar.progress(share, text=doing)

            try:
                install.install(progress)
            except InputError as error:
                st.error(str(error))
            else:
                st.rerun()
