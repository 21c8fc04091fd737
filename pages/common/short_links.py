"""Short links: a class types five letters instead of an address that holds a whole picture."""

import base64
import hashlib
import threading
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import streamlit as st

from core.errors import InputError

NAME = "go"
"""The letters' name in the address of the home screen."""
SCREENS = Path(__file__).parent.parent
LETTERS = 5
MOST = 2_000  # links that are remembered
LONGEST = 20_000  # characters of a link


class ShortLinks:
    """What each short link stands for: a screen and its state. Those not used for long are forgotten."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._links: dict[str, str] = {}
        self._lock = threading.Lock()

    def shorten(self, link: str) -> str:
        """Return the letters that stand for a link; the same link always has the same ones."""
        with self._lock:
            digest = base64.b32encode(hashlib.sha256(link.encode()).digest()).decode().lower()
            letters = next(
                digest[:length]
                for length in range(LETTERS, len(digest))
                if self._links.get(digest[:length], link) == link
            )
            self._links.pop(letters, None)
            self._links[letters] = link
            while len(self._links) > self._most:
                del self._links[next(iter(self._links))]
            return letters

    def link(self, letters: str) -> str | None:
        """Return what letters stand for, or `None`."""
        with self._lock:
            return self._links.get(letters.strip().lower())


@st.cache_resource(show_spinner=False)
def st_links() -> ShortLinks:
    """The links that this server knows."""
    return ShortLinks()


def target(address: str) -> tuple[str, dict[str, str]] | None:
    """The screen of an address and what it says of its state; `None` if it is none of ours."""
    parts = urlsplit(address)
    screen = parts.path.rstrip("/").rpartition("/")[2] or "home"
    if not (screen.isidentifier() and (SCREENS / f"{screen}.py").exists()):
        return None
    return screen, {name: text for name, text in parse_qsl(parts.query) if name not in ("embed", NAME)}


def short(address: str) -> str:
    """The address by which others open what `address` shows. `InputError` if it cannot be told so."""
    if len(address) > LONGEST:
        raise InputError("This address holds too much to be shortened: save the run, and hand the file on.")
    known = target(address)
    if known is None:
        raise InputError("This address is none of our screens.")
    screen, asked = known
    parts = urlsplit(address)
    root = f"{parts.scheme}://{parts.netloc}/"
    if not asked:
        return root + ("" if screen == "home" else screen)
    return f"{root}?{NAME}={st_links().shorten(f'/{screen}?{urlencode(asked)}')}"


def follow() -> None:
    """Go where a short link leads, if the address is one; say so if nobody knows it."""
    letters = st.query_params.get(NAME)
    if letters is None:
        return
    if (link := st_links().link(letters)) and (known := target(link)):
        screen, asked = known
        st.switch_page(f"pages/{screen}.py", query_params=asked)
    st.warning(
        "This short link is not known here: one lasts until Loopscope is started again. Ask for a new one."
    )
