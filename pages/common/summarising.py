"""A model that writes the summaries of a compaction: which one, what it has written, and how far it is."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import streamlit as st

from core.context.summary import LEAD, Summaries, Summary, summarise
from core.context.supposed import Compaction
from core.errors import InputError
from core.lm.available import ModelChoice, Offered
from core.lm.servers import read_servers
from core.scenarios.live import Request, model_of
from pages.common import live, work
from pages.common.page import opened
from pages.common.servers import LOOK, settings

WRITING = "writes summaries"  # session: the writer that does, if one is asked to
CHANGED = "summaries changed"  # session: whether the picture is to be drawn anew
TIMES = "summaries changed so often"  # session: a number, which is another one whenever a summary is
EDITED = "edited summaries"  # session: (writer, what gave way) -> summary
PROBLEM = "problem of a summary"  # session: the writer that had it, and a sentence
CHOSEN = "summary in view"  # session: the place of a compaction
COMING = "summary that comes"  # session: what has come of it, as it is shown
TOLD = "summary as far as it has come"  # session: the same, and `None` before anything has
WORK = "summary"
HEIGHT = 170  # pixels
POLL = 0.2  # seconds between two pieces of the writing
MOST = 256  # summaries that a server keeps
NOT_HERE = "That model is not here: choose another writer."


def offered() -> Offered:
    """The models that can be asked."""
    try:
        servers = read_servers(settings())
    except InputError as error:
        return Offered(failures=(str(error),))
    return live.st_available(servers, look=LOOK in st.session_state)


def can_look() -> bool:
    """Whether nobody has looked for an Ollama yet, and none is configured."""
    with suppress(InputError):
        return live.can_look(read_servers(settings()))
    return False


def slug(choice: ModelChoice) -> str:
    """A model as the address names it."""
    return f"{choice.kind}:{choice.name}" if choice.kind != "embedded" else choice.kind


def summaries(writer: str) -> Summaries | None:
    """The summaries of a writer; none where nobody is asked for them."""
    if not writer:
        return None
    edited, known = _edited(), st_known()
    return lambda gave_way: edited.get((writer, gave_way)) or known.get((writer, gave_way))


def version() -> int:
    """A number that is another one whenever this session's summaries are."""
    return st.session_state.get(TIMES, 0)


@st.cache_resource
def st_known() -> dict[tuple[str, str], Summary]:
    """What models have written, by writer and what gave way: once for all sessions."""
    return {}


def show(writer: str, compactions: Sequence[Compaction]) -> None:
    """Show what a model has written for a run, and let it write what is missing."""
    if opened():
        _leave()
    going = st.session_state.get(WRITING) == writer
    st.session_state[CHANGED] = False
    with work.whole_page():
        st.fragment(_shown, run_every=POLL if going else None)(writer, tuple(compactions))


def _shown(writer: str, compactions: tuple[Compaction, ...]) -> None:
    if st.session_state.pop(CHANGED, False):
        st.rerun()
    whose, problem = st.session_state.get(PROBLEM, ("", ""))
    if whose == writer:
        st.warning(problem)
    missing = [one for one in compactions if not one.summary.by]
    if not compactions:
        st.caption("No call is compacted: choose a smaller window.")
    elif st.session_state.get(WRITING) != writer:
        if missing:
            st.button(
                "Write it" if len(compactions) == 1 else f"Write the {len(missing)} that are missing",
                type="primary",
                on_click=_begin,
                args=(writer,),
            )
        _edit(writer, compactions)
    elif not missing:
        _leave()
        st.rerun()
    else:
        there = len(compactions) - len(missing)
        st.progress(
            there / len(compactions),
            f"Compaction {there + 1} of {len(compactions)}, before call {missing[0].call}",
        )
        st.button("Stop", on_click=_stop, args=(writer, missing[0].gave_way))
        # In an area, as the text that is done: the popover keeps its width.
        st.session_state[TOLD] = work.last_told(WORK)
        st.session_state[COMING] = st.session_state[TOLD] or "Reading what gives way …"
        st.text_area("It writes", key=COMING, height=HEIGHT, disabled=True)
        if not st.session_state.get(work.WHOLE):
            _go_on(writer, missing[0].gave_way)


def _edit(writer: str, compactions: Sequence[Compaction]) -> None:
    """Show the summaries that are there, to be written otherwise."""
    there = [one for one in compactions if one.summary.by]
    if not there:
        return
    place = 0
    if len(there) > 1:
        if st.session_state.get(CHOSEN, 0) not in range(len(there)):
            st.session_state[CHOSEN] = 0
        place = st.selectbox(
            "Compaction",
            range(len(there)),
            key=CHOSEN,
            format_func=lambda place: f"before call {there[place].call}",
        )
    one = there[place]
    # Another one for another summary: so its text is the field's first value, which cannot miss the browser.
    key = f"summary {hash((writer, one.gave_way))} {version()}"
    st.text_area(
        f"By {one.summary.by}, before call {one.call}",
        one.summary.text,
        key=key,
        height=HEIGHT,
        on_change=_change,
        args=(writer, one.gave_way, key),
    )


def _begin(writer: str) -> None:
    st.session_state.pop(PROBLEM, None)
    st.session_state.update({WRITING: writer, CHANGED: True})


def _stop(writer: str, gave_way: str) -> None:
    """Stop the model; what has come of its summary stands, to be written on by hand."""
    told = str(st.session_state.get(TOLD) or "").strip()
    if told:
        name = next((choice.name for choice in offered().choices if slug(choice) == writer), writer)
        _edited()[writer, gave_way] = Summary(text=f"{LEAD}{told}", by=f"{name}, stopped")
        _note_change()
    _leave()


def _leave() -> None:
    """Have the model write no more."""
    work.forget(WORK)
    st.session_state.pop(WRITING, None)
    st.session_state[CHANGED] = True


def _change(writer: str, gave_way: str, key: str) -> None:
    """Take what the reader has written over; where nothing is left, the model's own stands again."""
    edited, text = _edited(), st.session_state[key].strip()
    own = st_known().get((writer, gave_way))
    before = edited.pop((writer, gave_way), None) or own
    if text and (own is None or text != own.text):
        author = before.by.partition(",")[0] if before else writer
        edited[writer, gave_way] = Summary(text=text, by=f"{author}, edited")
    _note_change()


def _edited() -> dict[tuple[str, str], Summary]:
    edited: dict[tuple[str, str], Summary] = st.session_state.setdefault(EDITED, {})
    return edited


def _note_change() -> None:
    st.session_state[TIMES] = version() + 1
    st.session_state[CHANGED] = True


def _go_on(writer: str, gave_way: str) -> None:
    """Have a piece more of a summary written. Ends this run, where it is there or cannot be."""
    try:
        if work.go_on(WORK, (writer, gave_way), lambda: _writing(writer, gave_way)) is not None:
            return
        _note_change()
    except InputError as error:
        _leave()
        st.session_state[PROBLEM] = writer, str(error)
    st.rerun()


def _writing(writer: str, gave_way: str) -> Iterator[str]:
    """Have the summary written, telling what has come of it."""
    kind, _, name = writer.partition(":")
    if not any(slug(choice) == writer for choice in offered().choices):
        raise InputError(NOT_HERE)
    calls = "free" if kind == "embedded" else "text"
    request = Request.model_validate({"question": "", "kind": kind, "model": name, "calls": calls})
    model, _ = model_of(request, read_servers(settings()))
    summary = yield from summarise(model, gave_way)
    known = st_known()
    if len(known) >= MOST:
        known.clear()
    known[writer, gave_way] = summary
