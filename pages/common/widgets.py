"""Widgets that follow a page's state: the state leads, also where a picture or a link has changed it."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st

from core.errors import InputError
from pages.common.reading import UNREAD

GIVEN = "values given to widgets"  # session: key -> when, by a clock that only grows
SETTLING = 1.0
"""Seconds in which what a run sends can be replaced by the next run's before the browser has it."""


class Widgets:
    """The widgets of one page.

    Args:
        prefix: begins the key of each.
        parts: the keys of the fragments that show a change; all of a page without fragments reruns anyway.
    """

    def __init__(self, prefix: str, *parts: str) -> None:
        self._prefix = prefix
        self._parts = parts

    def key(self, name: str, value: object) -> str:
        """The key of a widget that shows `value`."""
        key = self._prefix + name
        given: dict[str, float] = st.session_state.setdefault(GIVEN, {})
        if st.session_state.get(key) != value:
            given[key] = time.monotonic()
        # Not for ever: a widget that is set at every run could not be used meanwhile.
        if key in given and time.monotonic() < given[key] + SETTLING:
            st.session_state[key] = value
        return key

    def value(self, name: str) -> Any:
        """What a widget was set to."""
        return st.session_state[self._prefix + name]

    def doing(self, change: Callable[..., object], *arguments: object) -> Callable[[], None]:
        """A callback that changes the state, if it can, and shows it in all parts."""

        def callback() -> None:
            with suppress(InputError):  # the page says what is wrong
                change(*arguments)
            if self._parts:
                unread = st.session_state.get(UNREAD)  # then the last run ended before it came to the parts
                st.rerun("app" if unread else list(self._parts))

        return callback

    def setting(self, name: str, take: Callable[[Any], object]) -> Callable[[], None]:
        """A callback that hands on what a widget was set to."""
        return self.doing(lambda: take(self.value(name)))

    def player(
        self,
        playing: bool,
        *,
        play: Callable[[], object],
        step: Callable[[], object],
        back: Callable[[], object],
        begin_again: Callable[[], object],
        about_step: str = "Or PageDown",
    ) -> None:
        """Show the buttons of what goes on step by step, each with its key."""
        st.button(
            "Pause" if playing else "Play",
            type="primary",
            shortcut="p",
            key=f"{self._prefix}play",
            on_click=self.doing(play),
            width=110,
        )
        st.button("Step", shortcut="s", on_click=self.doing(step), help=about_step)
        st.button("Back", shortcut="pageup", on_click=self.doing(back))
        st.button("Begin again", shortcut="b", on_click=self.doing(begin_again))
