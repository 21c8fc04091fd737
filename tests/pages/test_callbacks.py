"""Callbacks and the presses after them, in Streamlit's own guard of a session."""

import threading
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


class Two:
    """A session with two presses, the first of which was told that there is a second."""

    def __init__(self) -> None:
        callbacks.run_to_their_end()
        self.called: list[str] = []
        self.calling, self.go_on = threading.Event(), threading.Event()
        state = SimpleNamespace(on_script_will_rerun=self.callback)
        self.first = SafeSessionState(state, self.stop)
        self.second = SafeSessionState(state, lambda: None)

    def stop(self) -> None:
        raise Pressed

    def callback(self, press: str, **_: object) -> None:
        self.calling.set()
        self.go_on.wait()
        self.called.append(press)


def test_a_callback_that_comes_after_that_of_a_later_press_is_left_out():
    two = Two()
    two.go_on.set()
    two.second.on_script_will_rerun("second")
    with pytest.raises(Pressed):
        two.first.on_script_will_rerun("first")
    assert two.called == ["second"]


def test_a_later_press_waits_for_the_callback_of_the_one_before():
    two = Two()
    threads = [
        threading.Thread(target=guard.on_script_will_rerun, args=(press,))
        for press, guard in (("first", two.first), ("second", two.second))
    ]
    threads[0].start()
    two.calling.wait()
    threads[1].start()
    threads[1].join(0.2)  # without a lock it would be over by then
    two.go_on.set()
    for thread in threads:
        thread.join()
    assert two.called == ["first", "second"]


def test_two_sessions_do_not_wait_for_each_other():
    held, other = Two(), Two()
    thread = threading.Thread(target=held.first.on_script_will_rerun, args=("first",))
    thread.start()
    held.calling.wait()
    other.go_on.set()
    other.second.on_script_will_rerun("second")
    assert (other.called, held.called) == (["second"], [])
    held.go_on.set()
    thread.join()
