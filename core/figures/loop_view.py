"""The ReAct loop as a picture: what the screen shows at every step of a trace, as plain values.

Everything is worded and counted here; the browser lays it out and steps through it. What grows with the run
(cards, symbols, contexts) is told once, and each frame says how much of it is there.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from core.agent import PROMPT_TOOL_LOOP, CodeLine, LoopState, states
from core.context import run_budget
from core.messages.types import AssistantMessage, Message, SystemMessage, ToolCall, ToolResultMessage
from core.trace import ModelCall, Part, Segment, Step, StepKind, Trace, Validation
from core.values import Value

LONGEST = 4_000
"""Characters of a message that are shown; a tool can return a whole file."""

KEYWORDS = re.compile(r"\b(for each|for|do|if|then|return|try|catch)\b")
SOURCES: Mapping[str, str] = {
    "scripted": "scripted model, real loop, real tools",
    "live": "live model, real loop, real tools",
    "recorded": "a recorded run",
    "imported": "a run from a file",
}

# A step has the colour of the part of the context which it is about. A model call is about all of them.
PARTS: Mapping[StepKind, Part] = {
    StepKind.USER_INPUT: Part.USER,
    StepKind.MODEL_CALL: Part.TEMPLATE,
    StepKind.THOUGHT: Part.ASSISTANT,
    StepKind.TOOL_CALL: Part.TOOL_CALL,
    StepKind.VALIDATION: Part.TOOL_CALL,
    StepKind.EXECUTION: Part.TOOL_CALL,
    StepKind.OBSERVATION: Part.TOOL_RESULT,
    StepKind.ANSWER: Part.ASSISTANT,
    StepKind.STOP: Part.TEMPLATE,
}
ACTS: Mapping[StepKind, str] = {
    StepKind.TOOL_CALL: "request",
    StepKind.VALIDATION: "validate",
    StepKind.EXECUTION: "execute",
    StepKind.OBSERVATION: "result of",
}
RUNGS = ("valid JSON", "tool exists", "schema conforms", "executed")
CHECKS = ("json", "tool", "schema")


class Stop(Value):
    """One step on the timeline: its colour, its kind, its turn, and its caption in two parts."""

    part: str
    kind: str
    turn: int
    place: str
    caption: str


class Word(Value):
    """A stretch of a line of pseudocode."""

    text: str
    keyword: bool


class Line(Value):
    """A numbered line of pseudocode."""

    number: int
    indent: int
    words: tuple[Word, ...]
    comment: str


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


class Rung(Value):
    """One check on the way of a call, and how it went: `tone` is good, bad or open."""

    name: str
    verdict: str
    tone: str


class Ladder(Value):
    """The way of the current call through validation to execution."""

    title: str
    rungs: tuple[Rung, ...]
    message: str = ""


class PartCount(Value):
    """The tokens of one part."""

    part: str
    name: str
    tokens: int
    label: str


class ContextView(Value):
    """The context of a call by parts. `total` and `window` are `None` where they are not known."""

    title: str
    parts: tuple[PartCount, ...]
    total: int | None
    window: int | None
    label: str
    note: str


class Variable(Value):
    """A variable of the loop."""

    name: str
    value: str


class Frame(Value):
    """What holds after one step. `symbols` counts those that are there; `about` is the current one."""

    line: int | None
    passed: tuple[int, ...]
    variables: tuple[Variable, ...]
    change: str
    card: int | None
    ladder: Ladder
    context: int
    context_name: str
    symbols: int
    about: int | None


class Symbol(Value):
    """A symbol of c_k with its index."""

    letter: str
    index: str


class LoopView(Value):
    """All that the screen draws. Bars of contexts are drawn to the scale of `largest`, in tokens."""

    code: tuple[Line, ...]
    cards: tuple[Card, ...]
    symbols: tuple[Symbol, ...]
    contexts: tuple[ContextView, ...]
    largest: int
    frames: tuple[Frame, ...]


def loop_view(trace: Trace) -> LoopView:
    """Return what the screen shows at each step of a trace."""
    after = states(trace)
    cards, current = _cards(trace)
    contexts: dict[ContextView, int] = {}
    frames = [
        Frame(
            line=step.line,
            passed=step.passed,
            variables=_variables(trace, state),
            change=_change(trace, index),
            card=current[index],
            ladder=_ladder(trace, index),
            context=contexts.setdefault(_context(trace, index), len(contexts)),
            context_name=_context_name(state),
            symbols=len(state.context),
            about=state.about,
        )
        for index, (step, state) in enumerate(zip(trace.steps, after, strict=True))
    ]
    return LoopView(
        code=tuple(_line(line) for line in PROMPT_TOOL_LOOP),
        cards=cards,
        symbols=tuple(Symbol(letter=name[0], index=name[1:]) for name in after[-1].context) if after else (),
        contexts=tuple(contexts),
        largest=max((call.total or 0 for call in run_budget(trace).calls), default=0),
        frames=tuple(frames),
    )


def timeline(trace: Trace) -> tuple[Stop, ...]:
    """Return one stop for each step of a trace."""
    return tuple(
        Stop(
            part=slug(PARTS[step.kind]),
            kind=slug(step.kind),
            turn=step.turn,
            place=f"step {number} of {len(trace.steps)}" + (f" · turn {step.turn}" if step.turn else ""),
            caption=_caption(step),
        )
        for number, step in enumerate(trace.steps, start=1)
    )


def slug(word: str) -> str:
    """Return a word as it stands in the names of classes and colours: `tool-call`."""
    return word.replace(" ", "-")


def call_text(call: ToolCall) -> str:
    """Return a call as code, `get_weather(city="Paris")`; arguments that are no JSON object stay raw."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return f"{call.name}({call.arguments})"
    words = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{call.name}({', '.join(words)})"


def _caption(step: Step) -> str:
    if step.kind in ACTS and step.tool_call is not None:
        return _shortened(f"{ACTS[step.kind]} {call_text(step.tool_call)}", 120)
    return step.kind.value


def _line(line: CodeLine) -> Line:
    words = (Word(text=text, keyword=bool(KEYWORDS.fullmatch(text))) for text in KEYWORDS.split(line.text))
    return Line(
        number=line.number,
        indent=line.indent,
        words=tuple(word for word in words if word.text),
        comment=line.comment,
    )


def _variables(trace: Trace, state: LoopState) -> tuple[Variable, ...]:
    cap = f" of {trace.max_steps}" if trace.max_steps is not None else ""
    return (
        Variable(name="step", value=f"{state.turn}{cap}" if state.turn else "not yet in the loop"),
        Variable(name="history", value=_counted(state.history, "message")),
        Variable(name="pending calls", value=", ".join(state.pending) or "none"),
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


# --- what changed


def _change(trace: Trace, index: int) -> str:
    step = trace.steps[index]
    reply = "The reply is appended to the context. " if isinstance(step.appended, AssistantMessage) else ""
    match step.kind:
        case StepKind.USER_INPUT:
            return "The user's message is appended to the context."
        case StepKind.MODEL_CALL:
            return _model_called(step.model_call)
        case StepKind.THOUGHT:
            return f"{reply}A thought acts on nothing: that it stands in the context is all it does."
        case StepKind.TOOL_CALL:
            return f"{reply}The loop takes up a call. It is a request only: no tool has run for it yet."
        case StepKind.VALIDATION:
            return _validated(step.validation)
        case StepKind.EXECUTION:
            if step.text.startswith("ERROR: "):
                return "The tool raised an error. The loop catches it: it becomes the result of the call."
            return "The tool has run. Its result is not in the context yet."
        case StepKind.OBSERVATION:
            return _observed(step)
        case StepKind.ANSWER:
            return f"{reply}It asks for no tool, so its text is the answer and the loop ends."
        case StepKind.STOP:
            if step.line == PROMPT_TOOL_LOOP[-1].number:
                return "The step budget is spent: the loop ends without an answer."
            return f"The run stops. {step.text}".strip()


def _model_called(call: ModelCall | None) -> str:
    if call is None:
        return "The model is called with the whole context."
    has_text = bool(call.reply.content or call.reply.thinking)
    calls = len(call.reply.tool_calls)
    reply = " and ".join(["text"] * has_text + [_counted(calls, "tool call")] * bool(calls)) or "nothing"
    total = _total(call.segments)
    sent = f": {total:,} tokens" if total is not None else ""
    return f"The whole context is sent{sent}. The model replies with {reply}."


def _validated(verdict: Validation | None) -> str:
    if verdict is None:
        return "The call is checked; how it went is not in this trace."
    if verdict.ok:
        return "The call passes all three checks, so the tool may run."
    if verdict.stage is None:
        return "The call is refused before the first check."
    return f"The call fails at the check “{RUNGS[CHECKS.index(verdict.stage)]}”, so the tool does not run."


def _observed(step: Step) -> str:
    result = step.appended
    if not isinstance(result, ToolResultMessage):
        return "The result of the call comes back."
    what = "The error is appended as the result" if result.is_error else "The result is appended"
    end = " The model can read it and repair the call." if result.is_error else ""
    return f"{what}, with the id of its call: {result.tool_call_id}.{end}"


# --- the messages


def _cards(trace: Trace) -> tuple[tuple[Card, ...], list[int | None]]:
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
        if step.kind in (StepKind.TOOL_CALL, StepKind.VALIDATION, StepKind.EXECUTION):
            return self._latest.get(step.tool_call.id) if step.tool_call else None
        return self._latest.get(step.kind)

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

    def _add_reply(self, message: AssistantMessage, since: int, segments: Sequence[Segment]) -> None:
        self._latest = {}
        thought, answer = "AssistantMessage · thought", "AssistantMessage · answer"
        if message.thinking and message.thinking.strip():
            # Without a count: a template may leave the thinking span out, or write it into another place.
            self._latest[StepKind.THOUGHT] = self._put(Part.ASSISTANT, thought, message.thinking, since, ())
        if message.content.strip():
            kind = thought if message.tool_calls else answer
            index = self._put(Part.ASSISTANT, kind, message.content, since, segments)
            self._latest.setdefault(StepKind.THOUGHT if message.tool_calls else StepKind.ANSWER, index)
        of_calls = [segment for segment in segments if segment.part is Part.TOOL_CALL]
        known = len(of_calls) == len(message.tool_calls)
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
        tokens = _total(own) if own else None
        label = "" if tokens is None else _counted(tokens, "token")
        self.cards.append(
            Card(kind=kind, part=slug(part), text=_shortened(text, LONGEST), tokens=label, since=since)
        )
        return len(self.cards) - 1


def _shortened(text: str, longest: int) -> str:
    left_out = len(text) - longest
    return text if left_out <= 0 else f"{text[:longest]} … ({left_out:,} more characters)"


def _segments_by_message(trace: Trace) -> dict[int, list[Segment]]:
    """Return the segments of each message, from the first call that sends it as it stands in the history."""
    found: dict[int, list[Segment]] = {}
    for index, call in _whole_calls(trace):
        sent = _sent(trace, index)
        new: dict[int, list[Segment]] = {number: [] for number in range(sent) if number not in found}
        for segment in call:
            if segment.message in new:
                new[segment.message].append(segment)
        found |= new
    return found


def _whole_calls(trace: Trace) -> Iterator[tuple[int, Sequence[Segment]]]:
    """Yield step and segments of the calls that send the whole history, so that their indices are its own."""
    for index, step in enumerate(trace.steps):
        if step.model_call is not None and step.model_call.segments:
            segments = step.model_call.segments
            sent = {segment.message for segment in segments if segment.message is not None}
            if sent == set(range(_sent(trace, index))):
                yield index, segments


def _sent(trace: Trace, index: int) -> int:
    """Return how many messages there are after a step, the system prompt included."""
    appended = sum(step.appended is not None for step in trace.steps[: index + 1])
    return (trace.system is not None) + len(trace.history) + appended


# --- the ladder


def _ladder(trace: Trace, index: int) -> Ladder:
    step = trace.steps[index]
    call = step.tool_call
    if call is None or step.kind not in ACTS:
        return Ladder(title="no call at this step", rungs=tuple(_rung(name, "–") for name in RUNGS))

    def of_this_call(other: Step) -> bool:
        return other.turn == step.turn and other.tool_call is not None and other.tool_call.id == call.id

    own = [number for number, other in enumerate(trace.steps) if of_this_call(other)]
    checked = [number for number in own if trace.steps[number].kind is StepKind.VALIDATION]
    executed = [number for number in own if trace.steps[number].kind is StepKind.EXECUTION]
    verdict = trace.steps[checked[0]].validation if checked and checked[0] <= index else None
    checks = (
        [_rung(name, "not yet" if checked else "not in this trace") for name in RUNGS[:3]]
        if verdict is None
        else _checks(verdict)
    )
    if verdict is not None and not verdict.ok:
        run = _rung(RUNGS[3], "not reached")
    elif executed and executed[0] <= index:
        raised = trace.steps[executed[0]].text.startswith("ERROR: ")
        run = _rung(RUNGS[3], "yes, with an error" if raised else "yes")
    else:
        comes = executed or (checked and verdict is None)
        run = _rung(RUNGS[3], "not yet" if comes else "not in this trace")
    return Ladder(
        title=f"{call.id or 'the call'} on the ladder",
        rungs=(*checks, run),
        message="" if verdict is None else _shortened(verdict.message, LONGEST),
    )


def _checks(verdict: Validation) -> list[Rung]:
    if verdict.ok:
        return [_rung(name, "yes") for name in RUNGS[:3]]
    failed = CHECKS.index(verdict.stage) if verdict.stage else -1
    words = ["yes"] * failed + ["no"] if verdict.stage else []
    words += ["not reached"] * (3 - len(words))
    return [_rung(name, word) for name, word in zip(RUNGS, words, strict=False)]


def _rung(name: str, verdict: str) -> Rung:
    tone = {"yes": "good", "no": "bad", "yes, with an error": "bad"}.get(verdict, "open")
    return Rung(name=name, verdict=verdict, tone=tone)


# --- the context


def _context(trace: Trace, index: int) -> ContextView:
    """Return the context of the call that is made, or of what is there already of the next one."""
    step = trace.steps[index]
    number = sum(other.model_call is not None for other in trace.steps[: index + 1])
    if step.model_call is not None:
        return _as_sent(step.model_call, f"context of call {number}, as sent")
    whole = dict(_whole_calls(trace))
    upcoming = [i for i, other in enumerate(trace.steps) if i > index and other.model_call is not None]
    if upcoming and upcoming[0] in whole and (call := trace.steps[upcoming[0]].model_call) is not None:
        there = _sent(trace, index)
        so_far = [s for s in whole[upcoming[0]] if s.message is None or s.message < there]
        return _view(so_far, call, "context of the next call, so far")
    if number:
        return _as_sent(trace.calls[number - 1], f"context of call {number}, the last one")
    return ContextView(
        title="context of the next call", parts=(), total=None, window=None, label="not counted", note=""
    )


def _as_sent(call: ModelCall, title: str) -> ContextView:
    return _view(call.segments, call, title)


def _view(segments: Sequence[Segment] | None, call: ModelCall, title: str) -> ContextView:
    total = _total(segments)
    counts = {part: _total([segment for segment in segments or () if segment.part is part]) for part in Part}
    window = "tokens, window not in this trace" if call.window is None else f"of {call.window:,} tokens"
    estimate = ", an estimate" if call.counting.method == "estimate" else ""
    return ContextView(
        title=title,
        parts=tuple(
            PartCount(part=slug(part), name=part.value, tokens=tokens, label=f"{tokens:,}")
            for part, tokens in counts.items()
            if tokens and total is not None
        ),
        total=total,
        window=call.window,
        label="not counted" if total is None else f"{total:,}",
        note="" if total is None else window + estimate,
    )


def _total(segments: Sequence[Segment] | None) -> int | None:
    if segments is None:
        return None
    counts = [segment.tokens for segment in segments]
    return None if None in counts else sum(count for count in counts if count is not None)


def _context_name(state: LoopState) -> str:
    """Return the index k where the context is a whole c_k, which ends with an observation; else nothing."""
    last = state.context[-1]
    return last[1:].split(".")[0] if last.startswith("o") and not state.pending else ""
