"""The lessons without a browser: screens read the addresses of the steps, and a link opens a step."""

import json
import threading
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.teaching.lessons import EDITION, LESSONS, Answer
from pages.common import (
    constraining_link,
    draws,
    generation_link,
    lesson_ahead,
    lessons,
    messaging,
    practising,
    run,
    speculating_link,
    supposing_link,
    thinking,
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
    "thought": thinking,
    "exercises": practising,
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
    names = set(getattr(module, "NAMES", ()))
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
    supposed = address.keys() & set(supposing_link.WHATS)
    assert supposed
    assert supposed <= supposing_link.asked(1).keys()


def rail_of(app: AppTest) -> dict | None:
    sent = (json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json)
    return next((data for data in sent if isinstance(data, dict) and "objective" in data), None)


def test_a_link_that_names_a_step_alone_opens_its_screen_in_its_state():
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params["lesson"], app.query_params["at"] = "4", "5"
    app.run()
    assert not app.exception
    assert [header.value for header in app.header] == ["What does the model really read?"]
    assert app.query_params["scenario"] == "parallel"
    rail = rail_of(app)
    assert (rail["lesson"], rail["at"], rail["shown"], rail["answer"]) == (4, 5, False, None)


def test_a_lesson_that_does_not_exist_shows_no_rail():
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params["lesson"] = "9"
    app.run()
    assert not app.exception
    assert rail_of(app) is None


@pytest.fixture
def told(monkeypatch):
    """What the session holds of the lessons after a browser told what it has kept."""

    def of(kept: object, **before: object) -> lessons.Course:
        session = {lessons.COURSE: lessons.Course(**before), lessons.KEY: {"kept": kept}}
        monkeypatch.setattr("streamlit.session_state", session)
        lessons._remembered()
        return lessons.course()

    return of


def test_what_the_browser_has_kept_is_taken_over_and_what_the_session_knows_counts_more(told):
    kept = {"edition": EDITION, "done": ["4.1", "1.2"], "guesses": {"1.2": "50", "4.2": "5"}}
    after = told(kept, done=frozenset({(1, 2)}), guesses={"1.2": "34"})
    assert after.done == {(1, 2), (4, 1)}
    assert after.guesses == {"1.2": "34", "4.2": "5"}


@pytest.mark.parametrize(
    "kept",
    [
        None,
        "x",
        {"edition": "of old", "done": ["4.1"], "guesses": {}},
        {"edition": EDITION, "done": ["9.9", 3, None, "4.1.1"], "guesses": {"4.1": 7, "x": "y"}},
        {"edition": EDITION, "done": "4.1", "guesses": {}},
    ],
    ids=str,
)
def test_what_a_browser_cannot_have_kept_of_these_lessons_is_left_out(told, kept):
    assert told(kept) == lessons.Course()


class Held:
    """A step whose answer comes when it is let go."""

    def __init__(self):
        self.go, self.asked = threading.Event(), 0

    def answer(self):
        self.asked += 1
        self.go.wait()
        if self.asked == 1:
            raise ValueError("the first time")
        return Answer("computed")


def test_an_answer_is_computed_ahead_once_and_again_where_it_failed(monkeypatch):
    held = Held()
    monkeypatch.setattr(lesson_ahead, "LESSONS", [type("One", (), {"steps": [held]})])
    ahead = lesson_ahead.Ahead()
    first = ahead.begin(1, 1)
    assert ahead.begin(1, 1) is first
    held.go.set()
    assert isinstance(first.exception(timeout=60), ValueError)
    assert ahead.begin(1, 1).result(timeout=60).text == "computed"
    assert ahead.begin(1, 1).result(timeout=60).text == "computed"
    assert held.asked == 2


def test_a_step_says_that_its_answer_is_being_computed_until_it_is_there(monkeypatch):
    held = Held()
    held.asked = 1
    ahead = lesson_ahead.Ahead()
    monkeypatch.setattr(lesson_ahead, "LESSONS", [type("One", (), {"steps": [held]})])
    monkeypatch.setattr(lesson_ahead, "st_ahead", lambda: ahead)
    monkeypatch.setattr(lesson_ahead, "PATIENCE", 0)
    assert lesson_ahead.answer_of(1, 1) is None
    held.go.set()
    assert ahead.begin(1, 1).result(timeout=60) == lesson_ahead.answer_of(1, 1)
