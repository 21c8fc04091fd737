"""The messages of a run as cards that come one by one, each result paired with its call."""

from collections.abc import Mapping, Sequence

from core.figures.loop_sent import segments_by_message, total_of
from core.figures.loop_timeline import call_text, counted, shortened, slug
from core.figures.loop_tokens import Stretch, stretches
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from core.trace import ModelCall, Part, Segment, Step, StepKind, Trace, Validation
from core.values import Value

LONGEST = 4_000
"""Characters of a message that are shown; a tool can return a whole file."""

LAST_WORD = "the runtime, to the user · not in the context"
"""What is said at the step cap. Nothing is appended: line 9 only returns it."""


class Card(Value):
    """A message, or a part of one, that is in the list from step `since` on.

    `awaited` is the step from which a result is waited for. `pair` is shared by a call and its result.
    `drawn` are the tokens of which it was made, where the model told them. `instead_of` is what stood there
    before somebody changed it; `None` where nobody has.
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
    drawn: Stretch | None = None
    instead_of: str | None = None


def cards_of(trace: Trace) -> tuple[tuple[Card, ...], list[int | None]]:
    """Return the cards in order, and for each step the index of the card that it is about."""
    reader = _CardReader(segments_by_message(trace))
    if trace.system is not None:
        reader.add(SystemMessage(content=trace.system), since=0)
    for message in trace.history:
        reader.add(message, since=0)
    current = [reader.read(step, number) for number, step in enumerate(trace.steps, start=1)]
    reader.close()
    parting = trace.parting
    changed = current[parting.step] if parting is not None and parting.step < len(current) else None
    if parting is not None and changed is not None:
        was = shortened(parting.instead_of, LONGEST)
        reader.cards[changed] = reader.cards[changed].model_copy(update={"instead_of": was})
    return tuple(reader.cards), current


class _CardReader:
    """Follows the messages and pairs each result with the nearest open call of its id."""

    def __init__(self, segments: Mapping[int, Sequence[Segment]]) -> None:
        self.cards: list[Card] = []
        self._segments = segments
        self._messages = 0
        self._open: dict[str, list[int]] = {}  # id of calls without result: indices of their cards
        self._asked: set[str] = set()  # the ids of all calls
        self._latest: dict[StepKind | str, int] = {}  # what a step can be about: index of its card
        self._calls = 0
        self._call: ModelCall | None = None  # whose reply has not been appended yet

    def read(self, step: Step, number: int) -> int | None:
        """Add what a step appended; return the card that it is about."""
        if step.model_call is not None:
            self._add_call(step.model_call, number)
        if step.appended is not None:
            self.add(step.appended, since=number)
        match step:
            case Step(kind=StepKind.STOP, guard="step cap") if step.text:
                self._latest[StepKind.STOP] = self._put(Part.TEMPLATE, LAST_WORD, step.text, number, ())
            case Step(kind=StepKind.VALIDATION, tool_call=None, appended=AssistantMessage()):
                self._rename(StepKind.ANSWER, StepKind.VALIDATION, "AssistantMessage · not readable")
            case Step(kind=StepKind.THOUGHT) if StepKind.THOUGHT not in self._latest:
                self._rename(StepKind.ANSWER, StepKind.THOUGHT, "AssistantMessage · thought")
            case Step(guard="goal test", validation=Validation(ok=False)):
                self._rename(StepKind.ANSWER, StepKind.GUARD, "AssistantMessage · goal not reached")
            case Step(kind=StepKind.OBSERVATION, appended=UserMessage()):
                name = "goal test" if StepKind.GUARD in self._latest else "format error"
                self._rename(StepKind.USER_INPUT, StepKind.OBSERVATION, f"UserMessage · {name}")
        if step.guard == "goal test":
            return self._latest.get(StepKind.GUARD, self._latest.get(StepKind.ANSWER))
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
                name = "SystemMessage · in mid-run" if since else "SystemMessage"
                self._latest[StepKind.USER_INPUT] = self._put(
                    Part.SYSTEM, name, message.content, since, segments
                )
            case _:
                self.close()
                self._latest[StepKind.USER_INPUT] = self._put(
                    Part.USER, "UserMessage", message.content, since, segments
                )

    def close(self) -> None:
        """Let the calls that have no result when the next message comes wait for ever."""
        for call_id, call in ((call_id, call) for call_id, calls in self._open.items() for call in calls):
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

    def _add_call(self, call: ModelCall, since: int) -> None:
        self._calls, self._call = self._calls + 1, call
        self._latest.pop(StepKind.MODEL_CALL, None)
        came = call.reply.content or call.reply.thinking or ""
        if call.failure and came:
            broken = self._put(Part.ASSISTANT, "reply that broke off · not in the context", came, since, ())
            drawn = stretches(call, self._calls, call.reply).get(-1)
            self.cards[broken] = self.cards[broken].model_copy(update={"drawn": drawn})
            self._latest[StepKind.MODEL_CALL] = broken

    def _add_reply(self, message: AssistantMessage, since: int, segments: Sequence[Segment]) -> None:
        self._latest = {}
        first = len(self.cards)
        thought, answer = "AssistantMessage · thought", "AssistantMessage · answer"
        if message.thinking and message.thinking.strip():
            # Without a count: a template may leave the thinking span out, or write it into another place.
            self._latest[StepKind.THOUGHT] = self._put(Part.ASSISTANT, thought, message.thinking, since, ())
        of_calls = [segment for segment in segments if segment.part is Part.TOOL_CALL]
        known = len(of_calls) == len(message.tool_calls)
        silent = not (message.content.strip() or message.tool_calls or (message.thinking or "").strip())
        if message.content.strip() or silent:
            kind = thought if message.tool_calls else answer
            # Where a call is sent as text, the count would be that of thought and call together.
            own = segments if known else ()
            kind = "AssistantMessage · empty" if silent else kind
            index = self._put(Part.ASSISTANT, kind, message.content, since, own)
            self._latest.setdefault(StepKind.THOUGHT if message.tool_calls else StepKind.ANSWER, index)
        for number, call in enumerate(message.tool_calls):
            own = of_calls[number : number + 1] if known else ()
            # A message that holds calls alone has no other card that would name it.
            name = "AssistantMessage · tool_call" if len(self.cards) == first else "tool_call"
            index = self._put(Part.TOOL_CALL, name, call_text(call), since, own)
            self.cards[index] = self.cards[index].model_copy(
                update={"is_code": True, "call_id": call.id, "pair": index}
            )
            self._open.setdefault(call.id, []).append(index)
            self._asked.add(call.id)
            self._latest.setdefault(call.id, index)  # of two with one id the first is taken up first
        self._add_tokens(message, first)

    def _add_tokens(self, message: AssistantMessage, first: int) -> None:
        """Give the cards of a reply, those from `first` on, the tokens of which they were made."""
        call, self._call = self._call, None
        if call is None or len(self.cards) == first:
            return
        calls = len(self.cards) - len(message.tool_calls)
        for owner, stretch in stretches(call, self._calls, message).items():
            index = calls + owner if owner >= 0 else max(first, calls - 1)
            self.cards[index] = self.cards[index].model_copy(update={"drawn": stretch})

    def _add_result(self, message: ToolResultMessage, since: int, segments: Sequence[Segment]) -> None:
        same_id = self._open.get(message.tool_call_id, [])
        call = same_id.pop(0) if same_id else None
        if same_id:
            self._latest[message.tool_call_id] = same_id[0]
        known = message.tool_call_id in self._asked
        why = (
            ""
            if call is not None
            else "no id"
            if not message.tool_call_id
            else "again"
            if known
            else "no call"
        )
        kind = " · ".join(filter(None, ("ToolResultMessage", why)))
        index = self._put(Part.TOOL_RESULT, kind, message.content, since, segments)
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
