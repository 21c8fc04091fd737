"""The evidence screen without a browser."""

from core.teaching.evidence import CARDS
from tests.pages.app import components, open_page


def test_every_card_is_shown():
    shown = components(open_page("evidence"))[-1]["cards"]
    assert [card["claim"] for card in shown] == [card.claim for card in CARDS]


def test_a_link_puts_a_card_first_and_covers_what_came_out():
    data = components(open_page("evidence", card="speed", figure="covered"))[-1]
    assert (data["chosen"], data["covered"]) == ("speed", True)
