"""The budget of a run: what each call sends, how much of it is new, and what is left of the window.

Because the model keeps nothing, every call sends everything again. A server can take over its work on the
longest common prefix of two calls (prefix caching), from token 0 up to the first token that differs; what
lies behind that token is new, even where the text is the same.
"""

from collections.abc import Iterable

from core.context.tally import Tally, shared_tokens
from core.trace import ModelCall, Part, Trace
from core.values import Value


class CallBudget(Value):
    """The tokens of one call.

    `parts` holds the parts whose count is known; if one is missing that occurs in the call, `total` is
    `None`. `resent` is the length of the prefix that this call shares with the one before it, `new` the rest,
    and `new_parts` the rest by part. They are `None` where the tokens themselves are not known.
    """

    parts: dict[Part, int]
    total: int | None
    window: int | None
    resent: int | None
    new: int | None
    new_parts: dict[Part, int] | None

    @property
    def free(self) -> int | None:
        """What is left of the window for the reply; below zero where the context does not fit."""
        return None if self.window is None or self.total is None else self.window - self.total

    @property
    def over(self) -> bool | None:
        """Whether the context is larger than the window."""
        return None if self.free is None else self.free < 0


class RunBudget(Value):
    """The tokens of all calls of a run: `sent` in total, of them `resent`, and the rest `unique`.

    `window` is that of the last call that names one. A sum is `None` where a summand is not known.
    """

    calls: tuple[CallBudget, ...]
    window: int | None
    sent: int | None
    unique: int | None
    resent: int | None


def run_budget(trace: Trace) -> RunBudget:
    """The budget of a run, from the segments of its calls. Nothing that is not known is estimated."""
    return budget_of(trace.calls)


def budget_of(made: Iterable[ModelCall]) -> RunBudget:
    """The budget of some calls in a row; as `run_budget`."""
    calls, tally, known = [], Tally(), True
    for call in made:
        calls.append(_call_budget(call, tally, known))
        known = call.segments is not None and not tally.idless
    windows = [call.window for call in calls if call.window is not None]
    return RunBudget(
        calls=tuple(calls),
        window=windows[-1] if windows else None,
        sent=_sum(call.total for call in calls),
        unique=_sum(call.new for call in calls),
        resent=_sum(call.resent for call in calls),
    )


def _call_budget(call: ModelCall, tally: Tally, before_known: bool) -> CallBudget:
    before, segments = tally.segments, call.segments or ()
    same, shared = tally.replace(segments)
    known = call.segments is not None and not tally.idless
    resent = shared + shared_tokens(before[same:], segments[same:]) if known and before_known else None
    return CallBudget(
        parts=tally.by_part,
        total=None if call.segments is None or tally.uncounted else tally.total,
        window=call.window,
        resent=resent,
        new=None if resent is None else tally.total - resent,
        new_parts=None if resent is None else tally.behind(resent),
    )


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
