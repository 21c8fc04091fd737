"""What the reader supposes about the run: widgets, kept in the session, and written to the address."""

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.context import Strategy, Supposition
from core.context.prefix_cache import Server
from core.context.supplies import Choice
from core.context.supposition import window_of
from core.errors import InputError
from core.figures.budget_view import windows
from pages.common import address, live, summarising, supposing_link
from pages.common.page import opened
from pages.common.supposing_link import CLOCKS, COSTS, DEFAULTS, LONGEST_SUMMARY, SHORT_CLOCKS, WHATS

POPOVER = 296  # pixels
ABOUT_ALL = (
    "Context engineering: what goes into the context of each call and, in a finite budget, what is retrieved "
    "and what is compacted. It is a central problem of the design of agents: hence embeddings, retrieval and "
    "compaction."
)
ABOUT_SKILLS = "Index first, load on demand: a line of each, and the instructions once the question fits it."
ABOUT_CACHE = (
    "A prompt cache keeps on the GPU the keys and values (KV) of the tokens with which two calls begin. So "
    "what is static stands first, system prompt and tool schemas, and what varies comes after. A clock "
    "shows why:"
)
LAST = "supposition"  # session: the values of the widgets as last seen, for when this screen is opened again
FRESH = "supposition of nothing"  # session: the values of the widgets where nothing is supposed
NOTICE = "notice of a bad address"  # session: a sentence, and what was supposed when it was first told
BY_HAND = "you, by hand"
ABOUT_WINDOW = "How many tokens one call can hold: choose, or type any number up to 1M."
ABOUT_NEXT = "The next way to make a context shorter."
ABOUT_THRESHOLD = "Of the window, less what is kept free for the answer."
ABOUT_SUMMARY = "What you write here is sent in place of the older messages."
ABOUT_WRITER = (
    "A model reads what gives way at each compaction, an earlier summary included, and writes what stands "
    "for it. The other messages stay those of the run."
)
ABOUT_STRATEGY = "What happens to a context that outgrows the window. The messages stay those of the run."


@dataclass(frozen=True)
class Asked:
    """What is supposed, with a sentence where it makes no sense.

    `writer` is the model that writes the summaries, empty if none does, and `place` where it shows them.
    """

    supposition: Supposition
    notice: str
    writer: str
    place: DeltaGenerator | None


def choose(own: int | None, tools: int, assembled: bool) -> Asked:
    """Draw the widgets and return what is supposed.

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
            st.caption(ABOUT_ALL, width=POPOVER)
            place = _more(tools, assembled)
    values = {name: st.session_state[name] for name in WHATS}
    st.session_state[LAST] = st.session_state.get(LAST, {}) | values
    address.write(supposing_link.written(values, own, tools))
    writer = values["writer"] if place else ""
    try:
        return Asked(_supposed(values, tools), _notice(values), writer, place)
    except InputError as error:
        return Asked(Supposition(window=own), str(error), "", None)


def choose_server() -> Server:
    """Draw the widgets of the cache and return what it is like."""
    told, clock = st.columns([3, 2], vertical_alignment="center")
    told.caption(ABOUT_CACHE)
    st.session_state["clock of the cache"] = st.session_state["clock"]
    clock.segmented_control(
        "A clock",
        list(CLOCKS),
        key="clock of the cache",
        format_func=SHORT_CLOCKS.__getitem__,
        on_change=_set_clock,
        label_visibility="collapsed",
        required=True,
    )
    block, minimum, price, again, speed = st.columns(5)
    block.number_input("Block (tokens)", 1, 100_000, key="block")
    minimum.number_input("Minimum (tokens)", 0, 1_000_000, key="minimum")
    price.number_input("Price of a million tokens", 0.0, key="price", placeholder="not entered")
    again.number_input("… from the cache", 0.0, key="again", placeholder="not entered")
    speed.number_input("Tokens read in a second", 0.1, key="speed", placeholder="not entered")
    values = {name: st.session_state[name] for name in COSTS}
    st.session_state[LAST] = st.session_state.get(LAST, {}) | values
    address.write(supposing_link.written(values, None, 0))
    return Server(
        block=values["block"],
        minimum=values["minimum"],
        price=values["price"],
        cached_price=values["again"],
        speed=values["speed"],
    )


def _set_clock() -> None:
    st.session_state["clock"] = st.session_state["clock of the cache"]


def _next_strategy() -> None:
    strategies = list(Strategy)
    at = strategies.index(st.session_state["strategy"])
    st.session_state["strategy"] = strategies[(at + 1) % len(strategies)]


def _more(tools: int, assembled: bool) -> DeltaGenerator | None:
    """Draw what is not always in view, and return the place of a model's summaries, if it has one."""
    strategy, place = st.session_state["strategy"], None
    if strategy is Strategy.COMPACT:
        from_, keep = st.columns(2)
        from_.slider("Compact from (%)", 1, 100, key="threshold", help=ABOUT_THRESHOLD)
        keep.slider("Messages kept", 0, 20, key="keep")
        place = _summary()
    if strategy is Strategy.ELIDE:
        st.slider("Elide from (%)", 1, 100, key="threshold", help=ABOUT_THRESHOLD)
    if assembled:
        st.slider("Documents that are retrieved", 0, 10, key="documents")
        st.slider("Facts from memory", 0, 4, key="facts")
        st.checkbox(
            "Skills: one line each until one fits (off: all in full)", key="skills", help=ABOUT_SKILLS
        )
    st.number_input("Tokens kept free for the answer", 0, 1_000_000, step=64, key="reserve")
    if tools:
        st.slider("Tools that are advertised", 0, tools, key="tools")
    st.selectbox("A clock", list(CLOCKS), key="clock", format_func=CLOCKS.__getitem__)
    if tools > 1:
        st.checkbox("Tools in reverse order in every second call", key="reorder")
    st.checkbox("Thoughts are sent once, then left out", key="thoughts")
    return place


def _summary() -> DeltaGenerator | None:
    """Ask who writes the summary of a compaction: the reader, here, or a model."""
    models = summarising.offered()
    titles = {summarising.slug(model): live.title(model) for model in models.choices}
    if st.session_state["writer"] not in ("", *titles):
        st.session_state["writer"] = ""
        st.session_state[NOTICE] = summarising.NOT_HERE, None
    st.selectbox(
        "Its summary is written by",
        ["", *titles],
        key="writer",
        format_func=lambda writer: titles.get(writer, BY_HAND),
        help=ABOUT_WRITER,
    )
    place = st.container()
    for failure in models.failures:
        st.caption(failure)
    if summarising.can_look():
        st.button("Look for an Ollama", type="tertiary", on_click=live.look)
    if st.session_state["writer"]:
        return place
    place.text_area(
        "Summary", key="summary", max_chars=LONGEST_SUMMARY, help=ABOUT_SUMMARY, label_visibility="collapsed"
    )
    return None


def _notice(values: dict[str, Any]) -> str:
    """What was wrong with the address, until something else is supposed."""
    sentence, then = st.session_state.get(NOTICE, ("", None))
    if then is None:
        st.session_state[NOTICE] = sentence, values
    return sentence if then in (None, values) else ""


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
        asked = supposing_link.asked(tools)
        st.session_state[NOTICE] = supposing_link.notice(tools), None
        linked = any(name in st.query_params for name in WHATS)
        start = fresh | ({} if linked else st.session_state.get(LAST, {})) | asked
        for name in fresh:
            st.session_state[name] = start[name]
    for name, value in fresh.items():
        now = st.session_state.get(name, value)
        # What was not touched follows the run; and what is not drawn all the time would be forgotten.
        st.session_state[name] = value if now == before[name] else now
    st.session_state["tools"] = min(st.session_state["tools"], tools)
