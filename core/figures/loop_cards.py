"""The messages of a run as cards that come one by one, each result paired with its call."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from core.figures.loop_timeline import call_text, counted, shortened, slug
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from core.trace import Part, Segment, Step, StepKind, Trace
from core.values import Value

LONGEST = 4_000
"""Characters of a message that are shown; a tool can return a whole file."""


class Card(Value):
    """A message, or a part of one, that is in the list from step `since` on.

    `awaited` is the step from which a result is waited for. `pair` is shared by a call and its result.
    """

    kind: str
    part: str
    text: str
    is_code: bool = False
    call_id: str = ""
    pair: int | None = None
    tokens: str = ""
    is_error: bool = False
    since: int | None = 0
    awaited: int | None = None


def cards_of(trace: Trace) -> tuple[tuple[Card, ...], list[int | None]]:
    """Return the cards in order, and for each step the index of the card that it is about."""
    reader = _CardReader(_segments_by_message(trace))
    if trace.system is not None:
        reader.add(SystemMessage(content=trace.system), since=0)
    for message in trace.history:
        reader.add(message, since=0)
    current = [reader.read(step, number) for number, step in enumerate(trace.steps, start=1)]
    reader.close()
    return tuple(reader.cards), current


class _CardReader:
    """Follows the messages and pairs each result with the nearest open call of its id."""

    def __init__(self, segments: Mapping[int, Sequence[Segment]]) -> None:
        self.cards: list[Card] = []
        self._segments = segments
        self._messages = 0
        self._open: dict[str, int] = {}  # id of a call without result: index of its card
        self._latest: dict[StepKind | str, int] = {}  # what a step can be about: index of its card

    def read(self, step: Step, number: int) -> int | None:
        """Add what a step appended; return the card that it is about."""
        if step.appended is not None:
            self.add(step.appended, since=number)
        match step:
            case Step(kind=StepKind.VALIDATION, tool_call=None, appended=AssistantMessage()):
                self._rename(StepKind.ANSWER, StepKind.VALIDATION, "AssistantMessage · not readable")
            case Step(kind=StepKind.THOUGHT) if StepKind.THOUGHT not in self._latest:
                self._rename(StepKind.ANSWER, StepKind.THOUGHT, "AssistantMessage · thought")
            case Step(kind=StepKind.OBSERVATION, appended=UserMessage()):
                self._rename(StepKind.USER_INPUT, StepKind.OBSERVATION, "UserMessage · format error")
        about_call = step.kind in (
            StepKind.TOOL_CALL,
            StepKind.VALIDATION,
            StepKind.EXECUTION,
            StepKind.GUARD,
        )
        return self._latest.get(step.tool_call.id if about_call and step.tool_call else step.kind)

    def add(self, message: Message, since: int) -> None:
        """Add the cards of a message that is in the history from step `since` on."""
        segments = self._segments.get(self._messages, ())
        self._messages += 1
        match message:
            case ToolResultMessage():
                self._add_result(message, since, segments)
            case AssistantMessage():
                self.close()
                self._add_reply(message, since, segments)
            case SystemMessage():
                self._put(Part.SYSTEM, "SystemMessage", message.content, since, segments)
            case _:
                self.close()
                self._latest[StepKind.USER_INPUT] = self._put(
                    Part.USER, "UserMessage", message.content, since, segments
                )

    def close(self) -> None:
        """Let the calls that have no result when the next message comes wait for ever."""
        for call_id, call in self._open.items():
            self.cards.append(
                Card(
                    kind="ToolResultMessage",
                    part=slug(Part.TOOL_RESULT),
                    text="",
                    call_id=call_id,
                    pair=call,
                    since=None,
                    awaited=self.cards[call].since,
                )
            )
        self._open = {}

    def _rename(self, kind: StepKind, to: StepKind, name: str) -> None:
        """Say what a card is where its message does not tell it, and have the other kind of step find it."""
        index = self._latest.pop(kind, None)
        if index is not None:
            self._latest[to] = index
            self.cards[index] = self.cards[index].model_copy(update={"kind": name})

    def _add_reply(self, message: AssistantMessage, since: int, segments: Sequence[Segment]) -> None:
        self._latest = {}
        thought, answer = "AssistantMessage · thought", "AssistantMessage · answer"
        if message.thinking and message.thinking.strip():
            # Without a count: a template may leave the thinking span out, or write it into another place.
            self._latest[StepKind.THOUGHT] = self._put(Part.ASSISTANT, thought, message.thinking, since, ())
        of_calls = [segment for segment in segments if segment.part is Part.TOOL_CALL]
        known = len(of_calls) == len(message.tool_calls)
        if message.content.strip():
            kind = thought if message.tool_calls else answer
            # Where a call is sent as text, the count would be that of thought and call together.
            own = segments if known else ()
            index = self._put(Part.ASSISTANT, kind, message.content, since, own)
            self._latest.setdefault(StepKind.THOUGHT if message.tool_calls else StepKind.ANSWER, index)
        for number, call in enumerate(message.tool_calls):
            own = of_calls[number : number + 1] if known else ()
            index = self._put(Part.TOOL_CALL, "tool_call", call_text(call), since, own)
            self.cards[index] = self.cards[index].model_copy(
                update={"is_code": True, "call_id": call.id, "pair": index}
            )
            self._open[call.id] = self._latest[call.id] = index

    def _add_result(self, message: ToolResultMessage, since: int, segments: Sequence[Segment]) -> None:
        call = self._open.pop(message.tool_call_id, None)
        index = self._put(Part.TOOL_RESULT, "ToolResultMessage", message.content, since, segments)
        self.cards[index] = self.cards[index].model_copy(
            update={
                "call_id": message.tool_call_id,
                "pair": call,
                "is_error": message.is_error,
                "awaited": None if call is None else self.cards[call].since,
            }
        )
        self._latest[StepKind.OBSERVATION] = index

    def _put(self, part: Part, kind: str, text: str, since: int, segments: Sequence[Segment]) -> int:
        own = [segment for segment in segments if segment.part is part]
        tokens = total_of(own) if own else None
        label = "" if tokens is None else counted(tokens, "token")
        self.cards.append(
            Card(kind=kind, part=slug(part), text=shortened(text, LONGEST), tokens=label, since=since)
        )
        return len(self.cards) - 1


def _segments_by_message(trace: Trace) -> dict[int, list[Segment]]:
    """Return the segments of each message, from the first call that sends it as it stands in the history."""
    found: dict[int, list[Segment]] = {}
    sent = sent_after(trace)
    for index, call in whole_calls(trace):
        new: dict[int, list[Segment]] = {number: [] for number in range(len(found), sent[index])}
        for segment in call:
            if segment.message in new:
                new[segment.message].append(segment)
        found |= new
    return found


def whole_calls(trace: Trace) -> Iterator[tuple[int, Sequence[Segment]]]:
    """Yield step and segments of the calls that send the whole history, so that their indices are its own."""
    for index, (step, there) in enumerate(zip(trace.steps, sent_after(trace), strict=True)):
        if step.model_call is not None and step.model_call.segments:
            segments = step.model_call.segments
            sent = {segment.message for segment in segments if segment.message is not None}
            if len(sent) == there and sent == set(range(there)):
                yield index, segments


def sent_after(trace: Trace) -> tuple[int, ...]:
    """Return how many messages there are after each step, the system prompt included."""
    before = (trace.system is not None) + len(trace.history)
    return tuple(before + count for count in accumulate(step.appended is not None for step in trace.steps))


def total_of(segments: Sequence[Segment] | None) -> int | None:
    if segments is None:
        return None
    counts = [segment.tokens for segment in segments]
    return None if None in counts else sum(count for count in counts if count is not None)
