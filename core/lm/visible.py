"""The bytes of a token as text in which nothing is invisible and no two tokens look alike."""

import re
import unicodedata

_SIGNS = {" ": "·", "\n": "↵", "\t": "⇥"}
_EMPTY = "∅"
_CIRCLE = "◌"  # carries an accent that has lost its letter, as in the Unicode charts
# Signs of this file, when a text contains them, are named by code point: else `·` could be a space or itself.
_OURS = frozenset("·↵⇥∅◌⟨⟩")
# Blank, though filed under letters, marks or symbols: Default_Ignorable_Code_Point, and the empty Braille.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_NOT_UTF8 = re.compile("[\udc80-\udcff]+")  # what "surrogateescape" makes of bytes that are no UTF-8


def visible(data: bytes) -> str:
    """Show bytes: a space as `·`, a line break as `↵`, a tab as `⇥`, none at all as `∅`.

    Bytes that are not UTF-8, such as a part of a character, are shown as `⟨E2 80⟩`; characters without a form
    of their own (no-break and zero-width spaces, control and format characters) as `⟨U+00A0⟩`. Different
    bytes have different forms. The result is data: escape it as such before it reaches a page.
    """
    text = data.decode("utf-8", "surrogateescape")
    if not text:
        return _EMPTY
    shown: list[str] = []
    at = 0
    for broken in _NOT_UTF8.finditer(text):
        shown += map(_character, text[at : broken.start()])
        shown.append(f"⟨{broken[0].encode('utf-8', 'surrogateescape').hex(' ').upper()}⟩")
        at = broken.end()
    shown += map(_character, text[at:])
    alone = unicodedata.category(text[0]).startswith("M") and len(shown[0]) == 1
    return (_CIRCLE if alone else "") + "".join(shown)


def _character(character: str) -> str:
    if character in _SIGNS:
        return _SIGNS[character]
    hidden = unicodedata.category(character)[0] in "CZ" or character in _OURS or _BLANK.match(character)
    return f"⟨U+{ord(character):04X}⟩" if hidden else character
