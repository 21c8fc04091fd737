"""What a lecturer needs in front of a class: keys, a way to each statement, a link for all, a spotlight."""

from urllib.parse import urlsplit

import segno
import streamlit as st

from core.errors import InputError
from pages.common import finding, keys, short_links
from pages.common.components import declare
from pages.common.page import apart

PANEL = declare("classroom", "search", "finder")
ASKED, SHARED = "classroom panel", "link for the class"  # session: the component; what it shows
WANTED = "statements are wanted"  # session: whether the browser has asked for them
FOR_THIS = "Only this computer can open it. For a class, start Loopscope with --host 0.0.0.0."
FOR_ALL = "Everybody in this network can open it, until Loopscope is started again."
OWN = ("localhost", "127.0.0.1", "::1")  # names by which only this computer finds the server


@st.fragment
def classroom(screen: str) -> None:
    """Listen to the keys that every screen has, in a place that takes no room. `screen` as in its address."""
    apart("classroom")
    with st.container(key="classroom"):
        asked = PANEL(
            key=ASKED,
            data={
                "here": [list(row) for row in keys.SCREENS.get(screen, ())],
                "everywhere": [list(row) for row in keys.EVERYWHERE],
                "shared": st.session_state.get(SHARED),
                "statements": finding.listed() if st.session_state.pop(WANTED, False) else None,
                "found": finding.found(screen or "home"),
            },
            on_share_change=_share,
            on_find_change=_find,
            on_go_change=lambda: None,
        )
    match asked.go:
        case [int(at), int(place)]:
            finding.go(at, place)


def _find() -> None:
    """Have the statements sent, once: the browser keeps them for as long as this screen is in view."""
    st.session_state[WANTED] = True


def _share() -> None:
    """Make the short link of the address that the browser has, and its QR code (ISO/IEC 18004, level M)."""
    address = st.session_state[ASKED]["share"]
    link = ""
    try:
        link = short_links.short(str(address))
    except InputError as error:
        note = str(error)
    else:
        note = FOR_THIS if urlsplit(link).hostname in OWN else FOR_ALL
    code = segno.make_qr(link, error="m").matrix if link else ()
    st.session_state[SHARED] = {
        "of": address,
        "link": link,
        "code": ["".join("1" if dark else "0" for dark in row) for row in code],
        "note": note,
    }
