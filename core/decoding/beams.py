"""Beam search: the most probable text is looked for among a few that grow side by side (Lowerre 1976).

With one beam it is greedy search. Nothing is drawn: the same prompt gives the same beams.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.decoding.generate import LanguageModel, ending
from core.sampling import softmax


@dataclass(frozen=True)
class Beam:
    """A text in the search: its tokens after the prompt, each with its probability in the model (T = 1)."""

    path: tuple[int, ...] = ()
    probs: tuple[float, ...] = ()

    @property
    def log_prob(self) -> float:
        """The natural logarithm of the probability of the whole text."""
        return sum(math.log(prob) if prob else -math.inf for prob in self.probs)


def widened(
    model: LanguageModel, prompt_ids: Sequence[int], beams: Sequence[Beam], width: int
) -> tuple[Beam, ...]:
    """One step: each beam goes on with its `width` most probable tokens; the `width` best of all texts stay.

    A text that is over competes as it is. Returned by falling probability, the sooner found first in a tie.
    Errors: as `next_logits` of the model.
    """
    found: list[Beam] = []
    for beam in beams:
        ids = [*model.start(prompt_ids), *beam.path]
        if ending(model, ids, len(beam.path)):
            found.append(beam)
            continue
        probs = softmax(np.asarray(model.next_logits(ids), np.float64))
        for token in np.argsort(-probs, kind="stable")[:width]:
            found.append(Beam((*beam.path, int(token)), (*beam.probs, float(probs[token]))))
    return tuple(sorted(found, key=lambda beam: -beam.log_prob)[:width])


START = Beam()


@dataclass(frozen=True)
class Search:
    """The beams after a step, best first, and the greedy text of the same length beside them."""

    beams: tuple[Beam, ...] = (START,)
    greedy: Beam = START


def further(model: LanguageModel, prompt_ids: Sequence[int], search: Search, width: int) -> Search | None:
    """The search after one step more; `None` where all of its texts are over. Errors: as `widened`."""
    ids = model.start(prompt_ids)
    if all(ending(model, [*ids, *beam.path], len(beam.path)) for beam in search.beams):
        return None
    (greedy,) = widened(model, ids, (search.greedy,), 1)
    return Search(widened(model, ids, search.beams, width), greedy)
