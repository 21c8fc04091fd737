"""From the messages of a run to its steps, as Prompt-ToolLoop would have taken them.

Each step names the line of `core.agent.pseudocode` that it executes. Validation and execution are not told by
any file, so these steps are left out. A call is taken up when its result comes: so the messages keep the
order in which they stand in the file, also where the results of parallel calls come in another order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.errors import InputError
from core.messages.dialects.reading import with_ids, with_names
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from core.trace import ModelCall, Origin, Step, StepKind, Trace
from core.traces.run import MOST_MESSAGES, Run, Said

LONGEST_TITLE = 80
MOST_CALLS = 1_000

_Place = tuple[int, int, ToolCall]
"""A call with its turn, and its position in the reply."""


def trace_of(run: Run, form: str, file: str = "", notices: Sequence[str] = ()) -> Trace:
    """The trace of a run that was read from a file of format `form`."""
    said, system = list(run.said), run.system
    if system is None and said and isinstance(said[0].message, SystemMessage):
        system = said.pop(0).message.content
    notices = [*notices, *run.notices]
    if len(said) > MOST_MESSAGES:
        notices.append(f"Of {len(said):,} messages the first {MOST_MESSAGES:,} are shown.")
        del said[MOST_MESSAGES:]
    reader = _Steps()
    steps = tuple(reader.steps_of(_paired(said, notices)))
    answered = bool(steps) and steps[-1].kind is StepKind.ANSWER
    if run.stop and not answered:
        steps += (Step(kind=StepKind.STOP, turn=reader.turn, text=run.stop),)
    return Trace(
        title=_title(run, file, form),
        source="imported",
        model=run.model or None,
        system=system,
        tools=run.tools,
        steps=steps,
        stop_reason="answer" if answered else run.stop or None,
        origin=Origin(format=form, file=file, notices=tuple(notices)),
    )


def _paired(said: Sequence[Said], notices: list[str]) -> Sequence[Said]:
    """The same, where every call has an id and every result the id and the name of its call."""
    replies = [one.message for one in said if isinstance(one.message, AssistantMessage)]
    if any(len(reply.tool_calls) > MOST_CALLS for reply in replies):
        raise InputError(f"A reply asks for more than {MOST_CALLS:,} tool calls; no model does.")
    if any(not call.id for reply in replies for call in reply.tool_calls):
        notices.append("Calls without an id got one; results are paired with them by name and order.")
    messages = with_names(with_ids(one.message for one in said))
    return [replace(one, message=message) for one, message in zip(said, messages, strict=True)]


def _title(run: Run, file: str, form: str) -> str:
    asked = next((one.message.content for one in run.said if isinstance(one.message, UserMessage)), "")
    words = " ".join((run.title or asked or file or form).split())
    return words if len(words) <= LONGEST_TITLE else words[: LONGEST_TITLE - 1].rstrip() + "…"


class _Steps:
    """Follows the messages. A result belongs to the nearest earlier call of its id that has no result yet."""

    def __init__(self) -> None:
        self.turn = 0
        self._open: dict[str, list[_Place]] = {}  # calls without a result, of all turns, by id
        self._calls: tuple[ToolCall, ...] = ()  # of the latest reply
        self._waiting: dict[int, ToolCall] = {}  # those of them that were not taken up yet, by position
        self._reply: AssistantMessage | None = None  # to be appended by the next step

    def steps_of(self, said: Sequence[Said]) -> Iterator[Step]:
        for one in said:
            match one.message:
                case AssistantMessage():
                    yield from self._rest()
                    yield from self._replied(one, one.message)
                case ToolResultMessage():
                    yield from self._returned(one.message)
                case _:
                    yield from self._rest()
                    line = 1 if isinstance(one.message, UserMessage) else None
                    yield self._step(StepKind.USER_INPUT, line, one.message, text=one.message.content)
        yield from self._rest()

    def _replied(self, said: Said, reply: AssistantMessage) -> Iterator[Step]:
        self.turn += 1
        call = ModelCall(reply=reply, usage=said.usage, finish_reason=said.finish_reason, tokens=said.tokens)
        yield Step(kind=StepKind.MODEL_CALL, turn=self.turn, line=3, passed=(2,), model_call=call)
        self._reply, self._calls = reply, reply.tool_calls
        self._waiting = dict(enumerate(self._calls))
        for position, tool_call in enumerate(self._calls):
            self._open.setdefault(tool_call.id, []).append((self.turn, position, tool_call))
        beside = reply.content if reply.tool_calls else ""
        thought = "\n\n".join(text for text in (reply.thinking, beside) if text and text.strip())
        if thought:
            yield self._step(StepKind.THOUGHT, 4, self._taken(), text=thought)
        if not reply.tool_calls:
            passed = (4,) if self._reply else ()
            yield self._step(StepKind.ANSWER, 5, self._taken(), passed, text=reply.content)

    def _returned(self, result: ToolResultMessage) -> Iterator[Step]:
        place = self._place_of(result)
        if place is None:
            yield self._step(StepKind.OBSERVATION, 8, result, text=result.content)
            return
        turn, position, call = place
        self._open[call.id].remove(place)
        if turn == self.turn and position in self._waiting:
            yield self._take_up(position)
        yield self._step(StepKind.OBSERVATION, 8, result, call=call, text=result.content)

    def _place_of(self, result: ToolResultMessage) -> _Place | None:
        same_id = self._open.get(result.tool_call_id)
        # Of two calls of one reply with the same id the first is meant, of two turns the later one.
        return next((place for place in same_id if place[0] == same_id[-1][0]), None) if same_id else None

    def _rest(self) -> Iterator[Step]:
        """Take up the calls of the latest reply whose results did not come before the next message."""
        for position in tuple(self._waiting):
            yield self._take_up(position)

    def _take_up(self, position: int) -> Step:
        first = len(self._waiting) == len(self._calls)
        call = self._waiting.pop(position)
        appended = self._taken()
        passed = () if not first else (4, 5) if appended else (5,)
        return self._step(StepKind.TOOL_CALL, 6, appended, passed, call=call)

    def _taken(self) -> AssistantMessage | None:
        """The reply, once: it is appended by the first step after it."""
        reply, self._reply = self._reply, None
        return reply

    def _step(
        self,
        kind: StepKind,
        line: int | None,
        appended: Message | None,
        passed: tuple[int, ...] = (),
        *,
        call: ToolCall | None = None,
        text: str = "",
    ) -> Step:
        return Step(
            kind=kind, turn=self.turn, line=line, passed=passed, appended=appended, tool_call=call, text=text
        )
