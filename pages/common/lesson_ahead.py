"""The answers of lessons, computed ahead, while the question is read, and once for all sessions."""

import threading
from concurrent.futures import Future, wait

import streamlit as st

from core.teaching.lessons import LESSONS, Answer

AT_ONCE = 2  # answers: they share the model with what the screens show
PATIENCE = 0.3  # seconds that a screen waits for an answer before it says that it is being computed


class Ahead:
    """Answers by lesson and step, each computed in a thread that a server does not wait for at its end."""

    def __init__(self) -> None:
        self._begun: dict[tuple[int, int], Future[Answer]] = {}
        self._beginning = threading.Lock()
        self._room = threading.BoundedSemaphore(AT_ONCE)

    def begin(self, lesson: int, at: int) -> Future[Answer]:
        """The answer of a step, both from 1, as it comes. One that could not be computed is tried again."""
        with self._beginning:
            begun = self._begun.get((lesson, at))
            if begun is None or (begun.done() and begun.exception()):
                begun = self._begun[lesson, at] = Future()
                threading.Thread(target=self._compute, args=(lesson, at, begun), daemon=True).start()
            return begun

    def _compute(self, lesson: int, at: int, begun: Future[Answer]) -> None:
        with self._room:
            try:
                begun.set_result(LESSONS[lesson - 1].steps[at - 1].answer())
            except Exception as error:  # whoever asks for the answer is told
                begun.set_exception(error)


@st.cache_resource(show_spinner=False)
def st_ahead() -> Ahead:
    """The answers of this server."""
    return Ahead()


def answer_of(lesson: int, at: int) -> Answer | None:
    """The answer of a step; `None` while it is being computed. `InputError` where it cannot be."""
    begun = st_ahead().begin(lesson, at)
    wait([begun], PATIENCE)
    return begun.result() if begun.done() else None


@st.fragment(run_every=0.5)
def come_back(lesson: int, at: int) -> None:
    """Run the page again once the answer is there."""
    if st_ahead().begin(lesson, at).done():
        st.rerun()
