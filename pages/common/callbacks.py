"""Callbacks run to their end.

Whenever the session is read or written, Streamlit looks whether the next press is there, also in a callback,
and ends it in the middle if one is. It is not called again, so its own press would count half or
not at all. Here Streamlit looks after the callbacks, before the script: it does so anyway.
"""

import functools
from collections.abc import Callable
from typing import Any

from streamlit.runtime.state import SafeSessionState

LOOKS = "_yield_callback"  # how a session looks for the next press


def run_to_their_end() -> None:
    """Have callbacks do so, in all sessions of this server."""
    calls = SafeSessionState.on_script_will_rerun
    if not hasattr(calls, "__wrapped__"):
        SafeSessionState.on_script_will_rerun = _undisturbed(calls)  # type: ignore[method-assign]


def _undisturbed(calls: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(calls)
    def call(session: SafeSessionState, *states: Any, **options: Any) -> None:
        look = getattr(session, LOOKS)
        object.__setattr__(session, LOOKS, lambda: None)  # its own setattr would write into the session
        try:
            calls(session, *states, **options)
        finally:
            object.__setattr__(session, LOOKS, look)

    return call
