"""A system message that comes in mid-run: the screens tell it from the system prompt and from the user."""

import pytest

from core.figures.loop_changes import change_at
from core.figures.loop_timeline import timeline
from core.figures.loop_view import loop_view
from core.traces import load

RUN = b"""[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
 {"role": "assistant", "content": "Hello."}, {"role": "system", "content": "Now answer in French."},
 {"role": "assistant", "content": "Bonjour."}]"""


@pytest.fixture(scope="module")
def trace():
    return load(RUN, "x.json")


@pytest.fixture(scope="module")
def at(trace):
    return next(index for index, step in enumerate(trace.steps) if step.text == "Now answer in French.")


def test_its_stop_has_the_colour_and_the_name_of_a_system_message(trace, at):
    stop = timeline(trace)[at]
    assert (stop.part, stop.caption) == ("system-prompt", "system message")


def test_the_change_is_not_said_to_be_the_users(trace, at):
    assert change_at(trace, at).startswith("A system message in mid-run is appended")


def test_its_card_says_that_it_came_later_and_is_the_one_in_view(trace, at):
    view = loop_view(trace)
    card = view.cards[view.frames[at].card]
    assert (card.kind, card.text) == ("SystemMessage · in mid-run", "Now answer in French.")
    assert view.cards[0].kind == "SystemMessage"
