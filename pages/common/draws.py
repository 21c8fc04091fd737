"""What is set and what was done on the sampling screen: one value in the session, and in the address."""

import secrets
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import InputError
from core.figures.dials import HIGHEST
from core.figures.dials import NAMES as DIAL_NAMES
from core.lm import load_tokenizer
from core.sampling import SamplerSettings
from core.sampling.pasted import Kind
from core.teaching.lecture import NUMBERS
from pages.common import address
from pages.common.address import whole
from pages.common.page import opened

KEY = "state of the sampling screen"
OWN: dict[str, Kind] = {"own-probabilities": "probabilities", "own-logits": "logits"}
WAYS = ("draw", "greedy", "hand")
DIALS = {**DIAL_NAMES, "engine": "engine", "order": "order"}
NAMES = {*DIALS, "source", "numbers", "added", "draws", "by", "u", "many", "seed"}


@dataclass(frozen=True)
class Draws:
    """`source`: which model is asked: a slug of `servers.offered`, "local", or empty for the embedded one.
    `numbers`: what stands in for a prompt: a slug of the lecture's numbers or of `OWN`; or empty.

    `added`: the tokens appended so far. `count`: the draws made under the seed. `by`: how the token in view
    was picked, one of `WAYS`; empty if none is. `u`: the number that was set by hand. `many`: whether the
    tally of many draws is in view. `revision` changes when the dials are set from here: the browser, which
    holds them otherwise, then takes over `settings`.
    """

    settings: SamplerSettings
    revision: str
    seed: int = 0
    source: str = ""
    numbers: str = ""
    added: tuple[int, ...] = ()
    count: int = 0
    by: str = ""
    u: float = 0.0
    many: bool = False


def on_opening() -> Draws:
    """The state of this session; where the screen was opened by a link, what its address says."""
    if KEY not in st.session_state or (opened() and NAMES & set(st.query_params)):
        st.session_state[KEY] = _from_address()
    return st.session_state[KEY]


def current() -> Draws:
    """The state of this session."""
    return st.session_state[KEY]


def change(**changes: object) -> None:
    """Change the state in part."""
    st.session_state[KEY] = replace(current(), **changes)


def draw_again(times: int = 1) -> None:
    """Make the next draw, or several, of which the last is shown."""
    if times:
        change(count=current().count + times, by="draw")


def append(token_id: int) -> None:
    """Append a token."""
    change(added=(*current().added, token_id), by="")


def undo() -> None:
    """Take back the last token that was appended."""
    change(added=current().added[:-1], by="")


def start_anew(numbers: str = "", **changes: object) -> None:
    """Forget what was drawn."""
    change(numbers=numbers, added=(), count=0, by="", **changes)


def set_dials(reported: dict[str, object]) -> None:
    """Take over what the browser reports; what is no setting is left out."""
    dials = {name: reported[name] for name in DIALS.values() if name in reported}
    change(settings=_with(current().settings, dials))


def set_u(reported: object) -> None:
    """Take over the u that the browser reports; what is none is left out."""
    match reported:
        case {"value": int() | float() as u} if 0 <= u < 1:
            change(by="hand", u=float(u))


def write_address() -> None:
    """Put the state into the address."""
    draws, first = current(), SamplerSettings()
    wanted = {
        "source": draws.source,
        "numbers": draws.numbers,
        "added": ".".join(map(str, draws.added)),
        "draws": str(draws.count or ""),
        "by": draws.by,
        "many": "1" if draws.many else "",
        "u": str(draws.u) if draws.by == "hand" else "",
        "seed": str(draws.seed or ""),
    }
    for name, field in DIALS.items():
        value = getattr(draws.settings, field)
        wanted[name] = "" if value == getattr(first, field) else _text(value)
    address.write(wanted)


def _from_address() -> Draws:
    """What fits of the address; a student may have typed it."""
    asked = st.query_params
    added = [whole(part) for part in asked.get("added", "").split(".")]
    settings = SamplerSettings()
    for name, field in DIALS.items():
        if name in asked:
            value = _number(asked[name], getattr(settings, field))
            if field in HIGHEST and isinstance(value, int | float):
                value = min(value, HIGHEST[field])
            settings = _with(settings, {field: value})
    by, u = asked.get("by", ""), _number(asked.get("u", ""), 0.0)
    if by not in WAYS or (by == "hand" and not (isinstance(u, float) and 0 <= u < 1)):
        by = ""
    return Draws(
        settings=settings,
        revision=secrets.token_hex(4),
        seed=whole(asked.get("seed", "")) or 0,
        source=asked.get("source", ""),
        numbers=asked.get("numbers", "") if asked.get("numbers") in {*NUMBERS, *OWN} else "",
        added=tuple(id_ for id_ in added if id_ is not None and id_ < load_tokenizer().vocab_size),
        count=whole(asked.get("draws", "")) or 0,
        by=by,
        many=asked.get("many") == "1",
        u=u if by == "hand" else 0.0,
    )


def _with(settings: SamplerSettings, dials: dict[str, object]) -> SamplerSettings:
    """The settings with these dials; as they were, if that would be none."""
    try:
        return replace(settings, **dials)
    except InputError:
        return settings


def _number(text: str, like: object) -> object:
    """The text as a value like the given one; something else where it is none, for the settings to refuse."""
    if isinstance(like, tuple):
        return tuple(text.split("."))
    if isinstance(like, int):
        return whole(text)
    try:
        return float(text) if isinstance(like, float) and text.isascii() and "_" not in text else text
    except ValueError:
        return text


def _text(value: object) -> str:
    """A dial's value for the address; `_number` reads it."""
    if isinstance(value, tuple):
        return ".".join(value)
    return str(value).removesuffix(".0")
