"""Where the sampling screen's logits come from, cached by what they depend on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.errors import InputError
from core.figures.distribution_view import logits_bytes, prompt_view
from core.lm import (
    EmbeddedModel,
    Example,
    Tokenizer,
    embedded,
    install,
    load_examples,
    load_tokenizer,
    visible,
)
from core.lm.local import local_path, open_local
from core.lm.next_token import NextToken
from core.sampling import SamplerSettings, SortedLogits, Sweep, logits_from_probs, presort, sweep
from core.sampling.pasted import read_pasted
from core.teaching.lecture import NUMBERS
from pages.common import reading, servers
from pages.common.draws import OWN

IN_PROCESS = ("", "local")  # the sources that are computed here: the embedded model, the operator's own


@dataclass(frozen=True, eq=False)
class Logits:
    """Sorted logits, and the same as the browser takes them."""

    ranked: SortedLogits
    payload: bytes


@dataclass(frozen=True, eq=False)
class Source:
    """The logits of the next token, and how to write its tokens.

    `prompt` shows the tokens that were read. `raw` gives a token's bytes, if tokens are more than names
    and the source tells them.
    """

    logits: Logits
    prompt: dict[str, Any]
    name: Callable[[int], str]
    raw: Callable[[int], bytes | None] | None


def source(text: str, numbers: str, added: tuple[int, ...], local: bool) -> Source:
    """What follows the prompt `text` and the tokens appended to it, or what `numbers` put in its place.

    `local`: by the operator's own model in place of the embedded one.

    Errors: `InputError` where the model can't read the prompt, or the text holds no such numbers.
    """
    if numbers in OWN:
        pasted = read_pasted(text, OWN[numbers])
        reads = {"tokens": [], "count": pasted.counted}
        return Source(
            _sorted(pasted.logits()), reads, lambda token_id: visible(pasted.names[token_id].encode()), None
        )
    if numbers:
        given = NUMBERS[numbers]
        reads = {"tokens": [], "count": f"{given.title}. {given.note}"}
        return Source(st_numbers(given.probs), reads, given.name, None)
    if not installed() and not local:
        return example_source(text)
    model = st_local() if local else embedded()
    token_ids = [*model.start(model.tokenizer.encode(text)), *added]
    reading.read(model, token_ids)
    return _source(st_next(model, tuple(token_ids)), model.tokenizer, token_ids, len(added))


def told_source(told: NextToken) -> Source:
    """What a server tells of all tokens: logits as well as another model's."""
    tokens = told.tokens
    reads = {"tokens": [], "count": " · ".join(filter(None, [told.source_line, told.note]))}
    return Source(st_told(told), reads, lambda index: tokens[index].shown, lambda index: tokens[index].raw)


def example_source(prompt: str) -> Source:
    """What follows one of the bundled prompts. `InputError` if it is none."""
    tokenizer = load_tokenizer()
    return _source(st_example(prompt), tokenizer, tokenizer.encode(prompt), 0)


def shape_prompts() -> list[str]:
    """The bundled prompts whose distributions are peaked and flat."""
    return [text for text, example in st_examples().items() if example.name in ("peaked", "flat")]


def _source(logits: Logits, tokenizer: Tokenizer, token_ids: list[int], added: int) -> Source:
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


@st.cache_resource(
    show_spinner="Opening the local model; the first time it is converted, which takes a minute"
)
def st_local() -> EmbeddedModel:
    """The model that the operator named.

    Errors: `InputError` where it is none that can be computed here.
    """
    path = local_path(servers.settings())
    if path is None:
        raise InputError("No local model is named here: the operator sets LOOPSCOPE_MODEL.")
    return open_local(path, lambda *_: None)


@st.cache_resource(
    max_entries=16, show_spinner="Reading the prompt", hash_funcs={EmbeddedModel: lambda model: model.name}
)  # some 2.5 MB each
def st_next(model: EmbeddedModel, token_ids: tuple[int, ...]) -> Logits:
    """The logits of the token after `token_ids`."""
    return _sorted(model.next_logits(token_ids))


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs={NextToken: id})
def st_told(told: NextToken) -> Logits:
    """The logits that a server told."""
    return _sorted(told.logprobs)


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


def offer_install(until: str) -> None:
    """Say that the embedded model is missing and what that means here, and install it when asked to."""
    with st.container(border=True):
        st.write(f"The embedded model is not installed. Until it is, {until}")
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
