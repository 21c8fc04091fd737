"""Reading and writing the address: each value under its own name, what is as at first left out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.errors import InputError
from core.sampling import SamplerSettings
from pages.common.page import SCREEN, opened

NAMES = "names in the address"  # session: screen -> those that it has written
CAME = "names that came"  # session: those in the address with which the screen in view was opened
FIELDS = "fields in the address"  # session: name -> value
WRITTEN = "address as last written"  # session: name -> text, or None while it is being sent


def enter(screen: str) -> None:
    """Keep the address of a screen free of what another one has written; before the screen is shown.

    The last writing of a screen can reach the browser after the reader has left it. Then the browser puts it
    into the address of the next screen, and sends it with the next press. So a browser that comes from
    another screen is told its address, also if nothing in it changes.
    """
    if st.session_state.get(SCREEN) != screen:
        st.session_state[CAME] = set(st.query_params)
        if SCREEN in st.session_state:
            st.query_params.update()
    _take_out_foreign(screen)


def write(wanted: Mapping[str, str]) -> None:
    """Put values into the address, where it does not hold them already; an empty one is taken out.

    A fast press is sent before the last writing has reached the browser, which then tells of an address that
    it is about to change: so what was written last counts as well. A press can also end a writing in the
    middle, when nobody can tell what the browser will have: then it is told again.
    """
    screen = st.session_state.get(SCREEN, "")
    st.session_state.setdefault(NAMES, {}).setdefault(screen, set()).update(wanted)
    _take_out_foreign(screen)
    written = {} if opened() else st.session_state.get(WRITTEN, {})
    there = st.query_params.to_dict()
    late = {name for name, text in written.items() if name in wanted and text != wanted[name]}
    changed = [name for name, text in wanted.items() if name in late or there.get(name) != (text or None)]
    st.session_state[WRITTEN] = {**written, **dict.fromkeys(changed)}
    if new := {name: wanted[name] for name in changed if wanted[name]}:
        st.query_params.update(new)  # at once, in the order of the names
    for name in changed:
        if not wanted[name]:
            if name not in there:
                st.query_params[name] = written[name] or "-"
            del st.query_params[name]
    st.session_state[WRITTEN] = {**written, **wanted}


def _take_out_foreign(screen: str) -> None:
    """What others have written and this screen has not, unless a link to it says so."""
    names: Mapping[str, set[str]] = st.session_state.get(NAMES, {})
    foreign = set().union(*names.values()) - names.get(screen, set()) - st.session_state.get(CAME, set())
    for name in foreign & st.query_params.keys():
        del st.query_params[name]


def field(name: str, first: str | None, empty: str = "", options: Sequence[str] = ()) -> str:
    """The key of a widget whose value stands in the address, under the same name.

    It is read when the screen is opened; where the address names none, it is as this session left it. `first`
    is its first value, and is not written. An address has no place for an empty one: it says `empty`. Of
    `options`, if there are any, it is one.
    """
    kept: dict[str, str | None] = st.session_state.setdefault(FIELDS, {})
    if opened() or name not in st.session_state:
        asked = st.query_params.get(name)
        known = asked is not None and (not options or asked in options)
        st.session_state[name] = asked if known else kept.get(name, first)
    value = kept[name] = st.session_state[name]
    write({name: "" if value == first else value or empty})
    return name


def whole(text: str) -> int | None:
    """The whole number, of at most nine digits, that a student may have typed; `None` if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def dials_from(
    asked: Mapping[str, str],
    names: Mapping[str, str],
    highest: Mapping[str, float],
    settings: SamplerSettings,
) -> SamplerSettings:
    """`settings` with what an address says of them, up to the ends of the dials; nonsense is left out.

    `names`: the setting of each name in the address.
    """
    for name, setting in names.items():
        try:
            value = type(getattr(settings, setting))(asked.get(name, ""))
            settings = replace(settings, **{setting: min(value, highest[setting])})
        except (ValueError, InputError):
            continue
    return settings
