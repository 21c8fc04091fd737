"""Whether a text has begun to repeat itself."""

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_PERIOD = 64  # tokens
FEWEST_REPEATS = 3


@dataclass(frozen=True)
class Cycle:
    """From token `start` to the end of the text, every token equals the one `period` tokens before it.

    The first `period` tokens from `start` on are the ones that are repeated. `repeats` counts how often they
    stand there in full, the first time included; a begun repetition at the end does not count.
    """

    start: int
    period: int
    repeats: int


def cycle(token_ids: Sequence[int]) -> Cycle | None:
    """The shortest period, up to 64 tokens, that ends the text at least 3 times over; else `None`."""
    for period in range(1, min(LONGEST_PERIOD, len(token_ids) // FEWEST_REPEATS) + 1):
        first = len(token_ids) - period  # of the tokens that are repeated later
        while first > 0 and token_ids[first - 1] == token_ids[first - 1 + period]:
            first -= 1
        repeats = (len(token_ids) - first) // period
        if repeats >= FEWEST_REPEATS:
            return Cycle(first, period, repeats)
    return None
