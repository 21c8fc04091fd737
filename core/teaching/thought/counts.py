"""What outcomes come to: the share of right answers of each way, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.decoding.counts import Share, wilson
from core.teaching.thought.ways import Outcome


@dataclass(frozen=True)
class Tally:
    """The outcomes of one length. `steps`: right ones, where all before them are right."""

    at_once: Share
    own: Share
    given: Share
    steps: Share
    whole: Share

    @property
    def expected(self) -> float | None:
        """The share of whole right chains if steps erred independently of each other: (share)^n."""
        if not self.steps.total:
            return None
        length = self.steps.total // self.whole.total
        return float((self.steps.count / self.steps.total) ** length)


def tally(outcomes: Sequence[Outcome]) -> Tally:
    """Count outcomes of questions of one length."""
    total = len(outcomes)
    return Tally(
        at_once=wilson(sum(one.at_once for one in outcomes), total),
        own=wilson(sum(one.own for one in outcomes), total),
        given=wilson(sum(one.given for one in outcomes), total),
        steps=wilson(sum(sum(one.steps) for one in outcomes), sum(len(one.steps) for one in outcomes)),
        whole=wilson(sum(one.whole for one in outcomes), total),
    )
