"""Who owns which character of a rendered conversation.

The template is run twice: once plainly, and once with marks around every content, tool schema and tool call.
Where taking the marks out of the second text gives the first, their places say which characters came from
where. What remains is the template's own text, of the message before it or the one behind it.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.errors import InputError
from core.messages.markers import MARKER
from core.messages.marks import Marks, Placement, Run
from core.messages.parts import Part
from core.messages.rendered import GENERATION_PROMPT, PREAMBLE, Owner, Span
from core.messages.template_objects import Conversation, Writer
from core.messages.types import AssistantMessage

_MOST_CHARACTERS = 2_000_000
"""How much may be rendered to find the contents that a template transforms: about two seconds."""


@dataclass(frozen=True)
class Followed:
    """The owned stretches in order, the owners that could be followed, and what showed it: the marks, and the
    template that writes with them."""

    runs: tuple[Run, ...]
    owners: frozenset[Owner]
    marks: Marks
    write: Writer


def follow(conversation: Conversation, text: str, add_generation_prompt: bool) -> Followed:
    """Find what each owner contributed to a text.

    Marks around everything nearly always do. Where they change the text, the owners are split by kind, and
    then halved, until those are found whose content the template tests or transforms.
    """
    length = len(conversation.messages)
    unmarked = Marks({}, text)
    found = Followed((), frozenset(), unmarked, conversation.writer(unmarked))
    chosen: dict[Owner, Placement] = {}
    waiting = deque[Sequence[Owner]]([tuple(dict.fromkeys(conversation.slots))])
    attempts = max(8, _MOST_CHARACTERS // (len(text) + 1))
    while waiting:
        group = waiting.popleft()
        broken: set[Owner] = set()
        for placement in _PLACEMENTS:
            attempts -= 1
            tried: dict[Owner, Placement] = chosen | dict.fromkeys(group, placement)
            marks = Marks(tried, text)
            write = conversation.writer(marks)
            try:
                read = marks.read(write(length, add_generation_prompt), text)
            except InputError:  # the template tests content and took another way
                continue
            if read is not None and not read[1]:
                chosen, found = tried, Followed(tuple(read[0]), frozenset(tried), marks, write)
                break
            broken = broken or (read[1] if read else set())
        else:
            if len(group) > 1 and attempts > 0:
                waiting += _split(group, broken)
    return found


_PLACEMENTS: tuple[Placement, ...] = ("outer", "inner")


def _split(group: Sequence[Owner], broken: set[Owner]) -> list[list[Owner]]:
    """By whether the marks came back, else by kind, else in halves."""
    for key in (lambda owner: owner in broken, lambda owner: (owner.part, owner.label == "thinking")):
        parts: dict[object, list[Owner]] = {}
        for owner in group:
            parts.setdefault(key(owner), []).append(owner)
        if len(parts) > 1:
            return list(parts.values())
    return [list(group[: len(group) // 2]), list(group[len(group) // 2 :])]


def cover(
    conversation: Conversation, text: str, followed: Followed, add_generation_prompt: bool
) -> tuple[Span, ...]:
    """The owned stretches, and between them the template's text, cut where a message or the prompt begins."""
    gaps = _Gaps(conversation, followed, add_generation_prompt)
    pieces: list[Run] = []
    position, before = 0, -1
    inside: list[Run] = []  # runs of tool schemas, which lie within the text for a message
    for run in (*followed.runs, None):
        if run is not None and run[2].message is None:
            inside.append(run)
            continue
        start, after = (len(text), None) if run is None else (run[0], run[2].message)
        template = gaps.cut(text, position, start, before, after)
        pieces += _around(inside, template)
        inside = []
        if run is not None:
            pieces.append(run)
            position, before = run[1], run[2].message or 0
    return tuple(Span(start=start, end=end, **dict(owner)) for start, end, owner in _merged(pieces))


class _Gaps:
    """The template's text between the contents of two messages: closing the one, opening the other.

    The closing is what the conversation would end with if it ended there. Gaps that look alike, between
    messages that look alike, are cut alike, so few conversations have to be written for that.
    """

    def __init__(self, conversation: Conversation, followed: Followed, add_generation_prompt: bool) -> None:
        self._conversation = conversation
        self._marks = followed.marks
        self._prompt = add_generation_prompt
        self._with_content = {owner.message for _, _, owner in followed.runs}
        self._known: dict[object, list[int]] = {}
        self._write = followed.write
        self._without_tools: Writer | None = None

    def cut(self, text: str, start: int, end: int, before: int, after: int | None) -> list[Run]:
        """The owners of `text[start:end]`; `before` is −1 at the start, `after` is `None` at the end."""
        if start == end:
            return []
        length = len(self._conversation.messages)
        first = _template(before) if before >= 0 else Owner(part=Part.TEMPLATE, label=PREAMBLE)
        if after == before:
            return [(start, end, first)]
        stop = length if after is None else after
        silent = [index for index in range(before + 1, stop) if index not in self._with_content]
        begins = [*silent, *([] if after is None else [after])]
        owners = [_template(index) for index in begins]
        ends = [before + 1 if index == after and after < before else index for index in begins]
        if after is None and self._prompt:
            owners.append(Owner(part=Part.TEMPLATE, label=GENERATION_PROMPT))
            ends.append(length)
        gap = text[start:end]
        shape = tuple(map(self._shape, range(max(before, 0), min(stop + 1, length))))
        key = (gap, shape, before < 0, after is None, tuple(end - before for end in ends))
        if key not in self._known:
            self._known[key] = [self._closing(length, gap) for length in ends]
        runs: list[Run] = []
        position, owner = start, first
        for cut, next_owner in zip(self._known[key], owners, strict=True):
            if start + cut > position:
                runs.append((position, start + cut, owner))
                position = start + cut
            owner = next_owner
        return [*runs, (position, end, owner)] if position < end else runs

    def _closing(self, length: int, gap: str) -> int:
        """How much of a gap belongs to the first messages: what stands behind them when they are all."""
        shorter = self._shorter(length)
        if shorter is None:
            return 0
        tail = self._marks.tail(shorter)
        shared = shared_prefix(tail, gap)
        if length == 0 and shared < len(tail):  # a default that the first message has taken the place of
            return 0
        return _whole_markers(gap, shared)

    def _shorter(self, length: int) -> str | None:
        """The first messages alone. Many templates refuse a conversation that is cut short, some only because
        tools need a user message."""
        try:
            return self._write(length, False)
        except InputError:
            if not self._conversation.tools:
                return None
        if self._without_tools is None:
            self._without_tools = self._conversation.writer(self._marks, with_tools=False)
        try:
            return self._without_tools(length, False)
        except InputError:
            return None

    def _shape(self, index: int) -> tuple[object, ...]:
        message = self._conversation.messages[index]
        calls = len(message.tool_calls) if isinstance(message, AssistantMessage) else 0
        return message.role, bool(message.content.strip()), min(calls, 2)


def _template(message: int) -> Owner:
    return Owner(part=Part.TEMPLATE, message=message)


def _whole_markers(text: str, cut: int) -> int:
    """The cut, moved to the start of a marker that it would go through."""
    return next(
        (marker.start() for marker in MARKER.finditer(text) if marker.start() < cut < marker.end()), cut
    )


def _around(owned: Iterable[Run], template: Sequence[Run]) -> list[Run]:
    """Owned runs laid over the template's runs."""
    pieces: list[Run] = []
    rest = list(template)
    for start, end, owner in owned:
        while rest and rest[0][0] < start:
            first, last, template_owner = rest.pop(0)
            pieces.append((first, min(last, start), template_owner))
            if last > start:
                rest.insert(0, (start, last, template_owner))
        while rest and rest[0][1] <= end:
            rest.pop(0)
        if rest and rest[0][0] < end:
            rest[0] = (end, rest[0][1], rest[0][2])
        pieces.append((start, end, owner))
    return pieces + rest


def _merged(runs: Iterable[Run]) -> list[Run]:
    merged: list[Run] = []
    for start, end, owner in runs:
        if merged and merged[-1][2] == owner:
            merged[-1] = (merged[-1][0], end, owner)
        else:
            merged.append((start, end, owner))
    return merged


def shared_prefix(first: str, second: str) -> int:
    """How many characters two texts have in common from the start."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(first), len(second)))
