"""Live runs, kept by the server for a while: a reload of the page, or the link sent on, finds them again.

Whoever has the link can see the run, and nobody can guess it. How many are kept, and how long, is bounded:
the one that nobody has looked at for the longest time goes first.
"""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

import streamlit as st

from core.scenarios.live import Begun

MOST = 64
"""Runs. A long one, with the alternatives of each token, takes about a megabyte."""

SECONDS = 2 * 60 * 60
"""Since somebody last looked at it."""


class Shelf:
    """Runs by an id that is made here. Safe to share between threads."""

    def __init__(
        self, most: int = MOST, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._runs: OrderedDict[str, tuple[Begun, float]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, run: Begun) -> str:
        """Keep a run, and return its id."""
        id_ = secrets.token_hex(6)
        with self._lock:
            self._runs[id_] = (run, self._clock())
            self._clear()
        return id_

    def get(self, id_: str) -> Begun | None:
        """The run, if it is still here; it is looked at with that."""
        with self._lock:
            self._clear()
            if id_ not in self._runs:
                return None
            run, _ = self._runs.pop(id_)
            self._runs[id_] = (run, self._clock())
            return run

    def _clear(self) -> None:
        oldest = self._clock() - self._seconds
        while self._runs and (len(self._runs) > self._most or next(iter(self._runs.values()))[1] < oldest):
            self._runs.popitem(last=False)


@st.cache_resource
def st_shelf() -> Shelf:
    """The shelf of this server."""
    return Shelf()
