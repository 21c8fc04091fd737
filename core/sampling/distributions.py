"""The distribution that a token is drawn from, with the facts that a screen shows about it."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.sampling.ranking import SortedLogits, presort
from core.sampling.settings import SamplerSettings
from core.sampling.stages import Stage, run_stages

KEPT = -1


@dataclass(frozen=True)
class Candidate:
    """One token on its way through the stages.

    `rank` counts from 0 by falling logit. `stage_probs` has its probability after each stage.
    `start` is the probability of the kept tokens before it, so u draws it if start <= u < start + prob.
    `cut_by` names what removed it, as `Distribution.cut_by`.
    """

    token_id: int
    rank: int
    logit: float
    stage_probs: tuple[float, ...]
    start: float
    cut_by: str | None

    @property
    def model_prob(self) -> float:
        """Its probability in the model's own distribution (softmax, T = 1)."""
        return self.stage_probs[0]

    @property
    def prob(self) -> float:
        """Its probability of being drawn."""
        return self.stage_probs[-1]

    @property
    def surprisal_bits(self) -> float:
        """-log2 of `prob`; infinite for a token that cannot be drawn."""
        return -math.log2(self.prob) if self.prob > 0 else math.inf


@dataclass(frozen=True)
class Tail:
    """All tokens beyond the first n by falling logit, as one: how many, how many of them kept, their mass.

    `stage_masses` has their joint probability after each stage. `cut_by` names all that cut among them.
    """

    tokens: int
    kept: int
    stage_masses: tuple[float, ...]
    cut_by: tuple[str, ...]

    @property
    def model_mass(self) -> float:
        """Their probability in the model's own distribution (softmax, T = 1)."""
        return self.stage_masses[0]

    @property
    def mass(self) -> float:
        """The probability that one of them is drawn."""
        return self.stage_masses[-1]


@dataclass(frozen=True, eq=False)
class Distribution:
    """Every stage from logits to the distribution of the draw. Arrays are read-only and by token id.

    `stages`: softmax, then the engine's temperature, top-k, top-p and min-p in its own order, each
    present even if off. Arrays over the whole vocabulary are made when they are first read.
    """

    ranked: SortedLogits
    settings: SamplerSettings
    stages: list[Stage]

    @property
    def probs(self) -> NDArray[np.float64]:
        """Probability of being drawn, float64 (V,), sums to 1."""
        return self.stages[-1].probs

    @property
    def order(self) -> NDArray[np.intp]:
        """Token ids by falling logit, ties by lowest id, int (V,)."""
        return self.ranked.order

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Whether neither a mask nor a filter cut the token, bool (V,)."""
        kept = np.zeros(len(self.order), dtype=np.bool_)
        kept[self.order[: self.kept_count]] = True
        kept.flags.writeable = False
        return kept

    @cached_property
    def cut_stage(self) -> NDArray[np.int8]:
        """Index of the stage that cut each token, int8 (V,): -1 if kept, 0 if a mask forbids it."""
        cut = np.empty(len(self.order), dtype=np.int8)
        cut[self.order] = self._cut_stages(0, len(self.order))
        cut.flags.writeable = False
        return cut

    @cached_property
    def cumulative(self) -> NDArray[np.float64]:
        """Running sum of the kept probabilities by falling probability; the draw inverts it."""
        return np.asarray(np.cumsum(self.stages[-1].prefix.falling(self.kept_count)), dtype=np.float64)

    @property
    def kept_count(self) -> int:
        """Number of kept tokens."""
        return self.stages[-1].kept

    @property
    def kept_mass(self) -> float:
        """What the filters left: the product over the stages of 1 - mass_removed."""
        return math.prod(1 - stage.mass_removed for stage in self.stages)

    @property
    def renormalised_by(self) -> float:
        """1 / kept_mass: the factor by which the filters together raised the kept probabilities."""
        return 1 / self.kept_mass

    @property
    def entropy_bits(self) -> float:
        """Entropy of the draw in bits."""
        return self.stages[-1].entropy_bits

    @property
    def effective_choices(self) -> float:
        """2 ** entropy: the draw is like choosing among so many equally probable tokens."""
        return self.stages[-1].effective_choices

    def cut_by(self, token_id: int) -> str | None:
        """What removed the token: "mask", "temperature" (T = 0), "top-k", "top-p", "min-p"; `None` if kept.

        `InputError` if the vocabulary has no such id.
        """
        return self._cut_name(int(self.cut_stage[self._checked(token_id)]))

    def token(self, token_id: int) -> Candidate:
        """One token's way through the stages. `InputError` if the vocabulary has no such id."""
        rank = int(np.flatnonzero(self.order == self._checked(token_id))[0])
        return self._candidates(rank, rank + 1)[0]

    def top(self, count: int) -> tuple[Candidate, ...]:
        """The first `count` tokens by falling logit, kept or cut; all of them if there are fewer."""
        return self._candidates(0, min(count, len(self.order)))

    def tail(self, count: int) -> Tail:
        """All tokens beyond the first `count`, as one."""
        size = len(self.order)
        return Tail(
            tokens=max(size - count, 0),
            kept=max(self.kept_count - count, 0),
            stage_masses=tuple(stage.prefix.mass(count) for stage in self.stages),
            cut_by=tuple(
                str(self._cut_name(index))
                for index, (start, stop) in enumerate(self._cut_ranks())
                if max(start, count) < stop
            ),
        )

    def _candidates(self, start: int, stop: int) -> tuple[Candidate, ...]:
        columns = np.zeros((len(self.stages), stop - start))
        for row, stage in zip(columns, self.stages, strict=True):
            falling = stage.prefix.falling(stop)[start:]
            row[: len(falling)] = falling
        begins = np.concatenate(([0.0], np.cumsum(self.stages[-1].prefix.falling(stop))))
        cuts = self._cut_stages(start, stop).tolist()
        return tuple(
            Candidate(
                token_id=int(self.order[rank]),
                rank=rank,
                logit=float(self.ranked.logits[rank]),
                stage_probs=tuple(columns[:, rank - start].tolist()),
                start=float(begins[min(rank, len(begins) - 1)]),
                cut_by=self._cut_name(cut),
            )
            for rank, cut in zip(range(start, stop), cuts, strict=True)
        )

    def _cut_stages(self, start: int, stop: int) -> NDArray[np.int8]:
        """For the ranks from `start` up to, not including, `stop`: the index of the stage that cut them."""
        cut = np.full(stop - start, KEPT, dtype=np.int8)
        for index, (first, end) in enumerate(self._cut_ranks()):
            cut[max(first - start, 0) : max(end - start, 0)] = index
        return cut

    def _cut_ranks(self) -> list[tuple[int, int]]:
        """Per stage, the ranks that it cut, as (first, one past the last)."""
        left = [stage.kept for stage in self.stages]
        return list(zip(left, [len(self.order), *left], strict=False))

    def _cut_name(self, stage: int) -> str | None:
        if stage == KEPT:
            return None
        return self.stages[stage].name if stage else "mask"

    def _checked(self, token_id: int) -> int:
        if not 0 <= token_id < len(self.order):
            raise InputError(f"There is no token {token_id}: ids run from 0 to {len(self.order) - 1}.")
        return token_id


def distribution(logits: ArrayLike | SortedLogits, settings: SamplerSettings) -> Distribution:
    """What `settings` make of logits (V,): all stages in the order of the settings' engine.

    Pass `presort(logits)` to try many settings on the same logits: sorting is most of the work.
    Errors: as `checked_logits`.
    """
    ranked = logits if isinstance(logits, SortedLogits) else presort(logits)
    return Distribution(ranked, settings, run_stages(ranked, settings))
