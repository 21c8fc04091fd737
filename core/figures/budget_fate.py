"""What becomes of a call under a supposition, in words."""

from collections.abc import Iterator

from core.context import Strategy, SupposedCall, Supposition
from core.figures.budget_pieces import many
from core.trace import Part
from core.values import Value


class Fate(Value):
    """A sentence on a call; `bad` where a server refuses it or the model loses something that it needs."""

    text: str
    bad: bool = False


def fates(outcome: SupposedCall, supposition: Supposition) -> tuple[Fate, ...]:
    """What fell out of a call, which pairs broke, and what a server answers to it."""
    return tuple(_fates(outcome, supposition))


def mark(outcome: SupposedCall, supposition: Supposition) -> str:
    """One word for the bar: `refused`, `damaged` where it is answered without what it needs, or nothing."""
    blind = supposition.strategy is Strategy.OLLAMA
    if outcome.overflow or (outcome.refusals and not blind):
        return "refused"
    damaged = outcome.cut_to or outcome.broken or outcome.lost_question or _lost_orders(outcome)
    return "damaged" if damaged else ""


def _lost_orders(outcome: SupposedCall) -> bool:
    return any(segment.part is Part.SYSTEM for segment in outcome.fallen)


def _fates(outcome: SupposedCall, supposition: Supposition) -> Iterator[Fate]:
    blind = supposition.strategy is Strategy.OLLAMA
    left_out = outcome.whole - outcome.total - outcome.thoughts
    if outcome.overflow:
        reserve = supposition.reserve
        what = f"context and a reserve of {reserve:,} exceed" if reserve else "the context exceeds"
        yield Fate(text=f"Refused: {what} the window by {many(outcome.overflow, 'token')}.", bad=True)
    if outcome.thoughts:
        yield Fate(text=f"Earlier thoughts are left out: {many(outcome.thoughts, 'token')} less.")
    if outcome.dropped and supposition.strategy is Strategy.COMPACT:
        gone = many(len(outcome.dropped), "message")
        author = outcome.summary.by if outcome.summary else ""
        by = f" by {author}" if author else ""
        yield Fate(text=f"{gone} gave way to a summary{by}: {left_out:,} tokens less.")
    elif outcome.dropped:
        told = " Nobody is told." if blind else ""
        yield Fate(text=f"{many(len(outcome.dropped), 'message')} fell out: {many(left_out, 'token')}.{told}")
    if outcome.elided:
        used, note = (
            many(len(outcome.elided), "used result"),
            "a note" if len(outcome.elided) == 1 else "notes",
        )
        yield Fate(text=f"{used} became {note}: {left_out:,} tokens less.")
    if _lost_orders(outcome):
        yield Fate(text="The system prompt fell out.", bad=True)
    if outcome.lost_question:
        yield Fate(text="The question fell out.", bad=True)
    for problem in outcome.broken:
        half = "result stands without its call" if problem.kind == "no call" else "call has no result"
        yield Fate(text=f"{problem.call_id}: the {half}.", bad=True)
    for refusal in outcome.refusals[:1]:
        said = "A strict server would refuse it" if blind else "A strict server refuses it"
        yield Fate(text=f"{said}: “{refusal.words}”", bad=not blind)
    if outcome.cut_to:
        yield Fate(
            text=f"Still too long: Ollama cuts the text to {outcome.cut_to:,} tokens; only prompt_eval_count "
            "shows it.",
            bad=True,
        )
