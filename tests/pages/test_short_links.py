"""Five letters stand for a screen and its state, and nothing else can be reached by them."""

from types import SimpleNamespace

import pytest

from core.errors import InputError
from pages.common import short_links
from pages.common.short_links import ShortLinks, short, target


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> ShortLinks:
    links = ShortLinks()
    monkeypatch.setattr(short_links, "st_links", lambda: links)
    return links


def test_letters_lead_back_to_what_was_shortened(links: ShortLinks):
    address = short("http://10.0.0.7:8501/sampling?embed=true&T=0.8&prompt=a+b%26c")
    root, _, letters = address.partition("?go=")
    assert root == "http://10.0.0.7:8501/"
    assert len(letters) == 5
    assert target(links.link(letters.upper() + " ")) == ("sampling", {"T": "0.8", "prompt": "a b&c"})


@pytest.mark.usefixtures("links")
def test_a_screen_without_a_state_needs_no_letters():
    assert short("http://10.0.0.7:8501/react?embed=true") == "http://10.0.0.7:8501/react"
    assert short("http://10.0.0.7:8501/") == "http://10.0.0.7:8501/"


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize(
    "path", ["nowhere?a=1", "common?a=1", "..%2Fapp?a=1", "__init__x?a=1", "sampling?" + "a" * 20_000]
)
def test_what_is_no_screen_of_ours_gets_no_link(path: str):
    with pytest.raises(InputError):
        short(f"http://10.0.0.7:8501/{path}")


def test_the_same_link_has_the_same_letters_and_another_link_others():
    links = ShortLinks()
    assert links.shorten("/react?step=1") == links.shorten("/react?step=1") != links.shorten("/react?step=2")


def test_letters_that_are_taken_are_not_given_away(monkeypatch: pytest.MonkeyPatch):
    digests = {b"one": b"\0" * 31 + b"\1", b"two": b"\0" * 31 + b"\2"}
    monkeypatch.setattr(
        short_links.hashlib, "sha256", lambda data: SimpleNamespace(digest=lambda: b"\0" * 4 + digests[data])
    )
    links = ShortLinks()
    one, two = links.shorten("one"), links.shorten("two")
    assert (links.link(one), links.link(two)) == ("one", "two")


def test_what_was_not_used_for_long_is_forgotten():
    links = ShortLinks(most=2)
    first, second = links.shorten("1"), links.shorten("2")
    links.shorten("1")
    links.shorten("3")
    assert (links.link(first), links.link(second)) == ("1", None)
