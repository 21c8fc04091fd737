"""What is written to the address, and what is not."""

from types import MappingProxyType, SimpleNamespace

import pytest

from pages.common import address
from pages.common.page import SCREEN


class Params(dict):
    """An address that counts what it sends to the browser."""

    sent = 0

    def __setitem__(self, name: str, text: str) -> None:
        super().__setitem__(name, text)
        self.sent += 1

    def update(self, new: dict[str, str] = MappingProxyType({})) -> None:
        super().update(new)
        self.sent += 1

    def to_dict(self) -> dict[str, str]:
        return dict(self)

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self.sent += 1


class Pressed(BaseException):
    """What Streamlit raises in a script when a press asks for the next run."""


def press(*_: object) -> None:
    raise Pressed


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A session and an address in the place of Streamlit's."""
    screen = SimpleNamespace(session_state={}, query_params=Params())
    monkeypatch.setattr(address, "st", screen)
    monkeypatch.setattr(address, "opened", lambda: False)
    return screen


def show(screen: SimpleNamespace, name: str, **in_address: str) -> None:
    """Have the browser ask for a screen, with an address."""
    screen.query_params = Params(in_address)
    address.enter(name)
    screen.session_state[SCREEN] = name


def test_a_value_is_written_once_and_taken_out_when_it_is_empty(screen):
    address.write({"added": "1.2", "by": ""})
    address.write({"added": "1.2", "by": ""})
    assert screen.query_params == {"added": "1.2"}
    assert screen.query_params.sent == 1
    address.write({"added": "", "by": ""})
    assert screen.query_params == {}
    assert screen.query_params.sent == 2


def test_what_changes_together_is_one_step_of_the_history(screen):
    address.write({"scenario": "berlin", "step": "1"})
    assert screen.query_params.sent == 1


def test_a_browser_that_is_late_is_told_again(screen):
    address.write({"added": "1.2"})
    address.write({"added": "1"})  # on its way, when the browser asks for the next run with the older address
    screen.query_params = Params(added="1.2")
    address.write({"added": "1.2"})
    assert screen.query_params.sent == 1


def test_a_browser_that_is_late_is_told_that_a_value_is_gone(screen):
    address.write({"added": "1"})
    screen.query_params = Params()
    address.write({"added": ""})
    assert screen.query_params == {}
    assert screen.query_params.sent > 0


def test_a_writing_that_a_press_ended_is_told_again(screen, monkeypatch):
    address.write({"added": "1.2"})
    with monkeypatch.context() as pressing:
        pressing.setattr(Params, "update", press)
        with pytest.raises(Pressed):
            address.write({"added": "1"})
    screen.query_params = Params(added="1.2")  # what the browser had when the key was pressed
    address.write({"added": "1.2"})
    assert screen.query_params.sent == 1


def test_what_another_screen_wrote_does_not_count_on_opening(screen, monkeypatch):
    address.write({"T": "0.5"})
    screen.query_params = Params()
    monkeypatch.setattr(address, "opened", lambda: True)
    address.write({"T": ""})
    assert screen.query_params.sent == 0


def test_a_browser_that_comes_from_another_screen_is_told_its_address(screen):
    show(screen, "constrained")
    address.write({"tokens": "2"})  # on its way, when the reader leaves
    show(screen, "evidence")
    assert screen.query_params.sent == 1
    show(screen, "evidence")
    assert screen.query_params.sent == 0


@pytest.mark.parametrize("writes", [{}, {"kind": "top-k"}])
def test_what_a_late_writing_brought_from_another_screen_is_taken_out(screen, writes):
    show(screen, "constrained")
    address.write({"tokens": "2"})
    show(screen, "exercises")
    address.write(writes)
    show(screen, "exercises", tokens="2", **writes)
    assert screen.query_params == writes


def test_a_part_of_a_screen_that_runs_on_its_own_takes_it_out_as_well(screen):
    show(screen, "constrained")
    address.write({"tokens": "2"})
    show(screen, "generation")
    screen.query_params = Params(tokens="2")
    address.write({"added": "1"})
    assert screen.query_params == {"added": "1"}


def test_a_link_may_name_what_another_screen_has_written_before_its_own_screen_writes_it(screen):
    show(screen, "speculative")
    address.write({"window": "2"})
    show(screen, "context", window="4096")
    address.write({"scenario": "berlin"})
    assert screen.query_params == {"window": "4096", "scenario": "berlin"}


def test_names_of_no_screen_stay(screen):
    show(screen, "sampling", lesson="1", at="2")
    address.write({"seed": "3"})
    show(screen, "evidence")
    screen.query_params.update({"lesson": "1", "at": "3"})  # the rail
    show(screen, "evidence", lesson="1", at="3")
    assert screen.query_params == {"lesson": "1", "at": "3"}
