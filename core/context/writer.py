"""Many contexts of one run, written and counted without writing each of them from its beginning.

A ChatML text is its head (system prompt and tool schemas), then the messages, then the opening of the
assistant's turn. A message is written the same whatever stands around it, save that results in a row share a
turn, and no token reaches from one turn into the next, for control tokens part them. So each turn is written
once and then found again. Other templates give no such promise: with them every context is written whole.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from core.context.assemble import TokenCounter, assemble
from core.context.shorten import Source
from core.errors import InputError
from core.messages import Message, SystemMessage, ToolResultMessage, ToolSchema
from core.messages.rendered import GENERATION_PROMPT
from core.messages.templates import template_name
from core.trace import Segment

_Segments = tuple[Segment, ...]


class ContextWriter:
    """Writes contexts with one counter, as `assemble` does; but segments carry the messages' places.

    `template` is the name of the template.

    Raises:
        InputError: the counter has no tokenizer.
    """

    def __init__(self, counter: TokenCounter) -> None:
        if counter.tokenizer is None:
            raise InputError("What would be sent can be counted with a tokenizer only.")
        self._counter = counter
        self.template = template_name(counter.template)
        self._by_turns = self.template == "chatml"
        self._turns: dict[tuple[Message, ...], tuple[_Segments, int]] = {}
        self._heads: dict[tuple[Message | None, tuple[str, ...]], tuple[_Segments, int]] = {}
        self._placed: dict[tuple[int | None, ...], dict[tuple[Message, ...], _Segments]] = {}
        self._opening: Segment | None = assemble((), (), counter)[-1] if self._by_turns else None

    def context(self, sources: Sequence[Source], tools: Sequence[ToolSchema]) -> tuple[Segment, ...]:
        """The segments of a context; `message` is the place of the message, `None` where it was added."""
        if not self._by_turns:
            written = assemble([message for _, message in sources], tools, self._counter)
            return _at_places(written, [place for place, _ in sources])
        head, rest = _parted(sources)
        segments = list(_at_places(self._head(head, tools)[0], [place for place, _ in head]))
        for turn in _turns(rest):
            places = tuple(place for place, _ in turn)
            messages = tuple(message for _, message in turn)
            known = self._placed.setdefault(places, {})
            if messages not in known:
                known[messages] = _at_places(self._turn(messages)[0], places)
            segments += known[messages]
        return (*segments, *([self._opening] if self._opening else []))

    def tokens(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> int:
        """The number of tokens of the context with these messages."""
        if not self._by_turns:
            return _size(assemble(messages, tools, self._counter))
        head, rest = _parted([(None, message) for message in messages])
        opening = self._opening.tokens if self._opening else 0
        turns = (self._turn(tuple(message for _, message in turn))[1] for turn in _turns(rest))
        return self._head(head, tools)[1] + sum(turns) + (opening or 0)

    def _head(self, head: Sequence[Source], tools: Sequence[ToolSchema]) -> tuple[_Segments, int]:
        system = head[0][1] if head else None
        key = (system, tuple(tool.model_dump_json() for tool in tools))
        if key not in self._heads:
            self._heads[key] = self._written(() if system is None else (system,), tools)
        return self._heads[key]

    def _turn(self, messages: tuple[Message, ...]) -> tuple[_Segments, int]:
        if messages not in self._turns:
            self._turns[messages] = self._written(messages, ())
        return self._turns[messages]

    def _written(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> tuple[_Segments, int]:
        segments = tuple(
            segment
            for segment in assemble(messages, tools, self._counter)
            if segment.label != GENERATION_PROMPT or segment.message is not None
        )
        return segments, _size(segments)


def _parted(sources: Sequence[Source]) -> tuple[Sequence[Source], Sequence[Source]]:
    """The system prompt, where there is one, and what follows."""
    first = 1 if sources and isinstance(sources[0][1], SystemMessage) else 0
    return sources[:first], sources[first:]


def _turns(sources: Sequence[Source]) -> Iterator[list[Source]]:
    """One message each, or results that stand in a row."""
    for together, found in groupby(sources, key=lambda source: isinstance(source[1], ToolResultMessage)):
        if together:
            yield list(found)
        else:
            yield from ([source] for source in found)


def _at_places(segments: Sequence[Segment], places: Sequence[int | None]) -> _Segments:
    return tuple(
        segment
        if segment.message is None or places[segment.message] == segment.message
        else segment.model_copy(update={"message": places[segment.message]})
        for segment in segments
    )


def _size(segments: Sequence[Segment]) -> int:
    return sum(segment.tokens or 0 for segment in segments)
