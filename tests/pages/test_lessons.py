"""The lessons without a browser: screens read the addresses of the steps, and a link opens a step."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.teaching.lessons import LESSONS
from pages.common import (
    constraining_link,
    draws,
    generation_link,
    messaging,
    run,
    speculating_link,
    supposing,
    tooling,
)

APP = str(Path(__file__).parents[2] / "app.py")
ADDRESSES = [
    (step.screen, dict(address))
    for lesson in LESSONS
    for step in lesson.steps
    for address in (step.address, step.revealed)
]
LINKS = {  # what reads and writes a screen's address
    "sampling": draws,
    "generation": generation_link,
    "constrained": constraining_link,
    "speculative": speculating_link,
    "tools": tooling,
}
FIELDS = {"prompt", "own"}  # of the sampling screen: a field of its own holds them


@pytest.fixture
def written(monkeypatch):
    """What a screen writes after it was opened at an address."""

    def of(screen: str, address: dict[str, str]) -> dict[str, str]:
        link, told = LINKS[screen], {}
        monkeypatch.setattr("streamlit.session_state", {})
        monkeypatch.setattr("streamlit.query_params", address)
        monkeypatch.setattr(link.address, "write", told.update)
        monkeypatch.setattr(link, "opened", lambda: True)
        link.on_opening()
        link.write_address()
        return told

    return of


@pytest.mark.parametrize(("screen", "address"), [one for one in ADDRESSES if one[0] in LINKS], ids=str)
def test_a_screen_reads_every_name_of_a_steps_address(written, screen, address):
    state = written(screen, address)
    for name in address.keys() - (FIELDS if screen == "sampling" else set()):
        otherwise = {other: text for other, text in address.items() if other != name}
        is_as_at_first = written(screen, otherwise) == state
        assert state[name] == address[name] or is_as_at_first


@pytest.mark.parametrize(
    ("screen", "address"), [one for one in ADDRESSES if one[0] in LINKS or one[0] == "messages"], ids=str
)
def test_an_address_names_something_of_its_screen_so_that_what_was_there_goes(screen, address):
    module = messaging if screen == "messages" else LINKS[screen]
    names = getattr(module, "NAMES", set())
    if screen == "generation":
        names = {*names, "prompt", "added", "seed", "token", "colour", "view", "temps"}
    assert names & address.keys()


@pytest.mark.parametrize("address", [one for _, one in ADDRESSES if "scenario" in one], ids=str)
def test_the_run_of_a_step_is_there_and_has_its_step(address):
    opened = run._addressed(address["scenario"], address.get("step"))
    assert opened.notice == ""
    assert opened.step == int(address.get("step", 1))


@pytest.mark.parametrize("address", [a for screen, a in ADDRESSES if screen == "context"], ids=str)
def test_what_a_step_supposes_is_understood(monkeypatch, address):
    monkeypatch.setattr("streamlit.query_params", address)
    supposed = address.keys() & set(supposing.WHATS)
    assert supposed
    assert all(supposing._asked(name, 1) is not None for name in supposed)


def rail_of(app: AppTest) -> dict | None:
    sent = (json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json)
    return next((data for data in sent if isinstance(data, dict) and "objective" in data), None)


def test_a_link_that_names_a_step_alone_opens_its_screen_in_its_state():
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params["lesson"], app.query_params["at"] = "4", "4"
    app.run()
    assert not app.exception
    assert [header.value for header in app.header] == ["What does the model really read?"]
    assert app.query_params["scenario"] == "parallel"
    rail = rail_of(app)
    assert (rail["lesson"], rail["at"], rail["shown"], rail["answer"]) == (4, 4, False, None)


def test_a_lesson_that_does_not_exist_shows_no_rail():
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params["lesson"] = "9"
    app.run()
    assert not app.exception
    assert rail_of(app) is None
