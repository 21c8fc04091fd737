"""Every screen hands the picture in view to the code that it offers."""

import pytest

from pages.common.lab import OPEN
from tests.core.lab.running import ran
from tests.pages.app import open_page

PICTURES = [
    ("generation", {"added": "7042.28"}, "written ·Paris"),
    ("constrained", {"example": "date", "tokens": "2"}, "The mask removes"),
    ("speculative", {"draft": "lookup", "prompt": "one two one"}, "draws"),
    ("react", {"scenario": "berlin"}, 'get_weather({"city": "Berlin"})'),
    ("compare", {"left": "act", "right": "react"}, "They part at row 2"),
    ("tools", {"view": "call", "tool": "get_weather", "call": '{"city": 5}'}, "schema  failed: $.city is 5"),
    ("messages", {"scenario": "berlin"}, "every call has its result"),
    ("context", {"scenario": "berlin"}, "call 1: 198 tokens"),
]


@pytest.mark.parametrize(("screen", "address", "printed"), PICTURES, ids=[row[0] for row in PICTURES])
def test_a_screen_offers_the_code_of_its_picture(screen, address, printed):
    app = open_page(screen, **address)
    assert not app.code
    app.session_state[OPEN] = True
    app.run()
    assert printed in ran(app.code[0].value)[1]


def test_where_there_is_nothing_to_compute_the_reason_stands_in_its_place():
    app = open_page("generation", prompt="Once")
    app.session_state[OPEN] = True
    app.run()
    assert "There is no token yet" in app.caption[-1].value
