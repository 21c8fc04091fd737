"""One call of the context budget, ready to draw."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.context import CallBudget, Supposed, SupposedCall
from core.figures.budget_fate import Fate, fates, mark
from core.figures.budget_parts import sum_of
from core.figures.budget_pieces import UNKNOWN, Laid, many, note, share
from core.figures.budget_server import ServerCount, server_count
from core.trace import ModelCall, Part
from core.values import Value


class Slice(Value):
    """The tokens of one part in one call; `new` of them come after what the call before had sent too."""

    part: int
    tokens: int
    new: int | None
    label: str
    note: str
    about: str


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


@dataclass(frozen=True)
class Layout:
    """What all calls of a run share; every `each`-th bar has its number below it."""

    parts: Sequence[Part]
    window: int | None
    reserve: int
    each: int
    supposed: Supposed | None


def budget_call(
    number: int,
    step: int,
    call: ModelCall,
    counted: CallBudget,
    outcome: SupposedCall | None,
    laid: Laid,
    layout: Layout,
) -> CallView:
    """One call, the `number`-th, at this step: counted, and what a supposition does to it."""
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
