"""The context budget of a run, ready to draw: every number, word and proportion of the screen.

The browser only places what stands here. Heights are shares of the axis, which always begins at zero and is
never broken: where the window is far above the largest call, the window gets a column of its own, to scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from core.context import CallBudget, RunBudget, Strategy, Supposed, SupposedCall
from core.context.tally import shared_prefix
from core.figures.budget_fate import Fate, fates, mark
from core.figures.budget_fit import fit
from core.figures.budget_parts import ABOUT, sum_of
from core.figures.budget_pieces import UNKNOWN, Laid, Piece, Pieces, many, note
from core.figures.budget_server import ServerCount, server_count
from core.figures.loop_timeline import slug
from core.trace import Counting, ModelCall, Part, Segment, StepKind, Trace
from core.values import Value

WINDOWS = (512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 131_072, 1_048_576)

# Up to this multiple of the largest call, the window is drawn on the axis of the calls: it stays 40 % high.
ON_AXIS = 2.5

# A mark of the axis nearer to the window line than this share of the height would run into it.
CLEAR = 0.08

NAMES = 20
"""So many bars at most have their number below them."""


class PartName(Value):
    """A part that occurs in the run, and what it is, in a line. Its number is its place in the order, and the
    key that selects it."""

    key: str
    name: str
    about: str


class Slice(Value):
    """The tokens of one part in one call; `new` of them come after what the call before had sent too."""

    part: int
    tokens: int
    new: int | None
    label: str
    note: str
    about: str


class Tick(Value):
    """A mark of the axis."""

    at: int
    label: str


class Lost(Value):
    """The tokens of one part that a strategy leaves out of a call."""

    part: int
    tokens: int
    about: str


class CallView(Value):
    """One bar and what belongs to it. `slices` is `None` where the counts are not known. `sum` adds it up as
    the lecture does, and `read` is what the model reads of it, where a server cuts the rest.

    `laid` are its pieces, `None` where its text is not known.
    `named` says whether its number stands below it. `lost` is drawn above it, `mark` and `fates` say what a
    supposition does to it; the mark also that the server has cut it.
    """

    number: int
    step: int
    total: int | None
    label: str
    read: str
    news: str
    about: str
    sum: str
    server: ServerCount | None
    free: str
    free_note: str
    free_about: str
    over: bool
    slices: tuple[Slice, ...] | None
    laid: Laid | None
    named: bool
    lost: tuple[Lost, ...] = ()
    mark: str = ""
    fates: tuple[Fate, ...] = ()


class Fact(Value):
    """One number about the whole run."""

    label: str
    value: str


class BudgetView(Value):
    """All that the screen draws.

    `call_at[step]` is the call in force at a step, `None` before the first. `reserve` are the tokens of the
    window that are kept free for the answer, and `fit` says that a strategy has nothing to do. Most of a call
    stands in the next one too, so calls refer to their pieces by index, and pieces to their text.
    """

    parts: tuple[PartName, ...]
    calls: tuple[CallView, ...]
    pieces: tuple[Piece, ...]
    texts: tuple[str, ...]
    call_at: tuple[int | None, ...]
    window: int | None
    window_label: str
    reserve: int
    free_label: str
    on_axis: bool
    top: int
    ticks: tuple[Tick, ...]
    facts: tuple[Fact, ...]
    fit: str
    moral: str


def budget_view(
    trace: Trace, budget: RunBudget, window: int | None, supposed: Supposed | None = None
) -> BudgetView:
    """Lay out the budget of a trace against a window: that of the trace, or one that is supposed.

    With `supposed`, the calls are those of the supposition, and `budget` and `window` are too.
    """
    made = supposed.calls if supposed else trace.calls
    outcomes = supposed.outcomes if supposed else (None,) * len(made)
    present = _present(trace.calls) | (_present(made) if supposed else set())
    parts = [part for part in Part if part in present]
    steps = [index for index, step in enumerate(trace.steps) if step.kind is StepKind.MODEL_CALL]
    store = Pieces(parts)
    layout = _Layout(parts, window, _reserve(supposed), -(-len(made) // NAMES), supposed)
    for call, counted, outcome in zip(made, budget.calls, outcomes, strict=True):
        store.add(call.segments or (), counted.resent, outcome.fallen if outcome else ())
    calls = [
        _call(number, *of_call, layout)
        for number, of_call in enumerate(
            zip(steps, made, budget.calls, outcomes, store.laid(), strict=True), start=1
        )
    ]
    largest = max(((call.total or 0) + sum(one.tokens for one in call.lost) for call in calls), default=0)
    on_axis = window is not None and window <= ON_AXIS * largest
    top = max(largest, window or 0) if on_axis else largest
    return BudgetView(
        parts=tuple(PartName(key=slug(part), name=part.value, about=ABOUT[part]) for part in parts),
        calls=tuple(calls),
        pieces=store.pieces,
        texts=store.texts,
        call_at=calls_in_force(trace),
        window=window,
        window_label="" if window is None else f"window {window:,}",
        reserve=layout.reserve,
        free_label="free" if window is None else f"free of {window:,}",
        on_axis=on_axis,
        top=max(top, 1),
        ticks=tuple(
            Tick(at=tick, label=f"{tick:,}")
            for tick in ticks(top)
            if not on_axis or abs(tick - (window or 0)) > CLEAR * top
        ),
        facts=_facts(budget, window, supposed),
        fit=fit(supposed) if supposed else "",
        moral=_moral(budget),
    )


def headline(trace: Trace) -> str:
    """The run in one line: its title, its model calls, and how their tokens were counted."""
    return f"{trace.title} · {many(len(trace.calls), 'model call')} · {_counted(trace.calls)}"


def windows(own: int | None) -> tuple[int, ...]:
    """The windows to choose from: usual ones to suppose, and the run's own, where it names one."""
    return tuple(sorted({*WINDOWS, *([own] if own else [])}))


def calls_in_force(trace: Trace) -> tuple[int | None, ...]:
    """For every step the index of the last call at or before it; `None` before the first call."""
    made = accumulate(step.kind is StepKind.MODEL_CALL for step in trace.steps)
    return tuple(count - 1 if count else None for count in made)


def ticks(top: int) -> tuple[int, ...]:
    """Two to four round marks of an axis from 0 to `top`, without the zero."""
    if top < 2:
        return ()
    magnitude = 10 ** (len(str(top)) - 1)
    fitting = [
        step
        for step in (magnitude // 5, magnitude // 2, magnitude, 2 * magnitude)
        if step and top // step <= 4
    ]
    step = fitting[0]
    return tuple(range(step, top + 1, step))


def share(part: int, whole: int) -> str:
    """A percentage without decimals; what is neither nothing nor all never reads as 0 % or 100 %."""
    if not whole:
        return "0 %"
    percent = round(100 * part / whole)
    if percent == 0 and part:
        return "<1 %"
    if percent == 100 and part != whole:
        return ">99 %"
    return f"{percent} %"


def _present(calls: Sequence[ModelCall]) -> set[Part]:
    """The parts that occur; what a call begins with as the one before did is not looked at again."""
    found: set[Part] = set()
    before: Sequence[Segment] = ()
    for call in calls:
        now = call.segments or ()
        found |= {segment.part for segment in now[shared_prefix(before, now) :]}
        before = now
    return found


def _counted(calls: Sequence[ModelCall]) -> str:
    ways = {call.counting for call in calls}
    if len(ways) > 1:
        return "tokens counted in several ways"
    counting = next(iter(ways), Counting(method="unknown"))
    if counting.method == "unknown":
        return f"token counts: {UNKNOWN}"
    means = [f"{counting.tokenizer} tokenizer" if counting.tokenizer else "", _template(counting.template)]
    by = " and ".join(word for word in means if word)
    method = "tokens: exact counts" if counting.method == "exact" else "tokens: an estimate"
    return f"{method} by the {by}" if by else method


def _template(name: str) -> str:
    return {"": "", "chatml": "ChatML template"}.get(name, f"{name} template")


@dataclass(frozen=True)
class _Layout:
    """What all calls of a run share; every `each`-th bar has its number below it."""

    parts: Sequence[Part]
    window: int | None
    reserve: int
    each: int
    supposed: Supposed | None


def _call(
    number: int,
    step: int,
    call: ModelCall,
    counted: CallBudget,
    outcome: SupposedCall | None,
    laid: Laid,
    layout: _Layout,
) -> CallView:
    total, new = counted.total, counted.new
    read = outcome.read if outcome else total
    free, free_note, over = _free(read, layout.window, layout.reserve)
    supposition = layout.supposed.supposition if layout.supposed else None
    # A supposed context was sent to no server.
    server = None if outcome else server_count(call, total)
    return CallView(
        number=number,
        step=step,
        total=total,
        label=f"{total:,}" if total is not None else "?",
        read=f"{read:,}" if read is not None and read != total else "",
        news=f"+{new:,} new" if new is not None else "",
        about=_about(call, total, new),
        sum="" if total is None else sum_of(counted.parts),
        server=server,
        free=free,
        free_note=free_note,
        free_about=""
        if layout.window is None
        else f"call {number}: {free} of {layout.window:,} free, {free_note}",
        over=over or bool(outcome and outcome.overflow),
        slices=None if total is None else _slices(number, counted, total, layout.parts),
        laid=None if call.segments is None else laid,
        named=(number - 1) % layout.each == 0,
        lost=_lost(number, outcome, layout.parts) if outcome else (),
        mark=mark(outcome, supposition) if outcome and supposition else _mark(server),
        fates=fates(outcome, supposition) if outcome and supposition else (),
    )


def _reserve(supposed: Supposed | None) -> int:
    """What is kept free for the answer; Ollama keeps nothing."""
    if supposed is None or supposed.supposition.strategy is Strategy.OLLAMA:
        return 0
    return supposed.supposition.reserve


def _mark(server: ServerCount | None) -> str:
    return "damaged" if server and server.short else ""


def _lost(number: int, outcome: SupposedCall, parts: Sequence[Part]) -> tuple[Lost, ...]:
    return tuple(
        Lost(
            part=index,
            tokens=outcome.lost[part],
            about=f"call {number}, {part.value}: {many(outcome.lost[part], 'token')} left out",
        )
        for index, part in enumerate(parts)
        if outcome.lost.get(part)
    )


def _about(call: ModelCall, total: int | None, new: int | None) -> str:
    if total is not None:
        return many(total, "token") + (f", {new:,} new" if new is not None else "")
    if call.usage.input_tokens is not None:
        return f"{call.usage.input_tokens:,} tokens, as the server reported; by part: {UNKNOWN}"
    return f"tokens: {UNKNOWN}"


def _free(read: int | None, window: int | None, reserve: int) -> tuple[str, str, bool]:
    if read is None or window is None:
        return "?", "", False
    free = window - reserve - read
    if free < 0:
        return f"{free:,}".replace("-", "−"), "over", True
    return f"{free:,}", share(free, window), False


def _slices(number: int, counted: CallBudget, total: int, parts: Sequence[Part]) -> tuple[Slice, ...]:
    slices = []
    for index, part in enumerate(parts):
        tokens = counted.parts.get(part, 0)
        new = None if counted.new_parts is None else counted.new_parts.get(part, 0)
        if tokens:
            about = f"call {number}, {part.value}: {many(tokens, 'token')}, {share(tokens, total)}"
            if new is not None:
                about += f"; {tokens - new:,} re-sent, {new:,} new"
            slices.append(
                Slice(part=index, tokens=tokens, new=new, label=f"{tokens:,}", note=note(new), about=about)
            )
    return tuple(slices)


def _facts(budget: RunBudget, window: int | None, supposed: Supposed | None) -> tuple[Fact, ...]:
    last = budget.calls[-1].total if budget.calls else None
    if supposed and supposed.outcomes:
        last = supposed.outcomes[-1].read
    resent = None if budget.resent is None or budget.sent is None else share(budget.resent, budget.sent)
    facts = [
        Fact(label="in the last call", value=UNKNOWN if last is None else f"{last:,}"),
        Fact(label="sent in total", value=UNKNOWN if budget.sent is None else f"{budget.sent:,}"),
        Fact(label="of it re-sent", value=UNKNOWN if resent is None else resent),
    ]
    if supposed is None:
        over = sum(window is not None and (call.total or 0) > window for call in budget.calls)
        if over:
            facts.append(Fact(label="calls too long", value=f"{over:,}"))
    else:
        marks = [mark(outcome, supposed.supposition) for outcome in supposed.outcomes]
        refused = sum(
            one.total for one, said in zip(supposed.outcomes, marks, strict=True) if said == "refused"
        )
        read = sum(outcome.read for outcome in supposed.outcomes)
        if refused:
            facts.append(Fact(label="of it refused", value=f"{refused:,}"))
        if read < (budget.sent or 0):
            facts.append(Fact(label="of it read", value=f"{read:,}"))
        if supposed.saved or not fit(supposed):
            facts.append(Fact(label="left out", value=f"{supposed.saved:,}"))
        if not fit(supposed):
            facts.append(Fact(label="calls refused", value=str(marks.count("refused"))))
        if "damaged" in marks:
            facts.append(Fact(label="calls damaged", value=str(marks.count("damaged"))))
    return tuple(facts)


def _moral(budget: RunBudget) -> str:
    totals = [call.total for call in budget.calls]
    if len(totals) < 2:
        return "One call: nothing is sent twice in this run."
    always = "The model keeps nothing between calls: each sends the whole context again"
    known = [total for total in totals if total is not None]
    if len(known) < len(totals) or any(after <= before for before, after in pairwise(known)):
        return f"{always}."
    step = round((known[-1] - known[0]) / (len(known) - 1))
    # The sum over the calls of first + step · 0, 1, … n - 1.
    once, squared = (f"{abs(of):,.1f}".removesuffix(".0") for of in (known[0] - step / 2, step / 2))
    sign = "+" if known[0] >= step / 2 else "−"
    law = f"{squared} n² {sign} {once} n"
    return f"{always}. It grows by about {step:,} a call, so n calls send about {law}."
