"""The context budget of a run, ready to draw: every number, word and proportion of the screen.

The browser only places what stands here. Heights are shares of the axis, which always begins at zero and is
never broken: where the window is far above the largest call, the window gets a column of its own, to scale.
"""

from collections.abc import Sequence
from itertools import accumulate

from core.context import RunBudget, Strategy, Supposed
from core.context.tally import shared_prefix
from core.figures.budget_calls import CallView, Layout, budget_call
from core.figures.budget_facts import Fact, facts_of, moral
from core.figures.budget_fit import fit
from core.figures.budget_parts import ABOUT
from core.figures.budget_pieces import UNKNOWN, Piece, Pieces, many
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


class Tick(Value):
    """A mark of the axis."""

    at: int
    label: str


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
    layout = Layout(parts, window, _reserve(supposed), -(-len(made) // NAMES), supposed)
    for call, counted, outcome in zip(made, budget.calls, outcomes, strict=True):
        store.add(call.segments or (), counted.resent, outcome.fallen if outcome else ())
    calls = [
        budget_call(number, *of_call, layout)
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
        facts=facts_of(budget, window, supposed),
        fit=fit(supposed) if supposed else "",
        moral=moral(budget),
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


def _reserve(supposed: Supposed | None) -> int:
    """What is kept free for the answer; Ollama keeps nothing."""
    if supposed is None or supposed.supposition.strategy is Strategy.OLLAMA:
        return 0
    return supposed.supposition.reserve
