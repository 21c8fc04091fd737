"""A widget follows the state, also where the run that said so never reached the browser."""

from collections import UserDict

import pytest

from pages.common import widgets


class Session(UserDict[str, object]):
    """A session that counts how often each value was set."""

    def __setitem__(self, key: str, value: object) -> None:
        super().__setitem__(key, value)
        if key == "page seed":
            self.times = getattr(self, "times", 0) + 1


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    session = Session()
    monkeypatch.setattr(widgets.st, "session_state", session)
    return session


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(widgets.time, "monotonic", lambda: seconds)


def test_a_value_of_the_state_is_given_again_for_a_second(session: Session, monkeypatch: pytest.MonkeyPatch):
    shown = widgets.Widgets("page ")
    for seconds, times in ((10.0, 1), (10.5, 2), (11.5, 2), (60.0, 2)):
        at(monkeypatch, seconds)
        assert shown.key("seed", 7) == "page seed"
        assert (session["page seed"], session.times) == (7, times)


def test_another_value_of_the_state_is_given_at_once(session: Session, monkeypatch: pytest.MonkeyPatch):
    shown = widgets.Widgets("page ")
    for seconds, value in ((10.0, 7), (60.0, 8)):
        at(monkeypatch, seconds)
        shown.key("seed", value)
        assert session["page seed"] == value


def test_what_a_person_has_set_is_left_alone(session: Session, monkeypatch: pytest.MonkeyPatch):
    shown = widgets.Widgets("page ")
    at(monkeypatch, 10.0)
    shown.key("seed", 7)
    at(monkeypatch, 60.0)
    session["page seed"] = 9  # as Streamlit does, before the callback that changes the state
    times = session.times
    shown.key("seed", 9)
    assert session.times == times
