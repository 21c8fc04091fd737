"""The evidence screen without a browser."""

from core.teaching.evidence import CARDS
from tests.pages.app import components, open_page


def test_every_card_is_shown():
    shown = components(open_page("evidence"))[-1]["cards"]
    assert [card["claim"] for card in shown] == [card.claim for card in CARDS]
