"""What a prompt cache does for a run, in words."""

from collections.abc import Sequence
from itertools import groupby

from core.context.habits import LABEL as CLOCK
from core.context.prefix_cache import Bill, CachedCall, Divergence
from core.figures.budget_pieces import share


def saying(calls: Sequence[CachedCall]) -> str:
    """How much of what was sent the cache holds."""
    total, cached = sum(call.total for call in calls), sum(call.cached for call in calls)
    return (
        f"Of {total:,} tokens sent, the cache holds {cached:,} ({share(cached, total)}); "
        f"{total - cached:,} are read anew."
    )


def partings(calls: Sequence[CachedCall]) -> tuple[str, ...]:
    """Where calls part from the one before: calls in a row that do so in the same part make one sentence."""
    if not any(call.cached or call.divergence for call in calls[1:]):
        return ("No two calls share as much as the cache holds at least: all is read anew.",)
    if all(call.divergence is None for call in calls):
        return ("Every call begins with all of the one before: only what was added is read.",)
    sentences = []
    numbered = [(number, call.divergence) for number, call in enumerate(calls, start=1)]
    for name, together in groupby(numbered, key=lambda one: one[1] and _name(one[1])):
        found = [(number, divergence) for number, divergence in together if divergence is not None]
        if name is not None:
            first, last = found[0][0], found[-1][0]
            who = f"Call {first} parts" if first == last else f"Calls {first} to {last} part"
            sentences.append(
                f"{who} from the one before in the {name}{_place(found[0][1])}: "
                f"{_quoted(found[0][1].was)} became {_quoted(found[0][1].now)}."
            )
    return tuple(sentences)


def bills(bill: Bill) -> tuple[str, ...]:
    """What is paid, with the cache, and without it; nothing where no price or speed was given."""
    said = []
    if bill.cost_uncached is not None:
        with_it = "" if bill.cost is None else f"{bill.cost:,.4f} with the cache, "
        then = "; for the price with it, enter that too" if bill.cost is None else ""
        said.append(f"Cost of reading: {with_it}{bill.cost_uncached:,.4f} without{then}.")
    if bill.seconds is not None and bill.seconds_uncached is not None:
        said.append(
            f"Time of reading: {bill.seconds:,.1f} s with the cache, {bill.seconds_uncached:,.1f} s without."
        )
    return tuple(said)


def _name(divergence: Divergence) -> str:
    part = divergence.part.value
    return f"{CLOCK} of the {part}" if divergence.label == CLOCK else part


def _quoted(text: str) -> str:
    plain = text.replace("\n", "↵")
    return f"“{plain}”" if text else "nothing"


def _place(divergence: Divergence) -> str:
    return "" if divergence.message is None else f", message {divergence.message + 1}"
