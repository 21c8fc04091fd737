"""The typed messages of a conversation as cards, each result tied to its call by a line in the margin.

The lines run in lanes, as branches do beside a list of commits: a row of a card starts lines, ends them, or
is passed by them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from core.figures.loop_timeline import call_text, slug
from core.messages import (
    AssistantMessage,
    Message,
    Part,
    Problem,
    Refusal,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
    check_pairing,
    pairs,
    refusals,
)
from core.messages.parts import CONTENT_PARTS
from core.values import Value

MOST_LANES = 5
"""Lines side by side; where more are needed, lanes are shared."""

TYPES: Mapping[type, str] = {
    SystemMessage: "SystemMessage",
    UserMessage: "UserMessage",
    AssistantMessage: "AssistantMessage",
    ToolResultMessage: "ToolResultMessage",
}
FAULTS: Mapping[str, str] = {
    "no result": "This call has no result.",
    "no call": "This result belongs to no open call.",
    "second result": "This call has its result already.",
    "repeated id": "Two calls of this message have the same id.",
    "missing id": "This call has no id.",
    "empty message": "Neither text nor calls.",
}
SAME_ID = "Two calls have this id: their results are paired in order."
BEFORE_ITS_CALL = "This result stands before its call."


class Lane(Value):
    """What the line in a lane does beside a row; `pair` is its number, `stub` means that it leads nowhere."""

    lane: int
    how: Literal["start", "pass", "end"]
    pair: int
    stub: bool = False


class CardRow(Value):
    """A part of a message: its thinking, its text, or a call."""

    part: str
    text: str
    label: str = ""
    call_id: str = ""
    is_code: bool = False
    lanes: tuple[Lane, ...] = ()
    faults: tuple[str, ...] = ()


class Field(Value):
    """A text of the message that can be written otherwise."""

    name: str
    label: str
    text: str
    short: bool


class MessageCard(Value):
    """A message. `answers` is what a strict server says of it, word by word."""

    owner: str
    number: str
    type: str
    part: str
    rows: tuple[CardRow, ...]
    fields: tuple[Field, ...]
    answers: tuple[str, ...] = ()


class Cards(Value):
    """All messages; `lanes` is how many lines run side by side at most."""

    cards: tuple[MessageCard, ...]
    lanes: int


def cards_of(messages: Sequence[Message], dialect: str) -> Cards:
    """The cards of a conversation, with what the server of a dialect would object to."""
    answers: dict[int, list[Refusal]] = {}
    for refusal in refusals(messages, dialect):
        answers.setdefault(refusal.index, []).append(refusal)
    problems: dict[int, list[Problem]] = {}
    for problem in check_pairing(messages):
        problems.setdefault(problem.index, []).append(problem)
    lines, count = _lines(messages)
    told = dict.fromkeys((pair.result for pair in pairs(messages) if pair.result is not None), SAME_ID)
    told |= dict.fromkeys(_early(messages), BEFORE_ITS_CALL)
    cards = []
    for index, message in enumerate(messages):
        rows = [
            row.model_copy(
                update={
                    "lanes": tuple(lines.get((index, place), ())),
                    "faults": tuple(_faults(row, problems.get(index, ()), told)),
                }
            )
            for place, row in enumerate(_rows(message))
        ]
        cards.append(
            MessageCard(
                owner=str(index),
                number=str(index),
                type=TYPES[type(message)],
                part=slug(CONTENT_PARTS[message.role]),
                rows=tuple(rows),
                fields=tuple(_fields(message)),
                answers=tuple(str(refusal) for refusal in answers.get(index, ())),
            )
        )
    return Cards(cards=tuple(cards), lanes=count)


def _rows(message: Message) -> Iterator[CardRow]:
    match message:
        case SystemMessage(content=text):
            yield CardRow(part=slug(Part.SYSTEM), text=text)
        case UserMessage(content=text):
            yield CardRow(part=slug(Part.USER), text=text)
        case ToolResultMessage(content=text):
            label = f"{message.name or 'tool'}{' · error' if message.is_error else ''}"
            yield CardRow(
                part=slug(Part.TOOL_RESULT), text=text, label=label, call_id=message.tool_call_id or "no id"
            )
        case AssistantMessage(tool_calls=calls):
            if message.thinking:
                yield CardRow(part=slug(Part.ASSISTANT), text=message.thinking, label="thinking")
            if message.content or not calls:
                label = "thought" if calls else ""
                yield CardRow(part=slug(Part.ASSISTANT), text=message.content, label=label)
            for call in calls:
                yield CardRow(
                    part=slug(Part.TOOL_CALL), text=call_text(call), call_id=call.id or "no id", is_code=True
                )


def _early(messages: Sequence[Message]) -> set[int]:
    """The results that stand before the only calls of their id."""
    asked: set[str] = set()
    waiting: dict[str, list[int]] = {}
    early: set[int] = set()
    for index, message in enumerate(messages):
        if isinstance(message, ToolResultMessage) and message.tool_call_id not in asked:
            waiting.setdefault(message.tool_call_id, []).append(index)
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            asked.add(call.id)
            early.update(waiting.pop(call.id, ()))
    return early


def _faults(row: CardRow, problems: Iterable[Problem], told: Mapping[int, str]) -> Iterator[str]:
    """The breaches that are this row's: those of its id, and those of the whole message. `told` are results
    of which there is more to say."""
    for problem in problems:
        if problem.kind == "missing id":
            mine = row.call_id == "no id"
        elif problem.kind == "empty message":
            mine = not row.is_code
        else:
            mine = row.call_id == (problem.call_id or "no id")
        if mine:
            yield told.get(problem.index, FAULTS[problem.kind])


def _fields(message: Message) -> Iterator[Field]:
    match message:
        case AssistantMessage(tool_calls=calls):
            if message.thinking:
                yield Field(name="thinking", label="thinking", text=message.thinking, short=False)
            yield Field(name="content", label="content", text=message.content, short=False)
            for place, call in enumerate(calls):
                yield Field(name=f"call {place} id", label="id", text=call.id, short=True)
                yield Field(name=f"call {place} name", label="name", text=call.name, short=True)
                yield Field(
                    name=f"call {place} arguments", label="arguments", text=call.arguments, short=False
                )
        case ToolResultMessage():
            yield Field(name="tool_call_id", label="tool_call_id", text=message.tool_call_id, short=True)
            yield Field(name="content", label="content", text=message.content, short=False)
        case _:
            yield Field(name="content", label="content", text=message.content, short=False)


_Place = tuple[int, int]
"""A message and the row of its card."""


def _lines(messages: Sequence[Message]) -> tuple[dict[_Place, list[Lane]], int]:
    """For each row the lines beside it, and how many lanes there are."""
    rows = [
        (index, place) for index, message in enumerate(messages) for place, _ in enumerate(_rows(message))
    ]
    at = {row: number for number, row in enumerate(rows)}
    found = pairs(messages)
    spans = [
        (
            at[pair.call, _first_call(messages[pair.call]) + pair.place],
            None if pair.result is None else at[pair.result, 0],
        )
        for pair in found
    ]
    lines: dict[_Place, list[Lane]] = {}
    free_from: list[int] = []  # for each lane the first row that is free again
    for number, (start, end) in enumerate(spans):
        last = start if end is None else end
        lane = next((lane for lane, row in enumerate(free_from) if row <= start), len(free_from))
        if lane >= MOST_LANES:
            lane = number % MOST_LANES
        free_from[lane:] = [last + 1, *free_from[lane + 1 :]]
        for row in range(start, last + 1):
            how: Literal["start", "pass", "end"] = (
                "start" if row == start else "end" if row == last else "pass"
            )
            line = Lane(lane=lane, how=how, pair=number, stub=end is None)
            lines.setdefault(rows[row], []).append(line)
    tied = {pair.result for pair in found}
    for index, message in enumerate(messages):
        if isinstance(message, ToolResultMessage) and index not in tied:
            busy = {line.lane for line in lines.get((index, 0), ())}
            lane = next(lane for lane in range(MOST_LANES + 1) if lane not in busy)
            free_from[lane:] = free_from[lane:] or [0]
            line = Lane(lane=lane, how="end", pair=-1 - index, stub=True)
            lines.setdefault((index, 0), []).append(line)
    return lines, len(free_from)


def _first_call(message: Message) -> int:
    return sum(not row.is_code for row in _rows(message))
