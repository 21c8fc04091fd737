"""A conversation read in two ways: with every marker a control token, and with only the template's own ones.

The first is what a runtime reads that tokenises the whole text alike; whoever writes a marker into a message
makes turns there. The second keeps such a marker the characters that it is.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from core.errors import InputError
from core.figures.loop_timeline import counted, slug
from core.figures.rendered_view import Token, template_title
from core.figures.tool_view import OWN_TOKENIZER
from core.lm.tokenizer import Tokenizer
from core.lm.visible import visible
from core.messages import (
    Marker,
    Message,
    Part,
    Piece,
    Rendered,
    ToolSchema,
    find_markers,
    read_by_owner,
    read_by_text,
)
from core.messages.deadline import render_in_time
from core.messages.parts import CONTENT_PARTS
from core.values import Value

_ROLES = {
    **CONTENT_PARTS,
    "ipython": Part.TOOL_RESULT,
    "[INST]": Part.USER,
    "[/INST]": Part.ASSISTANT,
    "[TOOL_CALLS]": Part.TOOL_CALL,
    "[TOOL_RESULTS]": Part.TOOL_RESULT,
    "[/TOOL_RESULTS]": Part.ASSISTANT,
    "[AVAILABLE_TOOLS]": Part.TOOLS,
}
"""Whose a turn seems to be, by the word or the marker that it begins with."""


class TurnPiece(Value):
    """A stretch of a turn: a control token, or text; `forged` where it is a marker that somebody wrote."""

    text: str
    control: bool
    forged: bool


class Turn(Value):
    """What the model takes for one turn; `forged` where no template opened it."""

    part: str
    forged: bool
    pieces: tuple[TurnPiece, ...]


class Reading(Value):
    """One way to read the text."""

    title: str
    about: str
    count: str
    turns: tuple[Turn, ...]


class Cut(Value):
    """A forged marker, and the tokens that it is in each reading."""

    marker: str
    times: str
    by_text: tuple[Token, ...]
    by_owner: tuple[Token, ...]


class ForgedView(Value):
    """Both readings. `notice` is why there is nothing to see, or empty; `who` says where the markers are."""

    readings: tuple[Reading, ...] = ()
    cuts: tuple[Cut, ...] = ()
    who: str = ""
    exact: bool = False
    notice: str = ""


def forged_view(
    messages: Sequence[Message], tools: Sequence[ToolSchema], template: str, tokenizer: Tokenizer
) -> ForgedView:
    """The readings of a conversation in a template, given by name or as Jinja text."""
    try:
        rendered = render_in_time(messages, tools, template)
    except InputError as error:
        return ForgedView(notice=str(error))
    found = find_markers(rendered, template)
    forged = [marker for marker in found if marker.forged]
    openings = _openings(rendered, found)
    careless, careful = read_by_text(rendered, template), read_by_owner(rendered, template)
    return ForgedView(
        readings=(
            _reading("Read as one text", "every marker is a control token", careless, openings, forged),
            _reading("Read by owner", "only the template's markers are", careful, openings, forged),
        ),
        cuts=tuple(_cuts(forged, template, tokenizer)),
        who=_who(forged),
        exact=template in OWN_TOKENIZER,
        notice="" if forged else NOTHING.format(template_title(template)),
    )


NOTHING = "Nobody but the template wrote a marker of {} here, so both readings are the same. Let somebody:"


def _openings(rendered: Rendered, markers: Sequence[Marker]) -> frozenset[str]:
    """The markers with which the template opens a message or the reply."""
    starts = {marker.start: marker.text for marker in markers if not marker.forged}
    seen: set[object] = set()
    found: set[str] = set()
    for span in rendered.spans:
        owner = (span.message, span.label) if span.message is None else span.message
        if owner not in seen and span.part is Part.TEMPLATE and span.start in starts:
            found.add(starts[span.start])
        seen.add(owner)
    return frozenset(found | {marker.text for marker in markers if marker.text in _ROLES})


def _reading(
    title: str,
    about: str,
    pieces: Sequence[Piece],
    openings: frozenset[str],
    forged: Sequence[Marker],
) -> Reading:
    forged_at = {marker.start for marker in forged}
    turns: list[list[TurnPiece]] = []
    position = 0
    for piece in pieces:
        is_forged = piece.control and position in forged_at
        opens = piece.control and piece.text in openings
        if not turns or (opens and not all(before.control for before in turns[-1])):
            turns.append([])
        if piece.control:
            turns[-1].append(TurnPiece(text=piece.text, control=True, forged=is_forged))
        else:
            turns[-1] += _text(piece.text, position, forged)
        position += len(piece.text)
    made = tuple(
        Turn(part=_part(turn), forged=turn[0].control and turn[0].forged, pieces=tuple(turn))
        for turn in turns
    )
    controls = sum(piece.control for piece in pieces)
    return Reading(
        title=title,
        about=about,
        count=f"{counted(len(made), 'turn')}, {counted(controls, 'control token')}",
        turns=made,
    )


def _text(text: str, start: int, forged: Sequence[Marker]) -> Iterator[TurnPiece]:
    """Text, cut where it holds markers that stay text."""
    end, position = start + len(text), start
    for marker in forged:
        if start <= marker.start and marker.end <= end:
            yield from _words(text[position - start : marker.start - start])
            yield TurnPiece(text=marker.text, control=False, forged=True)
            position = marker.end
    yield from _words(text[position - start :])


def _words(text: str) -> Iterator[TurnPiece]:
    if text:
        yield TurnPiece(text=text, control=False, forged=False)


def _part(turn: Sequence[TurnPiece]) -> str:
    opening = list(takewhile(lambda piece: piece.control, turn))
    word = re.match(r"\s*(\w+)", turn[len(opening)].text) if len(opening) < len(turn) else None
    names = [*(piece.text for piece in reversed(opening)), *([word[1]] if word and opening else [])]
    return slug(next((_ROLES[name] for name in names if name in _ROLES), Part.TEMPLATE))


def _cuts(forged: Sequence[Marker], template: str, tokenizer: Tokenizer) -> Iterator[Cut]:
    exact = template in OWN_TOKENIZER
    for text, times in Counter(marker.text for marker in forged).items():
        alone = tokenizer.encode(text)
        whole = exact and len(alone) == 1 and tokenizer.is_special(alone[0])
        cut = tuple(
            (visible(tokenizer.token_bytes(id_)), id_ if exact else None, False)
            for id_ in tokenizer.encode(text, special=False)
        )
        one: tuple[Token, ...] = ((text, alone[0] if whole else None, True),)
        if exact and not whole:  # a marker that this model's vocabulary does not have
            one = cut
        yield Cut(marker=text, times=f"{times} ×", by_text=one, by_owner=cut)


def _who(forged: Sequence[Marker]) -> str:
    places = Counter((marker.message, marker.part) for marker in forged)
    told = [
        f"{part.value}{'' if message is None else f' in message {message}'} ({counted(count, 'marker')})"
        for (message, part), count in places.items()
    ]
    return f"Forged in: {'; '.join(told)}." if told else ""
