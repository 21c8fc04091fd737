"""The budget of a run: what each call sends, how much of it is new, and what is left of the window.

Because the model keeps nothing, every call sends everything again. A server can take over its work on the
longest common prefix of two calls (prefix caching), from token 0 up to the first token that differs; what
lies behind that token is new, even where the text is the same.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from core.trace import ModelCall, Part, Segment, Trace
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
    calls = []
    before: Sequence[int] | None = ()
    for call in made:
        tokens = _token_ids(call.segments)
        calls.append(_call_budget(call, tokens, before))
        before = tokens
    windows = [call.window for call in calls if call.window is not None]
    return RunBudget(
        calls=tuple(calls),
        window=windows[-1] if windows else None,
        sent=_sum(call.total for call in calls),
        unique=_sum(call.new for call in calls),
        resent=_sum(call.resent for call in calls),
    )


def shared_prefix(first: Sequence[object], second: Sequence[object]) -> int:
    """The number of tokens that two contexts have in common from the start; of two texts, the characters."""
    low, high = 0, min(len(first), len(second))
    while low < high:  # slices are compared at once, so halving beats a walk from token to token
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _call_budget(call: ModelCall, tokens: Sequence[int] | None, before: Sequence[int] | None) -> CallBudget:
    segments = call.segments
    counts = None if segments is None else [segment.tokens for segment in segments]
    resent = None if tokens is None or before is None else shared_prefix(before, tokens)
    return CallBudget(
        parts=_parts(segments or ()),
        total=None if counts is None else _sum(counts),
        window=call.window,
        resent=resent,
        new=None if tokens is None or resent is None else len(tokens) - resent,
        new_parts=None if segments is None or resent is None else _new_parts(segments, resent),
    )


def _parts(segments: Iterable[Segment]) -> dict[Part, int]:
    found: dict[Part, list[int | None]] = {}
    for segment in segments:
        found.setdefault(segment.part, []).append(segment.tokens)
    return {part: total for part in Part if part in found and (total := _sum(found[part])) is not None}


def _new_parts(segments: Iterable[Segment], resent: int) -> dict[Part, int]:
    new: Counter[Part] = Counter()
    end = 0
    for segment in segments:
        count = len(segment.token_ids or ())
        end += count
        if count:
            new[segment.part] += min(count, max(0, end - resent))
    return {part: new[part] for part in Part if part in new}


def _token_ids(segments: Sequence[Segment] | None) -> list[int] | None:
    if segments is None or any(segment.token_ids is None for segment in segments):
        return None
    return list(chain.from_iterable(segment.token_ids or () for segment in segments))


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
