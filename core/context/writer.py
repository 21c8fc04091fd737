"""Many contexts of one run, written and counted without writing each of them from its beginning.

A ChatML text is its head (system prompt and tool schemas), then the messages, then the opening of the
assistant's turn. A message is written the same whatever stands around it, save that results in a row share a
turn, and no token reaches from one turn into the next, for control tokens part them. So each turn is written
once and then found again. Other templates give no such promise: with them every context is written whole.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise

from core.context.assemble import Insert, TokenCounter, assemble
from core.context.shorten import Source
from core.context.tally import Tally, shared_prefix
from core.errors import InputError
from core.messages import Message, SystemMessage, ToolResultMessage, ToolSchema
from core.messages.rendered import GENERATION_PROMPT
from core.messages.templates import template_name
from core.trace import Part, Segment

SUMMARY = "summary"
"""The label of what stands for compacted messages."""

_Segments = tuple[Segment, ...]
_Messages = tuple[Message, ...]
_Ids = tuple[int, ...]


class ContextWriter:
    """Writes contexts with one counter, as `assemble` does; but segments carry the messages' places.

    `template` is the name of the template, and `by_turns` whether what was written once is found again.

    Raises:
        InputError: the counter has no tokenizer.
    """

    def __init__(self, counter: TokenCounter) -> None:
        if counter.tokenizer is None:
            raise InputError("What would be sent can be counted with a tokenizer only.")
        self.template = template_name(counter.template)
        self.by_turns = self.template == "chatml"
        self._counter = counter
        self._opening = assemble((), (), counter)[-1:] if self.by_turns else ()
        # By identity, for to hash a message takes longer than all else; held, so that no id is used twice.
        self._held: dict[int, Message | ToolSchema] = {}
        self._marks: dict[int, Insert] = {}
        self._heads: dict[tuple[_Ids, _Ids], _Segments] = {}
        self._turns: dict[_Ids, _Segments] = {}
        self._placed: dict[tuple[_Ids, tuple[int | None, ...]], _Segments] = {}
        self._sizes: dict[int, int] = {}  # of a message in a turn of its own
        self._first_saves, self._second_saves = self._savings() if self.by_turns else (0, 0)
        self._seams: dict[tuple[int, int], int] = {}

    def prepare(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> None:
        """Write a conversation at once, message for message: that is faster than one turn after the other."""
        if not self.by_turns:
            return
        first = _head_of(messages)
        head = self.head(messages[:first], tools)
        written = assemble(messages, tools, self._counter)[len(head) : -1]
        starts = list(accumulate((segment.message or 0 for segment in written), max))
        at = first
        for turn in _turns(messages[first:]):
            places = tuple(range(at, at + len(turn)))
            of_each = [
                written[bisect_left(starts, place) : bisect_left(starts, place + 1)] for place in places
            ]
            self._hold(turn)
            self._placed[tuple(map(id, turn)), places] = tuple(chain(*of_each))
            for number, (message, segments) in enumerate(zip(turn, of_each, strict=True)):
                follows, goes_on = number > 0, number < len(turn) - 1
                self._sizes[id(message)] = (
                    _size(segments) + goes_on * self._first_saves + follows * self._second_saves
                )
            at += len(turn)

    def mark(self, message: Message, insert: Insert) -> None:
        """Name a stretch of a message that is not written yet."""
        self._hold((message,))
        self._marks[id(message)] = insert

    def context(self, sources: Sequence[Source], tools: Sequence[ToolSchema]) -> _Segments:
        """The segments of a context; `message` is the place of the message, `None` where it was added."""
        messages = [message for _, message in sources]
        places = [place for place, _ in sources]
        if not self.by_turns:
            return _at_places(self._assembled(messages, tools), places)
        first = _head_of(messages)
        head = _at_places(self.head(messages[:first], tools), places[:first])
        return tuple(chain(head, *(part for _, part in self.turns(sources[first:])), self._opening))

    def turns(self, sources: Sequence[Source]) -> Iterator[tuple[int, _Segments]]:
        """The turns of some messages without their head: how many messages, and the segments."""
        at = 0
        for turn in _turns([message for _, message in sources]):
            places = tuple([place for place, _ in sources[at : at + len(turn)]])
            at += len(turn)
            key = tuple(map(id, turn)), places
            if key not in self._placed:
                self._placed[key] = _at_places(self._turn(turn), places)
            yield len(turn), self._placed[key]

    def tokens(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> int:
        """The number of tokens of the context with these messages."""
        if not self.by_turns:
            return _size(self._assembled(messages, tools))
        first = _head_of(messages)
        ids = list(map(id, messages[first:]))
        try:
            turns = sum(map(self._sizes.__getitem__, ids))
        except KeyError:
            turns = sum(map(self._size_of, messages[first:]))
        pairs = list(pairwise(ids))
        try:
            saved = sum(map(self._seams.__getitem__, pairs))
        except KeyError:
            saved = sum(map(self._saved, pairs))
        return _size(self.head(messages[:first], tools)) + turns - saved + _size(self._opening)

    def head(self, head: Sequence[Message], tools: Sequence[ToolSchema]) -> _Segments:
        """The segments of the system prompt, if there is one, and of the tools."""
        key = tuple(map(id, head)), tuple(map(id, tools))
        if key not in self._heads:
            self._hold((*head, *tools))
            self._heads[key] = self._written(head, tools)
        return self._heads[key]

    @property
    def opening(self) -> _Segments:
        """The opening of the assistant's turn, with which every context ends."""
        return self._opening

    def _savings(self) -> tuple[int, int]:
        """The tokens that the first and the second of two results save by standing in one turn.

        What stands between them is the template's alone, so these are the same for all results.
        """
        result = ToolResultMessage(tool_call_id="", content="")
        alone, together = _size(self._written((result,), ())), self._written((result, result), ())
        first, second = ([part for part in together if part.message == place] for place in (0, 1))
        return alone - _size(first), alone - _size(second)

    def _saved(self, ids: tuple[int, int]) -> int:
        """The tokens that two messages save by standing one behind the other."""
        if ids not in self._seams:
            results = (isinstance(self._held[id_], ToolResultMessage) for id_ in ids)
            self._seams[ids] = self._first_saves + self._second_saves if all(results) else 0
        return self._seams[ids]

    def _size_of(self, message: Message) -> int:
        if id(message) not in self._sizes:
            self._sizes[id(message)] = _size(self._turn((message,)))
        return self._sizes[id(message)]

    def _turn(self, messages: _Messages) -> _Segments:
        key = tuple(map(id, messages))
        if key not in self._turns:
            self._hold(messages)
            self._turns[key] = self._written(messages, ())
        return self._turns[key]

    def _hold(self, things: Sequence[Message | ToolSchema]) -> None:
        self._held.update((id(thing), thing) for thing in things)

    def _written(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> _Segments:
        return tuple(
            segment
            for segment in self._assembled(messages, tools)
            if segment.label != GENERATION_PROMPT or segment.message is not None
        )

    def _assembled(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> _Segments:
        marks = [self._marks[id(message)] for message in messages if id(message) in self._marks]
        counter = replace(self._counter, inserts=(*marks, *self._counter.inserts)) if marks else self._counter
        return assemble(messages, tools, counter)


class GrowingContext:
    """One context of a run after the other: what two begin with in common is put together and counted once.

    `tally` has the tokens of the last one.
    """

    def __init__(self, writer: ContextWriter) -> None:
        self.tally = Tally()
        self._writer = writer
        self._sources: Sequence[Source] = ()
        self._segments: list[Segment] = []
        self._ends: list[int] = []  # how many segments there are up to each of the sources

    def next(self, sources: Sequence[Source], tools: Sequence[ToolSchema]) -> _Segments:
        """As the writer's `context`."""
        segments = self._next(sources, tools)
        self.tally.replace(segments)
        return segments

    def _next(self, sources: Sequence[Source], tools: Sequence[ToolSchema]) -> _Segments:
        if not self._writer.by_turns:
            return self._writer.context(sources, tools)
        first = _head_of([message for _, message in sources[:1]])
        head, body = sources[:first], sources[first:]
        same = shared_prefix(self._sources, body)
        while same and isinstance(body[same - 1][1], ToolResultMessage):
            same -= 1  # a row of results may go on, and is then another turn
        del self._ends[same:]
        del self._segments[self._ends[-1] if self._ends else 0 :]
        for count, segments in self._writer.turns(body[same:]):
            self._segments += segments
            self._ends += [len(self._segments)] * count
        self._sources = body
        written = self._writer.head([message for _, message in head], tools)
        return tuple(
            chain(_at_places(written, [place for place, _ in head]), self._segments, self._writer.opening)
        )


def _head_of(messages: Sequence[Message]) -> int:
    """1 where the first message is the system prompt, which stands in one turn with the tools; else 0."""
    return int(bool(messages) and isinstance(messages[0], SystemMessage))


def _turns(messages: Sequence[Message]) -> Iterator[_Messages]:
    """One message each, or results that stand in a row."""
    row: list[Message] = []
    for message in messages:
        if isinstance(message, ToolResultMessage):
            row.append(message)
            continue
        if row:
            yield tuple(row)
            row = []
        yield (message,)
    if row:
        yield tuple(row)


def _at_places(segments: Sequence[Segment], places: Sequence[int | None]) -> _Segments:
    return tuple(
        segment
        if segment.message is None or places[segment.message] == segment.message
        else segment.model_copy(update=_placed(segment.part, places[segment.message]))
        for segment in segments
    )


def _placed(part: Part, place: int | None) -> dict[str, object]:
    """What changes of a segment at another place. What was added for messages that are gone is a summary."""
    return {"message": place} | ({"label": SUMMARY} if place is None and part is not Part.TEMPLATE else {})


def _size(segments: Sequence[Segment]) -> int:
    return sum(segment.tokens or 0 for segment in segments)
