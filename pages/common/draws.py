"""What is set and what was done on the sampling screen: one value in the session, and in the address."""

import secrets
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import InputError
from core.lm import load_tokenizer
from core.sampling import SamplerSettings
from core.teaching.lecture import NUMBERS

KEY = "state of the sampling screen"
WAYS = ("draw", "greedy")
DIALS = {"T": "temperature", "top_k": "top_k", "top_p": "top_p", "min_p": "min_p", "engine": "engine"}


@dataclass(frozen=True)
class Draws:
    """`numbers`: the slug of the lecture's numbers that stand in for a prompt, or empty.

    `added`: the tokens appended so far. `count`: the draws made under the seed. `by`: how the token in view
    was picked, one of `WAYS`; empty if none is. `revision` changes when the dials are set from here: the
    browser, which holds them otherwise, then takes over `settings`.
    """

    settings: SamplerSettings
    revision: str
    seed: int = 0
    numbers: str = ""
    added: tuple[int, ...] = ()
    count: int = 0
    by: str = ""


def current() -> Draws:
    """The state of this session; the first time, what the address says."""
    if KEY not in st.session_state:
        st.session_state[KEY] = _from_address()
    return st.session_state[KEY]


def change(**changes: object) -> None:
    """Change the state in part."""
    st.session_state[KEY] = replace(current(), **changes)


def start_anew(numbers: str = "") -> None:
    """Forget what was drawn."""
    change(numbers=numbers, added=(), count=0, by="")


def set_dials(reported: dict[str, object]) -> None:
    """Take over what the browser reports; what is no setting is left out."""
    dials = {name: reported[name] for name in DIALS.values() if name in reported}
    change(settings=_with(current().settings, dials))


def write_address() -> None:
    """Put the state into the address, each value under its own name, what is as at first left out."""
    draws, first = current(), SamplerSettings()
    wanted = {
        "numbers": draws.numbers,
        "added": ".".join(map(str, draws.added)),
        "draws": str(draws.count or ""),
        "by": draws.by,
        "seed": str(draws.seed or ""),
    }
    for name, field in DIALS.items():
        value = getattr(draws.settings, field)
        wanted[name] = f"{value:g}" if isinstance(value, float) else str(value)
        if value == getattr(first, field):
            wanted[name] = ""
    for name, text in wanted.items():
        if text:
            st.query_params[name] = text
        elif name in st.query_params:
            del st.query_params[name]


def _from_address() -> Draws:
    """What fits of the address; a student may have typed it."""
    asked = st.query_params
    added = [_whole(part) for part in asked.get("added", "").split(".")]
    settings = SamplerSettings()
    for name, field in DIALS.items():
        if name in asked:
            settings = _with(settings, {field: _number(asked[name], getattr(settings, field))})
    return Draws(
        settings=settings,
        revision=secrets.token_hex(4),
        seed=_whole(asked.get("seed", "")) or 0,
        numbers=asked.get("numbers", "") if asked.get("numbers") in NUMBERS else "",
        added=tuple(id_ for id_ in added if id_ is not None and id_ < load_tokenizer().vocab_size),
        count=_whole(asked.get("draws", "")) or 0,
        by=asked.get("by", "") if asked.get("by") in WAYS else "",
    )


def _with(settings: SamplerSettings, dials: dict[str, object]) -> SamplerSettings:
    """The settings with these dials; as they were, if that would be none."""
    try:
        return replace(settings, **dials)
    except InputError:
        return settings


def _number(text: str, like: object) -> object:
    """The text as a value like the given one; unchanged where it is none, for the settings to refuse."""
    try:
        return type(like)(text)
    except ValueError:
        return text


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None
