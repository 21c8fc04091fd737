"""The ReAct loop as a picture: what the screen shows at every step of a trace, as plain values.

Everything is worded and counted here; the browser lays it out and steps through it. What grows with the run
(cards, symbols, contexts) is told once, and each frame says how much of it is there.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.agent import PROMPT_TOOL_LOOP, CodeLine, LoopState, states
from core.agent.live import LiveRun
from core.figures.loop_cards import Card, cards_of
from core.figures.loop_changes import change_at
from core.figures.loop_ladder import Ladder, ladders_of
from core.figures.loop_sent import sent_after, whole_calls
from core.figures.loop_timeline import counted, shortened, slug
from core.trace import ModelCall, Part, Segment, Trace
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
            change=change_at(trace, index),
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
    by = f" by {call.counting.tokenizer}" if call.counting.tokenizer else ""
    estimate = f", an estimate{by}" if call.counting.method == "estimate" else ""
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
