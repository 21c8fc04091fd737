"""A window in which a strategy has something to do, for a run that fits the one in view."""

from core.context.supposed import Supposed
from core.context.supposition import SMALLEST_WINDOW, Strategy, Supposition
from core.context.what_if import Replay
from core.errors import InputError

TRIES = 4
"""So many windows are tried, each half of the one before."""


def tighter_window(replay: Replay, supposed: Supposed) -> int | None:
    """A window in which the strategy of what is `supposed`, of this replay, has something to do.

    The largest power of two below the window at which the strategy leaves something out and no call is
    refused; if there is none, the largest at which it leaves something out; else `None`.

    Raises:
        InputError: the run cannot be replayed.
    """
    supposition = supposed.supposition
    if supposition.window is None or supposition.strategy is Strategy.NONE:
        return None
    longest = max((one.total for one in supposed.outcomes), default=0)
    window, tries, second = supposition.window, 0, None
    while tries < TRIES and (window := 1 << (window - 1).bit_length() - 1) >= SMALLEST_WINDOW:
        try:
            tighter = Supposition.of(**dict(supposition) | {"window": window})
        except InputError:  # no room is left beside the reserve
            break
        if tighter.limit is not None and longest > tighter.limit:
            tries += 1
            made = replay.suppose(tighter)
            if made.acts and not any(one.overflow for one in made.outcomes):
                return window
            second = second or (window if made.acts else None)
    return second
