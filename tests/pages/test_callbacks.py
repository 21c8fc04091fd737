"""A callback and the press after it, in Streamlit's own guard of a session."""

from types import SimpleNamespace

import pytest
from streamlit.runtime.state import SafeSessionState

from pages.common import callbacks


class Pressed(BaseException):
    """What Streamlit raises where the next press is there."""


class Session:
    """A session in which a press comes while the callback of the press before it runs."""

    def __init__(self) -> None:
        self.kept: dict[str, int] = {}
        self.pressed = False
        self.guard = SafeSessionState(SimpleNamespace(on_script_will_rerun=self.callback), self.look)

    def look(self) -> None:
        if self.pressed:
            raise Pressed

    def write(self, name: str) -> None:
        getattr(self.guard, callbacks.LOOKS)()  # as each access to the session does
        self.kept[name] = 1

    def callback(self, *_: object, **__: object) -> None:
        self.write("first")
        self.pressed = True
        self.write("second")


def test_streamlit_ends_a_callback_in_the_middle_or_there_is_nothing_to_mend():
    session = Session()
    run = SafeSessionState.on_script_will_rerun
    with pytest.raises(Pressed):
        getattr(run, "__wrapped__", run)(session.guard, None)
    assert session.kept == {"first": 1}


def test_a_press_waits_for_the_end_of_the_callback_and_is_looked_for_again_after_it():
    callbacks.run_to_their_end()
    callbacks.run_to_their_end()
    session = Session()
    session.guard.on_script_will_rerun(None)
    assert session.kept == {"first": 1, "second": 1}
    with pytest.raises(Pressed):
        session.write("third")
