"""Callbacks run to their end, and in the order of their presses.

Whenever the session is read or written, Streamlit looks whether the next press is there, also in a callback,
and ends it in the middle if one is. It is not called again, so its own press would count half or not at all.
And every press has a thread of its own, which may come to its callback after that of a later press: what is
in view would then be what was set before. Here the callbacks of a session wait for each other, one that comes
too late is left out, and Streamlit looks for the next press after them, before the script: it does so anyway.
"""

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from streamlit.runtime.state import SafeSessionState

LOOKS = "_yield_callback"  # how a session looks for the next press
TURN = "_turn"  # of a press: whose it is, and its number


@dataclass
class Turn:
    """Whose callbacks may run in a session: one at a time, and none before the `latest` that had its turn."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    presses: int = 0
    latest: int = 0


TURNS: WeakValueDictionary[int, Turn] = WeakValueDictionary()  # by the session; the presses under way hold it


def run_to_their_end() -> None:
    """Have callbacks do so, in all sessions of this server."""
    if not hasattr(SafeSessionState.on_script_will_rerun, "__wrapped__"):
        begins, calls = SafeSessionState.__init__, SafeSessionState.on_script_will_rerun
        SafeSessionState.__init__ = _numbered(begins)  # type: ignore[method-assign]
        SafeSessionState.on_script_will_rerun = _in_turn(calls)  # type: ignore[method-assign]


def _numbered(begins: Callable[..., None]) -> Callable[..., None]:
    """Streamlit makes a guard of the session for every press, in their order."""

    @functools.wraps(begins)
    def begin(session: SafeSessionState, *given: Any, **options: Any) -> None:
        begins(session, *given, **options)
        turn = TURNS.setdefault(id(session._state), Turn())
        turn.presses += 1
        vars(session)[TURN] = turn, turn.presses  # its own setattr would write into the session

    return begin


def _in_turn(calls: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(calls)
    def call(session: SafeSessionState, *states: Any, **options: Any) -> None:
        look = getattr(session, LOOKS)
        turn, number = vars(session).get(TURN, (Turn(), 0))
        with turn.lock:
            if number < turn.latest:
                look()  # there is a later press, so this ends the thread
                return
            turn.latest = number
            vars(session)[LOOKS] = lambda: None
            try:
                calls(session, *states, **options)
            finally:
                vars(session)[LOOKS] = look

    return call
