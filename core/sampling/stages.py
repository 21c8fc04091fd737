"""The stages between logits and token: softmax, temperature, top-k, top-p, min-p.

Each stage keeps the first so many tokens by falling logit and renormalises them, so each filter sees
the renormalised probabilities of the stage before it.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from operator import neg

import numpy as np
from numpy.typing import NDArray

from core.sampling.engines import ENGINES, StageName
from core.sampling.ranking import Prefix, SortedLogits, Tempered
from core.sampling.settings import SamplerSettings

# Decimals are not exact in binary: softmax of ln 0.5, ln 0.3, ... reaches 0.7999999999999999, not 0.8.
BOUNDARY = 1e-9


@dataclass(frozen=True, eq=False)
class Stage:
    """The distribution after one stage.

    `name`: softmax (the model's own distribution, T = 1), temperature, top-k, top-p or min-p.
    `active`: False if the setting leaves the stage without effect by definition (off, or T = 1).
    `mass_removed`: probability, in the stage before, of the tokens that this stage cut.
    `normaliser`: what the kept weights were divided by. The weights are exp((z - max) / T) for softmax and
        temperature; for a filter they are the probabilities before it, so this is the mass that it kept.
    `prefix`: the kept tokens. Stages that changed nothing share it with the stage before.
    """

    name: StageName
    active: bool
    mass_removed: float
    normaliser: float
    prefix: Prefix = field(repr=False)

    @property
    def kept(self) -> int:
        """Number of tokens that are left. At a very small T the probability of some can round to 0."""
        return self.prefix.kept

    @property
    def probs(self) -> NDArray[np.float64]:
        """Probability of every token by id, renormalised; 0 for those that are cut. float64 (V,)."""
        return self.prefix.probs

    @property
    def entropy_bits(self) -> float:
        """Entropy of `probs` in bits."""
        return self.prefix.entropy_bits

    @property
    def effective_choices(self) -> float:
        """2 ** entropy: the number of equally probable tokens with the same entropy."""
        return float(2.0**self.entropy_bits)


def run_stages(ranked: SortedLogits, settings: SamplerSettings) -> list[Stage]:
    """The softmax and the four stages in the settings' order, whether active or not."""
    keeps_ties = ENGINES[settings.engine].keeps_ties
    prefix = ranked.model
    stages = [Stage("softmax", True, 0.0, prefix.total, prefix)]
    for name in settings.stage_order:
        if name == "temperature":
            stages.append(_temperature(prefix, settings.temperature))
        elif name == "top-k":
            kept = _top_k(prefix, settings.top_k, keeps_ties) if settings.top_k else None
            stages.append(_filter(name, prefix, kept))
        elif name == "top-p":
            kept = _top_p(prefix, settings.top_p) if settings.top_p < 1 else None
            stages.append(_filter(name, prefix, kept))
        else:
            kept = _min_p(prefix, settings.min_p) if settings.min_p else None
            stages.append(_filter(name, prefix, kept))
        prefix = stages[-1].prefix
    return stages


def _temperature(before: Prefix, temperature: float) -> Stage:
    if temperature == 1:
        return Stage("temperature", False, 0.0, before.total, before)
    tempered = Tempered(before.tempered.ranked, temperature)
    prefix = Prefix(tempered, 1 if temperature == 0 else before.kept)
    return Stage("temperature", True, before.mass(prefix.kept), prefix.total, prefix)


def _filter(name: StageName, before: Prefix, kept: int | None) -> Stage:
    """The stage of a filter that keeps `kept` tokens; `None` if it is off."""
    if kept is None or kept == before.kept:
        return Stage(name, kept is not None, 0.0, 1.0, before)
    prefix = Prefix(before.tempered, kept)
    return Stage(name, True, before.mass(kept), prefix.total / before.total, prefix)


def _top_k(before: Prefix, k: int, keeps_ties: bool) -> int:
    """The k largest, and in some engines every tie with the k-th. Fan et al. (2018).

    k = 1 is greedy by name and by the lecture, so it keeps one token whatever the engine: see `engine_note`.
    """
    if k >= before.kept:
        return before.kept
    if not keeps_ties or k == 1:
        return k
    logits = before.tempered.ranked.logits
    return bisect_right(logits, -logits[k - 1], lo=k, hi=before.kept, key=neg)


def _top_p(before: Prefix, p: float) -> int:
    """The smallest prefix with mass >= p: a token is kept while the mass before it is below p.

    Holtzman et al. (2020), section 3.1.
    """
    threshold = (p - BOUNDARY) * before.total
    reached = before.tempered.cumulative[: before.kept]
    return min(int(np.searchsorted(reached, threshold, side="left")) + 1, before.kept)


def _min_p(before: Prefix, min_p: float) -> int:
    """Tokens with p_i >= min_p * p_max, that is with (max - z_i) / T <= -ln min_p. Nguyen et al. (2024)."""
    furthest = (BOUNDARY - math.log(min_p)) * before.tempered.temperature
    return int(np.searchsorted(before.tempered.ranked.gap[: before.kept], furthest, side="right"))
