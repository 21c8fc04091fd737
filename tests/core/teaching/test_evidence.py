"""The cards hold the lecture's figures, and lead to screens that there are."""

from pathlib import Path

import pytest

from core.teaching.evidence import CARDS, Plot, Share

PAGES = Path(__file__).parents[3] / "pages"
BY_SLUG = {card.slug: card for card in CARDS}


def values(slug: str) -> list[tuple[float, float]]:
    picture = BY_SLUG[slug].picture
    assert isinstance(picture, Plot)
    return [(row.first, row.second) for row in picture.rows]


def test_the_figures_are_those_of_the_papers():
    assert values("deleted") == [(20, 72)]
    assert values("thoughts") == [
        (29.5, 22.8),
        (30.0, 27.5),
        (36.1, 31.8),
        (41.6, 41.2),
        (45.2, 45.5),
        (45.4, 43.6),
    ]
    assert values("general") == [(47.7, 23.1)]
    assert values("trained") == [(71.0, 15.6), (86.7, 71.0)]
    assert values("speed") == [(2.3, 3.4), (2.0, 2.5)]
    assert BY_SLUG["mention"].picture == Share(1, 426, "explanations of a biased answer mention the bias")


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.slug)
def test_every_card_says_what_was_measured_what_is_not_shown_and_its_source(card):
    assert card.measured
    assert card.not_shown
    assert "arXiv:" in card.source
    assert not card.screen or (PAGES / f"{card.screen}.py").exists()


@pytest.mark.parametrize(
    "card", [card for card in CARDS if isinstance(card.picture, Plot)], ids=lambda card: card.slug
)
def test_every_value_lies_on_its_axis(card):
    assert all(0 <= value <= card.picture.end for pair in values(card.slug) for value in pair)
