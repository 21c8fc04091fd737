"""Where "Find in the lecture" leads."""

import pytest

from core.teaching.lecture_map import statements
from pages.common import (
    constraining_link,
    draws,
    generation_link,
    messaging,
    speculating_link,
    thinking,
    tooling,
)

READ = {
    "sampling": draws.NAMES,
    "generation": generation_link.READ,
    "constrained": constraining_link.NAMES,
    "speculative": speculating_link.NAMES,
    "thought": thinking.NAMES,
    "tools": tooling.NAMES,
    "messages": messaging.NAMES,
}


@pytest.mark.parametrize("screen", READ)
def test_a_place_is_what_its_link_says_whatever_the_screen_showed_before(screen):
    """Where a link says nothing of what a screen keeps, the screen is as the reader left it."""
    here = [place for one in statements() for place in one.places if place.screen == screen]
    assert here
    assert [place.address for place in here if not place.address.keys() & READ[screen]] == []
