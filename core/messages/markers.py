"""The markers with which a template separates messages, and the same characters where somebody else wrote
them.

A marker is a control token only where the template wrote it. A server that renders to one text and tokenises
all of it alike cannot tell, so content that contains a marker forges a turn there.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from core.messages.parts import Part
from core.messages.rendered import Rendered
from core.messages.templates import template_text
from core.values import Value

MARKER = re.compile(
    r"<\|[^|<>\s]+\|>"  # <|im_start|>, <|eot_id|>
    r"|<｜[^｜<>\s]+｜>"  # DeepSeek's, with full-width bars
    r"|</?s>|<[be]os>"
    r"|\[/?[A-Z][A-Z_]+\]"  # [INST], [/TOOL_RESULTS]
    r"|</?[a-z]+(?:_[a-z]+)*>"  # <tool_call>, <think>, <start_of_turn>
)
"""What the published templates use as markers."""


class Marker(Value):
    """`text[start:end]` of a rendered conversation, the owner of the stretch it stands in, and its place in
    the owner's stretch."""

    text: str
    start: int
    end: int
    part: Part
    message: int | None = None
    label: str = ""

    @property
    def forged(self) -> bool:
        """Whether somebody else than the template wrote it."""
        return self.part is not Part.TEMPLATE


@lru_cache(maxsize=64)
def template_markers(template: str) -> tuple[str, ...]:
    """The markers that occur in a template, in the order of their first occurrence.

    Raises:
        InputError: no template has this name.
    """
    return tuple(dict.fromkeys(MARKER.findall(template_text(template))))


def find_markers(rendered: Rendered, template: str) -> tuple[Marker, ...]:
    """Every occurrence of a template's markers in the text that it made, in order.

    Those that are `forged` stand in what a user, a tool or a model wrote.

    Raises:
        InputError: no template has this name.
    """
    pattern = _pattern(template)
    return tuple(
        Marker(
            text=found.group(),
            start=span.start + found.start(),
            end=span.start + found.end(),
            part=span.part,
            message=span.message,
            label=span.label,
        )
        for span in rendered.spans
        for found in pattern.finditer(rendered.text[span.start : span.end])
    )


class Piece(Value):
    """A stretch of a text as a tokenizer takes it: a control token, or text."""

    text: str
    control: bool


def read_by_owner(rendered: Rendered, template: str) -> tuple[Piece, ...]:
    """The text as a careful runtime tokenises it: forged markers stay the characters that they are.

    Raises:
        InputError: no template has this name.
    """
    real = [marker for marker in find_markers(rendered, template) if not marker.forged]
    return _pieces(rendered.text, [(marker.start, marker.end) for marker in real])


def read_by_text(rendered: Rendered, template: str) -> tuple[Piece, ...]:
    """The text as a tokenizer takes it that is given the text alone: every marker is a control token.

    Raises:
        InputError: no template has this name.
    """
    found = _pattern(template).finditer(rendered.text)
    return _pieces(rendered.text, [marker.span() for marker in found])


def _pieces(text: str, controls: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    position = 0
    for start, end in (*controls, (len(text), len(text))):
        pieces.append(Piece(text=text[position:start], control=False))
        pieces.append(Piece(text=text[start:end], control=True))
        position = end
    return tuple(piece for piece in pieces if piece.text)


def _pattern(template: str) -> re.Pattern[str]:
    markers = sorted(template_markers(template), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, markers)) or r"(?!)")
