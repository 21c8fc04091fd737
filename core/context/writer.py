"""Many contexts of one run, written and counted without writing each of them from its beginning.

A ChatML text is its head (system prompt and tool schemas), then the messages, then the opening of the
assistant's turn. A message is written the same whatever stands around it, save that results in a row share a
turn, and no token reaches from one turn into the next, for control tokens part them. So each turn is written
once and then found again. Other templates give no such promise: with them every context is written whole.
"""

from collections.abc import Iterator, Sequence

from core.context.assemble import TokenCounter, assemble
from core.context.shorten import Source
from core.errors import InputError
from core.messages import Message, SystemMessage, ToolResultMessage, ToolSchema
from core.messages.rendered import GENERATION_PROMPT
from core.messages.templates import template_name
from core.trace import Segment

_Segments = tuple[Segment, ...]
_Messages = tuple[Message, ...]


class ContextWriter:
    """Writes contexts with one counter, as `assemble` does; but segments carry the messages' places.

    `template` is the name of the template.

    Raises:
        InputError: the counter has no tokenizer.
    """

    def __init__(self, counter: TokenCounter) -> None:
        if counter.tokenizer is None:
            raise InputError("What would be sent can be counted with a tokenizer only.")
        self.template = template_name(counter.template)
        self._counter = counter
        self._by_turns = self.template == "chatml"
        self._opening: Segment | None = assemble((), (), counter)[-1] if self._by_turns else None
        self._heads: dict[tuple[Message | None, tuple[str, ...]], tuple[_Segments, int]] = {}
        # By identity, for to hash a message takes longer than all else; held, so that none is used twice.
        self._turns: dict[tuple[int, ...], tuple[_Messages, _Segments, int]] = {}
        self._placed: dict[tuple[int | None, ...], dict[tuple[int, ...], _Segments]] = {}

    def context(self, sources: Sequence[Source], tools: Sequence[ToolSchema]) -> tuple[Segment, ...]:
        """The segments of a context; `message` is the place of the message, `None` where it was added."""
        if not self._by_turns:
            written = assemble([message for _, message in sources], tools, self._counter)
            return _at_places(written, [place for place, _ in sources])
        first = _head_of([message for _, message in sources[:1]])
        segments = list(
            _at_places(
                self._head([message for _, message in sources[:first]], tools)[0],
                [place for place, _ in sources[:first]],
            )
        )
        at = first
        for turn in _turns([message for _, message in sources[first:]]):
            places = tuple([place for place, _ in sources[at : at + len(turn)]])
            at += len(turn)
            key = tuple(map(id, turn))
            known = self._placed.setdefault(places, {})
            if key not in known:
                known[key] = _at_places(self._turn(turn)[1], places)
            segments += known[key]
        return (*segments, *([self._opening] if self._opening else []))

    def tokens(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> int:
        """The number of tokens of the context with these messages."""
        if not self._by_turns:
            return _size(assemble(messages, tools, self._counter))
        first = _head_of(messages)
        opening = self._opening.tokens if self._opening else 0
        turns = (self._turn(turn)[2] for turn in _turns(messages[first:]))
        return self._head(messages[:first], tools)[1] + sum(turns) + (opening or 0)

    def _head(self, head: Sequence[Message], tools: Sequence[ToolSchema]) -> tuple[_Segments, int]:
        key = (head[0] if head else None, tuple(tool.model_dump_json() for tool in tools))
        if key not in self._heads:
            self._heads[key] = self._written(head, tools)
        return self._heads[key]

    def _turn(self, messages: _Messages) -> tuple[_Messages, _Segments, int]:
        key = tuple(map(id, messages))
        if key not in self._turns:
            self._turns[key] = (messages, *self._written(messages, ()))
        return self._turns[key]

    def _written(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> tuple[_Segments, int]:
        segments = tuple(
            segment
            for segment in assemble(messages, tools, self._counter)
            if segment.label != GENERATION_PROMPT or segment.message is not None
        )
        return segments, _size(segments)


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
        else segment.model_copy(update={"message": places[segment.message]})
        for segment in segments
    )


def _size(segments: Sequence[Segment]) -> int:
    return sum(segment.tokens or 0 for segment in segments)
