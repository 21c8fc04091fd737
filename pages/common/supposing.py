"""What the reader supposes about the run: widgets, kept in the session, and written to the address."""

from contextlib import suppress
from typing import Any

import streamlit as st

from core.context import Strategy, Supposition
from core.context.prefix_cache import Server
from core.context.supplies import Choice
from core.context.supposition import SUMMARY, window_of
from core.errors import InputError
from core.figures.budget_view import windows
from pages.common import address
from pages.common.page import opened

LAST = "supposition"  # session: the values of the widgets as last seen, for when this screen is opened again
FRESH = "supposition of nothing"  # session: the values of the widgets where nothing is supposed
SWITCHES = ("reorder", "thoughts", "skills")
NUMBERS = ("reserve", "threshold", "keep", "tools", "documents", "facts")
WHATS = ("window", "strategy", "clock", "summary", *NUMBERS, *SWITCHES)
COSTS = ("block", "minimum", "price", "again", "speed")
DEFAULTS: dict[str, Any] = {
    "strategy": Strategy.NONE,
    "reserve": 0,
    "threshold": 80,
    "keep": 4,
    "summary": SUMMARY,
    "clock": "none",
    "reorder": False,
    "thoughts": False,
    "documents": Choice().documents,
    "facts": Choice().facts,
    "skills": Choice().skills,
    "block": 1,
    "minimum": 0,
    "price": None,
    "again": None,
    "speed": None,
}
CLOCKS = {
    "none": "no clock",
    "head": "at the head of the system prompt",
    "end": "at the end of the last message",
}
ABOUT_WINDOW = "How many tokens one call can hold: choose, or type any number up to 1M."
ABOUT_NEXT = "The next way to make a context shorter."
LONGEST_SUMMARY = 2_000  # characters: it stands in the address
ABOUT_SUMMARY = "No model writes it: what you write here is sent in place of the older messages."
ABOUT_STRATEGY = "What happens to a context that outgrows the window. The messages stay those of the run."


def choose(own: int | None, tools: int, assembled: bool) -> tuple[Supposition, str]:
    """Draw the widgets and return what is supposed, with a sentence where it makes no sense.

    Of a run that is `assembled` it can be supposed what is added to its system prompt.
    """
    _restore(own, tools)
    offered = windows(own)
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
    ):
        options = list(dict.fromkeys([*map("{:,}".format, offered), st.session_state["window"] or ""]))
        st.selectbox(
            "Window",
            [option for option in options if option],
            key="window",
            accept_new_options=True,
            placeholder="window",
            help=ABOUT_WINDOW,
            label_visibility="collapsed",
            width=115,
        )
        st.selectbox(
            "If it is too long",
            list(Strategy),
            key="strategy",
            format_func=lambda strategy: strategy.value,
            help=ABOUT_STRATEGY,
            label_visibility="collapsed",
            width=205,
        )
        st.button("Next", shortcut="S", key="next strategy", on_click=_next_strategy, help=ABOUT_NEXT)
        with st.popover("What if"):
            _more(tools, assembled)
    values = {name: st.session_state[name] for name in WHATS}
    st.session_state[LAST] = st.session_state.get(LAST, {}) | values
    address.write(_written(values, own, tools))
    try:
        return _supposed(values, tools), ""
    except InputError as error:
        return Supposition(window=own), str(error)


def choose_server() -> Server:
    """Draw the widgets of the cache and return what it is like."""
    block, minimum, price, again, speed = st.columns(5)
    block.number_input("Block (tokens)", 1, 100_000, key="block")
    minimum.number_input("Minimum (tokens)", 0, 1_000_000, key="minimum")
    price.number_input("Price of a million tokens", 0.0, key="price", placeholder="not entered")
    again.number_input("… from the cache", 0.0, key="again", placeholder="not entered")
    speed.number_input("Tokens read in a second", 0.1, key="speed", placeholder="not entered")
    values = {name: st.session_state[name] for name in COSTS}
    st.session_state[LAST] = st.session_state.get(LAST, {}) | values
    address.write({name: "" if value == DEFAULTS[name] else f"{value:g}" for name, value in values.items()})
    return Server(
        block=values["block"],
        minimum=values["minimum"],
        price=values["price"],
        cached_price=values["again"],
        speed=values["speed"],
    )


def _next_strategy() -> None:
    strategies = list(Strategy)
    at = strategies.index(st.session_state["strategy"])
    st.session_state["strategy"] = strategies[(at + 1) % len(strategies)]


def _more(tools: int, assembled: bool) -> None:
    if assembled:
        st.slider("Documents that are retrieved", 0, 10, key="documents")
        st.slider("Facts from memory", 0, 4, key="facts")
        st.checkbox("Skills: one line each, in full on match", key="skills")
    st.number_input("Tokens kept free for the answer", 0, 1_000_000, step=64, key="reserve")
    st.slider("Compact or elide from (% of the window)", 1, 100, key="threshold")
    st.slider("Messages that a compaction keeps", 0, 20, key="keep")
    st.text_area("Its summary of the others", key="summary", max_chars=LONGEST_SUMMARY, help=ABOUT_SUMMARY)
    if tools:
        st.slider("Tools that are advertised", 0, tools, key="tools")
    st.selectbox("A clock", list(CLOCKS), key="clock", format_func=CLOCKS.__getitem__)
    st.checkbox("Tools in reverse order in every second call", key="reorder")
    st.checkbox("Thoughts are sent once, then left out", key="thoughts")


def _supposed(values: dict[str, Any], tools: int) -> Supposition:
    return Supposition.of(
        window=window_of(values["window"]) if values["window"] else None,
        strategy=values["strategy"],
        reserve=values["reserve"],
        threshold=values["threshold"],
        keep_last=values["keep"],
        summary=values["summary"] or "",
        tools=None if values["tools"] == tools else values["tools"],
        choice=Choice(documents=values["documents"], facts=values["facts"], skills=values["skills"]),
        clock=values["clock"],
        reorder_tools=values["reorder"],
        drop_thoughts=values["thoughts"],
    )


def _restore(own: int | None, tools: int) -> None:
    """Set the widgets: from the address, or as they were, when the screen is opened; else as they are."""
    fresh = DEFAULTS | {"window": f"{own:,}" if own else None, "tools": tools}
    before = st.session_state.get(FRESH, fresh)
    st.session_state[FRESH] = fresh
    if opened():
        asked = {name: value for name in (*WHATS, *COSTS) if (value := _asked(name, tools)) is not None}
        linked = any(name in st.query_params for name in WHATS)
        start = fresh | ({} if linked else st.session_state.get(LAST, {})) | asked
        for name in fresh:
            st.session_state[name] = start[name]
    for name, value in fresh.items():
        now = st.session_state.get(name, value)
        # What was not touched follows the run; and what is not drawn all the time would be forgotten.
        st.session_state[name] = value if now == before[name] else now
    st.session_state["tools"] = min(st.session_state["tools"], tools)


def _asked(name: str, tools: int) -> Any:
    """The value that the address gives for a widget; `None` where it gives none that makes sense."""
    text = st.query_params.get(name, "")
    if not text:
        return None
    if name == "window":
        try:
            return f"{window_of(text):,}"
        except InputError:
            return None
    if name in ("strategy", "clock"):
        known = {_short(strategy): strategy for strategy in Strategy} if name == "strategy" else CLOCKS
        return None if text not in known else known[text] if name == "strategy" else text
    if name == "summary":
        return text[:LONGEST_SUMMARY]
    if name in SWITCHES:
        return text == "yes" if text in ("yes", "no") else None
    if name in ("price", "again", "speed"):
        try:
            number = float(text)
        except ValueError:
            return None
        return number if 0 < number < 1e9 else None
    number = address.whole(text)
    low, high = {
        "reserve": (0, 1_000_000),
        "threshold": (1, 100),
        "keep": (0, 20),
        "tools": (0, tools),
        "documents": (0, 10),
        "facts": (0, 4),
        "block": (1, 100_000),
        "minimum": (0, 1_000_000),
    }[name]
    return number if number is not None and low <= number <= high else None


def _written(values: dict[str, Any], own: int | None, tools: int) -> dict[str, str]:
    """The texts of the address; what is as at first is left out."""
    defaults = DEFAULTS | {"window": f"{own:,}" if own else None, "tools": tools}
    texts = {name: str(value) for name, value in values.items()} | {
        "window": _tokens(values["window"]),
        "strategy": _short(values["strategy"]),
        **{name: "yes" if values[name] else "no" for name in SWITCHES},
    }
    return {name: "" if values[name] == defaults[name] else texts[name] for name in values}


def _tokens(window: str | None) -> str:
    """The window as a number; nothing, if it is none."""
    with suppress(InputError):
        return str(window_of(window or ""))
    return ""


def _short(strategy: Strategy) -> str:
    return strategy.name.lower()
