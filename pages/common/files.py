"""Runs as files: opened from any screen, and saved."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.errors import InputError
from core.figures.file_view import choice, origin, saved_as
from core.trace import Trace
from core.traces import NAMES, dump, load_all
from core.traces.examples import FILES, example
from pages.common import run as running
from pages.common.components import declare
from pages.common.counting import why_uncounted

UPLOADS = (
    "files opened"  # session: their number; a new one gives the uploader a new key, and lets the file go
)
PROBLEM = "problem of a file"  # session: why it was not opened
RUNS = "runs of a file"  # session: those to choose from
EXAMPLE = "example file"  # session: the menu
SCREEN = "pages/react.py"
SAVING = ("ReAct", "Context budget")
"""The titles of the screens on which the run in view can be saved."""

SHOWING = (*SAVING, "Messages")
"""Those of the screens that show it."""

DROP = declare("drop")
ABOUT = f"{', '.join(NAMES)}. At most 10 MB. Nothing leaves this server."
# One button in place of a field for drops: a file may be dropped anywhere.
STYLE = """<style>
[data-testid="stSidebar"] {
  [data-testid="stFileUploaderDropzone"] { padding: 0; border: none; background: none; min-height: 0; }
  [data-testid="stFileUploaderDropzoneInstructions"] { display: none; }
  [data-testid="stFileUploaderDropzone"] :is(span:has(> button), button) { width: 100%; }
}
</style>"""


def controls(title: str) -> None:
    """Let the reader open a file of runs, in the sidebar of every screen, and save the run in view.

    A file may be dropped anywhere. A run is shown on the screen with this title, if it shows runs, or else on
    that of the loop. A file that holds none leads to a sentence above the screen.
    """
    runs = st.session_state.get(RUNS, ())
    if len(runs) == 1:
        del st.session_state[RUNS]
        running.add(running.Loaded(runs[0]))
        if title not in SHOWING:
            st.switch_page(SCREEN)
    with st.sidebar, st.container(gap="xsmall"):
        st.html(STYLE)
        DROP(key="drop", data={"most": most_bytes()}, on_refused_change=_refused)
        key = f"file {st.session_state.setdefault(UPLOADS, 0)}"
        st.file_uploader("Open a run", key=key, help=ABOUT, on_change=_uploaded, args=(key,))
        st.menu_button("Examples of files", FILES, width="stretch", key=EXAMPLE, on_click=_example_chosen)
        if title in SAVING:
            _save()
    if problem := st.session_state.pop(PROBLEM, ""):
        st.warning(running.plain(problem))
    if len(runs) > 1:
        _choose(runs)


def about(trace: Trace) -> tuple[str, str]:
    """Where a run comes from, in a line, and what its file does not tell, both as Markdown."""
    line, sentences = origin(trace)
    uncounted = why_uncounted(running.current()) if trace.origin else ""
    sentences = (*sentences, *([uncounted] if uncounted else []))
    return running.plain(line), "\n".join(f"- {running.plain(sentence)}" for sentence in sentences)


def most_bytes() -> int:
    """The size of the largest file that the uploader takes."""
    return st.get_option("server.maxUploadSize") * 2**20


def _refused() -> None:
    """Say where everybody sees it that a dropped file is too large; it never left the browser."""
    match st.session_state["drop"]["refused"]:
        case {"name": str() as name, "size": int() | float() as size}:
            most = most_bytes() / 2**20
            st.session_state[PROBLEM] = (
                f"{name} has {size / 2**20:,.1f} MB; a file may have at most {most:,.0f} MB. "
                "Export fewer runs, or a shorter one."
            )


def _save() -> None:
    popover = st.popover("Save the run", width="stretch", key="save the run", on_change="rerun")
    if not popover.open:
        return
    trace = running.current().trace
    with popover:
        for way in saved_as(trace):
            button, note = st.columns([2, 5], vertical_alignment="center")
            button.download_button(
                way.name,
                partial(dump, trace, way.format),  # made when the button is pressed
                file_name=way.file,
                mime=way.mime,
                on_click="ignore",
                width="stretch",
            )
            note.caption(way.note)


def _example_chosen() -> None:
    name = st.session_state[EXAMPLE]
    st.session_state[RUNS] = _read(example(name), name)


def _uploaded(key: str) -> None:
    file = st.session_state[key]
    if file is not None:
        st.session_state[UPLOADS] += 1
        st.session_state[RUNS] = _read(file.getvalue(), file.name)


def _read(data: bytes, name: str) -> Sequence[Trace]:
    try:
        return load_all(data, name)
    except InputError as error:
        st.session_state[PROBLEM] = str(error)
        return ()


@st.dialog("Which run?", on_dismiss=lambda: st.session_state.pop(RUNS, None))
def _choose(runs: Sequence[Trace]) -> None:
    """Ask which of several runs to open."""
    st.caption(f"The file holds {len(runs)} runs.")
    names = [choice(number, trace) for number, trace in enumerate(runs, start=1)]
    index = st.selectbox("Run", range(len(runs)), key="run of a file", format_func=names.__getitem__)
    if st.button("Open", type="primary"):
        st.session_state[RUNS] = (runs[index],)
        st.rerun()
