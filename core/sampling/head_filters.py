"""The sampler's stages on a head: how many tokens each keeps, and their weights, as far as these are known.

Every filter keeps a prefix of the tokens by falling probability (`core.sampling.ranking`). Of its length two
bounds are carried along, and of its weight too, since the tail's is not known. A filter that certainly ends
within the head leaves nothing hidden: from there on all is exact. So Ollama's twenty log-probabilities are
enough for top_k <= 20, at every temperature.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.sampling.engines import ENGINES
from core.sampling.head import Head
from core.sampling.settings import SamplerSettings
from core.sampling.stages import BOUNDARY


@dataclass(frozen=True, eq=False)
class KeptPrefix:
    """The first tokens by falling probability, at least `low` and at most `high`, at one temperature.

    All tokens of a vocabulary of unknown size are infinitely many.
    """

    head: Head
    temperature: float
    low: float
    high: float

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Of the head's tokens, where the first weighs 1. float64 (n,)"""
        falling = self.head.logprobs
        if self.temperature == 0:
            return np.eye(1, len(falling), dtype=np.float64).reshape(-1)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp((falling - falling[0]) / self.temperature), dtype=np.float64)

    @cached_property
    def sums(self) -> NDArray[np.float64]:
        """Weight of the first 0, 1, ..., n tokens. float64 (n + 1,)"""
        return np.concatenate(([0.0], np.cumsum(self.weights)))

    @cached_property
    def totals(self) -> tuple[float, float]:
        """Bounds of the weight of the whole prefix."""
        return self._total(self.low)[0], self._total(self.high)[1]

    def _total(self, count: float) -> tuple[float, float]:
        shown, all_shown = len(self.weights), float(self.sums[-1])
        if count <= shown:
            return (float(self.sums[int(count)]),) * 2
        low, high = self.head.tail_weight(self.temperature)
        if count < shown + self.head.hidden:
            # The largest of the tail: together at least their share of it, each at most as the head's last.
            some = count - shown
            low, high = low * some / self.head.hidden, min(high, some * float(self.weights[-1]))
        return all_shown + low, all_shown + high

    def cut(self, low: float, high: float) -> "KeptPrefix":
        """What is left by a filter that would keep at least `low` and at most `high` tokens."""
        return KeptPrefix(self.head, self.temperature, min(self.low, low), min(self.high, high))


def kept_prefix(head: Head, settings: SamplerSettings) -> KeptPrefix:
    """What is left after all stages, in the order of the settings' engine."""
    kept = _allowed(head)
    for name in settings.stage_order:
        if name == "temperature":
            kept = _temperature(kept, settings.temperature)
        elif name == "top-k" and settings.top_k:
            kept = _top_k(kept, settings.top_k, ENGINES[settings.engine].keeps_ties)
        elif name == "top-p" and settings.top_p < 1:
            kept = _top_p(kept, settings.top_p)
        elif name == "min-p" and settings.min_p:
            kept = _min_p(kept, settings.min_p)
    return kept


def _allowed(head: Head) -> KeptPrefix:
    allowed = int(np.count_nonzero(head.logprobs > -np.inf))
    # If one of the most probable tokens is forbidden, the whole tail is.
    count = allowed if allowed < len(head.logprobs) else len(head.logprobs) + head.hidden
    return KeptPrefix(head, 1.0, count, count)


def _temperature(kept: KeptPrefix, temperature: float) -> KeptPrefix:
    tempered = KeptPrefix(kept.head, temperature, kept.low, kept.high)
    return tempered.cut(1, 1) if temperature == 0 else tempered


def _top_k(kept: KeptPrefix, k: int, keeps_ties: bool) -> KeptPrefix:
    falling = kept.head.logprobs
    if not keeps_ties or k == 1:
        return kept.cut(k, k)
    if k > len(falling):
        return kept.cut(k, math.inf)
    return _cut_within(kept, int(np.count_nonzero(falling >= falling[k - 1])))


def _min_p(kept: KeptPrefix, min_p: float) -> KeptPrefix:
    falling = kept.head.logprobs
    furthest = (BOUNDARY - math.log(min_p)) * kept.temperature
    return _cut_within(kept, int(np.count_nonzero(falling[0] - falling <= furthest)))


def _cut_within(kept: KeptPrefix, count: int) -> KeptPrefix:
    """Cut after `count` tokens of the head; if these are all of it, hidden ones may pass as well."""
    return kept.cut(count, count if count < len(kept.weights) else math.inf)


def _top_p(kept: KeptPrefix, p: float) -> KeptPrefix:
    low, high = (_nucleus(kept, (p - BOUNDARY) * total) for total in kept.totals)
    return kept.cut(low, high if high <= len(kept.weights) else math.inf)


def _nucleus(kept: KeptPrefix, threshold: float) -> int:
    """Number of tokens before which there is less than the threshold; n + 1 if it ends in the tail."""
    return max(1, int(np.searchsorted(kept.sums, threshold, side="left")))
