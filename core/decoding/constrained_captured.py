"""Trials that were counted beforehand on the embedded model, so that the screen begins with something.

`scripts/capture_trials.py` makes them anew, at T = 1 without filters; on another machine a near tie may come
out the other way.
"""

from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from core.decoding.constrained_trial import Pair

BUNDLED = Path(__file__).parent / "constrained_captured.json"
LONGEST = 64  # tokens of each text
PAIRS = TypeAdapter(dict[str, tuple[Pair, ...]])


@cache
def load() -> dict[str, tuple[Pair, ...]]:
    """The pairs of some examples, by slug, with the seeds 0, 1, 2, ..."""
    return PAIRS.validate_json(BUNDLED.read_bytes())
