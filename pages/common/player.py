"""The state of a screen that plays: one frozen value in the session, and what was computed ahead of it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, Protocol, Self, TypeVar

import streamlit as st


class Playable(Protocol):
    """A frozen dataclass. `ahead`: the state as it goes on, computed while it plays and not shown yet.

    `chosen`: the part of the text in view; `None` for the newest.
    """

    __dataclass_fields__: dict[str, Any]

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""

    @property
    def ahead(self) -> Self | None:
        """See above."""


State = TypeVar("State", bound=Playable)


class Player(Generic[State]):
    """What a screen does with its state, which lies in the session under `key`.

    `advanced`, of two methods: the state with one piece of text more; `None` where all is over.
    """

    def __init__(self, key: str) -> None:
        self._key = key

    def current(self) -> State:
        """The state of this session."""
        return st.session_state[self._key]

    def change(self, **changes: object) -> None:
        """Change the state in part. What was computed ahead of it no longer counts."""
        st.session_state[self._key] = replace(self.current(), ahead=None, **changes)

    def play_or_pause(self) -> None:
        """Begin to play, or stop."""
        self.change(playing=not self.current().playing, chosen=None)

    def catch_up(self) -> State:
        """The state to show: while it plays, with what was computed ahead."""
        state = self.current()
        if state.playing and state.ahead:
            st.session_state[self._key] = state = state.ahead
        return state

    def advance(self, advanced: Callable[[State], State | None]) -> bool:
        """Add one piece of text; whether there was one."""
        further = advanced(self.current())
        if further:
            st.session_state[self._key] = further
        return further is not None

    def tick(self, advanced: Callable[[State], State | None], most: int) -> bool:
        """Compute up to `most` pieces of what plays, to be shown by the next run; whether it goes on."""
        state, count = self.current(), 0
        while count < most and (further := advanced(state)):
            state, count = further, count + 1
        if not count:
            self.change(playing=False)
            return False
        st.session_state[self._key] = replace(self.current(), ahead=state)
        return True
