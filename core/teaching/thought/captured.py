"""Outcomes that were captured on the embedded model, so that the screen begins with something.

`scripts/capture_thoughts.py` makes them anew; on another machine a near tie may come out the other way.
"""

from functools import cache
from pathlib import Path

from core.teaching.thought.hint import Chained, Moved
from core.teaching.thought.votes import Vote
from core.teaching.thought.ways import Outcome
from core.values import Value

BUNDLED = Path(__file__).parent / "captured.json"
LENGTHS = (2, 4, 8)
SEED = 0


class Captured(Value):
    """The first questions of each task and length under `seed`, in order: `outcomes[task][length]`.

    `hints`: each bundled question under a hint at each of its options; `chains`: each under one wrong hint.
    `greedy`: the greedy chain of each without a hint; `votes`: drawn ones, with the seeds 0, 1, 2, ...
    """

    model: str
    seed: int
    outcomes: dict[str, dict[int, tuple[Outcome, ...]]]
    hints: tuple[Moved, ...] = ()
    chains: tuple[Chained, ...] = ()
    greedy: tuple[Vote, ...] = ()
    votes: tuple[tuple[Vote, ...], ...] = ()

    def of(self, task: str, length: int, seed: int) -> tuple[Outcome, ...]:
        """Of one task and length; nothing under another seed."""
        return self.outcomes.get(task, {}).get(length, ()) if seed == self.seed else ()


@cache
def load() -> Captured:
    """What was captured."""
    return Captured.model_validate_json(BUNDLED.read_text(encoding="utf-8"))
