"""The same prompt and settings over a range of temperatures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.sampling.distributions import distribution
from core.sampling.ranking import SortedLogits
from core.sampling.settings import SamplerSettings

# Even on a logarithmic axis. T = 0 and T = infinity are limits, and lie beyond both ends.
TEMPERATURES = tuple(float(t) for t in np.geomspace(0.05, 20, 61).round(4))


@dataclass(frozen=True, eq=False)
class Sweep:
    """`probs` (temperatures, tokens): of the most probable tokens. `kept`, `entropy_bits` (temperatures,)."""

    temperatures: tuple[float, ...]
    token_ids: tuple[int, ...]
    probs: NDArray[np.float64]
    kept: NDArray[np.int64]
    entropy_bits: NDArray[np.float64]


def sweep(
    ranked: SortedLogits,
    settings: SamplerSettings,
    tokens: int = 5,
    temperatures: Sequence[float] = TEMPERATURES,
) -> Sweep:
    """What the settings, but for their temperature, make of the logits at each of `temperatures`.

    Errors: as `SamplerSettings`.
    """
    results = [distribution(ranked, replace(settings, temperature=t)) for t in temperatures]
    return Sweep(
        temperatures=tuple(temperatures),
        token_ids=tuple(ranked.order[:tokens].tolist()),
        probs=np.array([[token.prob for token in result.top(tokens)] for result in results]),
        kept=np.array([result.kept_count for result in results], dtype=np.int64),
        entropy_bits=np.array([result.entropy_bits for result in results]),
    )
