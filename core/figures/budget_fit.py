"""A run that fits its window, in words, and what shows a strategy at work."""

from core.context import Strategy, Supposed
from core.scenarios import scenario_of
from core.values import Value

LONG_RUN, TIGHT = "long-run", 2_048
"""A run that does not fit a window of so many tokens."""


class Offer(Value):
    """What can be taken into view instead: a window, of another run where one is named."""

    text: str
    window: int
    scenario: str = ""


def fit(supposed: Supposed) -> str:
    """That a strategy has nothing to do; empty where it has, and where there is none."""
    supposition = supposed.supposition
    idle = supposition.strategy is Strategy.NONE or supposition.limit is None
    if idle or supposed.acts or any(one.overflow for one in supposed.outcomes):
        return ""
    if supposition.has_threshold:
        return f"All calls fit: none is longer than the {supposition.limit:,} tokens from which it acts."
    return f"All calls fit: none is longer than the {supposition.limit:,} tokens that there are."


def offers(tighter: int | None, slug: str) -> tuple[Offer, ...]:
    """A window in which this run does not fit, if there is one, and a run that does not."""
    found = [Offer(text=f"Window {tighter:,}", window=tighter)] if tighter else []
    if slug != LONG_RUN:
        found.append(Offer(text=scenario_of(LONG_RUN).title, window=TIGHT, scenario=LONG_RUN))
    return tuple(found)
