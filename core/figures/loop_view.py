"""The ReAct loop as a picture: what the screen shows at every step of a trace, as plain values.

Everything is worded and counted here; the browser lays it out and steps through it. What grows with the run
(cards, symbols, contexts) is told once, and each frame says how much of it is there.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.agent import PROMPT_TOOL_LOOP, CodeLine, LoopState, states
from core.agent.guards import EXHAUSTED
from core.agent.live import LiveRun
from core.figures.loop_cards import Card, cards_of
from core.figures.loop_ladder import CHECKS, RUNGS, Ladder, is_policy, ladders_of
from core.figures.loop_sent import sent_after, total_of, whole_calls
from core.figures.loop_timeline import counted, shortened, slug
from core.messages.types import AssistantMessage, ToolResultMessage, UserMessage
from core.trace import ModelCall, Part, Segment, Step, StepKind, Trace
from core.values import Value

KEYWORDS = re.compile(r"\b(for each|for|do|if|then|return|try|catch)\b")
SHORT = 200
"""Characters of what a note repeats of a run."""

MOST_PENDING = 6  # ids that are listed
SOURCES: Mapping[str, str] = {
    "scripted": "scripted model, real loop, real tools",
    "live": "live model, real loop, real tools",
    "recorded": "a recorded run",
    "imported": "a run from a file",
}


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
    """All that the screen draws. Bars of contexts are drawn to the scale of `largest`, in tokens.

    `note` says what is to be seen in the run, `ended` why it stopped.
    """

    note: str
    ended: str
    code: tuple[Line, ...]
    cards: tuple[Card, ...]
    symbols: tuple[Symbol, ...]
    contexts: tuple[ContextView, ...]
    largest: int
    frames: tuple[Frame, ...]


def loop_view(trace: Trace) -> LoopView:
    """Return what the screen shows at each step of a trace."""
    after = states(trace)
    cards, current = cards_of(trace)
    ladders = ladders_of(trace)
    at_step = _contexts(trace)
    contexts: dict[ContextView, int] = {}
    frames = [
        Frame(
            line=step.line,
            passed=step.passed,
            variables=_variables(trace, state),
            change=_change(trace, index),
            card=current[index],
            ladder=ladders[index],
            context=contexts.setdefault(at_step[index], len(contexts)),
            context_name=_context_name(state),
            symbols=state.size,
            about=state.about,
        )
        for index, (step, state) in enumerate(zip(trace.steps, after, strict=True))
    ]
    return LoopView(
        note=_note(trace),
        ended=trace.stop_reason or "not in this trace",
        code=tuple(_line(line) for line in PROMPT_TOOL_LOOP),
        cards=cards,
        symbols=tuple(Symbol(letter=name[0], index=name[1:]) for name in after[-1].symbols) if after else (),
        contexts=tuple(contexts),
        largest=max((context.total or 0 for context in contexts), default=0),
        frames=tuple(frames),
    )


def about(trace: Trace) -> str:
    """Return where a run comes from, and which model answered."""
    known = trace.model if trace.source != "scripted" else None
    return " · ".join(filter(None, (SOURCES[trace.source], known)))


def coming_view(live: LiveRun) -> dict[str, Any]:
    """What has come of the reply that a run waits for, and how it goes."""
    text = "\n\n".join(filter(None, (live.coming.thinking, live.coming.text)))
    waiting = "" if text else "The model reads the context, or a tool runs."
    return {"text": text, "note": live.coming.note or waiting, "paused": live.paused}


def _line(line: CodeLine) -> Line:
    words = (Word(text=text, keyword=bool(KEYWORDS.fullmatch(text))) for text in KEYWORDS.split(line.text))
    return Line(
        number=line.number,
        indent=line.indent,
        words=tuple(word for word in words if word.text),
        comment=line.comment,
    )


def _note(trace: Trace) -> str:
    parting = trace.parting
    parted = (
        "" if parting is None else f"Parted at step {parting.step + 1}, where “{parting.instead_of}” stood."
    )
    return " ".join(filter(None, (shortened(parted, SHORT), trace.description)))


def _few(pending: Sequence[str]) -> str:
    more = len(pending) - MOST_PENDING
    return ", ".join(pending[:MOST_PENDING]) + (f" and {more:,} more" if more > 0 else "") or "none"


def _variables(trace: Trace, state: LoopState) -> tuple[Variable, ...]:
    with_system = " + system" if trace.system is not None else ""
    cap = f" of {trace.max_steps}" if trace.max_steps is not None else ""
    return (
        # The lecture's name of it; the timeline counts other steps.
        Variable(name="step in line 2", value=f"{state.turn}{cap}" if state.turn else "not yet in the loop"),
        Variable(name="history", value=counted(state.history, "message") + with_system),
        Variable(name="pending", value=_few(state.pending)),
    )


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
            return _validated(trace, index)
        case StepKind.EXECUTION:
            if step.text.startswith("ERROR: "):
                return "The tool raised an error. The loop catches it: it becomes the result of the call."
            return "The tool has run. Its result is not in the context yet."
        case StepKind.OBSERVATION:
            return _observed(step)
        case StepKind.GUARD:
            return f"A guard fires: {step.guard or 'not in this trace'}. {step.text}".strip()
        case StepKind.ANSWER:
            return f"{reply}It asks for no tool, so its text is the answer and the loop ends."
        case StepKind.STOP:
            if step.line == PROMPT_TOOL_LOOP[-1].number:
                return f"The step budget is spent: the loop ends without an answer. {_fallback(step)}".strip()
            return f"The run stops. {step.text}".strip()


def _fallback(step: Step) -> str:
    """Return what is said in place of an answer, if that is more than that there is none."""
    return f"What is said instead: “{step.text}”" if step.text not in ("", EXHAUSTED) else ""


def _model_called(call: ModelCall | None) -> str:
    if call is None:
        return "The model is called with the whole context."
    if call.failure:
        came = "after a part of the reply" if call.reply.content or call.reply.thinking else "without a reply"
        return f"The whole context is sent, and the call breaks off {came}. {call.failure}"
    has_text = bool(call.reply.content or call.reply.thinking)
    calls = len(call.reply.tool_calls)
    reply = " and ".join(["text"] * has_text + [counted(calls, "tool call")] * bool(calls)) or "nothing"
    total = total_of(call.segments)
    sent = f": {total:,} tokens" if total is not None else ""
    return f"The whole context is sent{sent}. The model replies with {reply}."


def _validated(trace: Trace, index: int) -> str:
    step, upcoming = trace.steps[index], trace.steps[index + 1 : index + 2]
    verdict = step.validation
    if verdict is None:
        return "The call is checked; how it went is not in this trace."
    if step.tool_call is None:
        return (
            "The reply is appended to the context, but it is not in the format: there is nothing to execute."
        )
    if is_policy(verdict):
        if verdict.ok:
            return "The policy permits the call. That it is well-formed would not be enough."
        return "The call is well-formed, but the policy does not permit it: the tool does not run."
    if verdict.ok and any(is_policy(other.validation) for other in upcoming):
        return "The call passes all three checks: it is well-formed. Whether it is permitted is decided next."
    if verdict.ok:
        return "The call passes all three checks, so the tool may run."
    if verdict.stage not in CHECKS:
        return "The call is refused before the first check."
    return f"The call fails at the check “{RUNGS[CHECKS.index(verdict.stage)]}”, so the tool does not run."


def _observed(step: Step) -> str:
    result = step.appended
    if isinstance(result, UserMessage):
        return "What is wrong with the reply is appended in place of an observation. The model can read it."
    if not isinstance(result, ToolResultMessage):
        return "The result of the call comes back."
    what = "The error is appended as the result" if result.is_error else "The result is appended"
    end = " The model can read it and repair the call." if result.is_error else ""
    return f"{what}, with the id of its call: {result.tool_call_id}.{end}"


# --- the context


def _contexts(trace: Trace) -> list[ContextView]:
    """Return for each step the context of the call that is made, or what is there already of the next one."""
    whole, there = dict(whole_calls(trace)), sent_after(trace)
    last = ContextView(
        title="context of the next call", parts=(), total=None, window=None, label="not counted", note=""
    )
    views: list[ContextView] = []
    number = 0
    for index, step in enumerate(trace.steps):
        call, start = step.model_call, len(views)
        if call is None:
            continue
        number += 1
        sent = _tokens(call.segments)
        if index in whole:
            # Only what came since the call before is looked at again for each step: contexts are long.
            late = [s for s in whole[index] if s.message is not None and s.message >= there[start]]
            for count in there[start:index]:
                missing = _tokens([s for s in late if s.message is not None and s.message >= count])
                views.append(_view(sent - missing, call, "context of the next call, so far"))
        else:
            views += [last] * (index - start)
        views.append(_view(sent, call, f"context of call {number}, as sent"))
        last = _view(sent, call, f"context of call {number}, the last one")
    return views + [last] * (len(trace.steps) - len(views))


def _tokens(segments: Sequence[Segment] | None) -> Counter[Part | None]:
    """Count tokens by part, and under `None` the segments of unknown size; an unknown context is one."""
    counts: Counter[Part | None] = Counter()
    for segment in segments or ():
        if segment.tokens is None:
            counts[None] += 1
        else:
            counts[segment.part] += segment.tokens
    return Counter({None: 1}) if segments is None else counts


def _view(counts: Counter[Part | None], call: ModelCall, title: str) -> ContextView:
    total = None if counts[None] else counts.total()
    window = "tokens, window not in this trace" if call.window is None else f"of {call.window:,} tokens"
    estimate = ", an estimate" if call.counting.method == "estimate" else ""
    return ContextView(
        title=title,
        parts=tuple(
            PartCount(part=slug(part), name=part.value, tokens=counts[part], label=f"{counts[part]:,}")
            for part in Part
            if counts[part] and total is not None
        ),
        total=total,
        window=call.window,
        label="not counted" if total is None else f"{total:,}",
        note="" if total is None else window + estimate,
    )


def _context_name(state: LoopState) -> str:
    """Return the index k where the context is a whole c_k, which ends with an observation; else nothing."""
    last = state.symbols[state.size - 1]
    return last[1:].split(".")[0] if last.startswith("o") and not state.pending else ""
