"""Part I: from logits to a distribution to a token. numpy only.

ranked = presort(logits)                                   # once per prompt
result = distribution(ranked, SamplerSettings(top_p=0.9))  # once per setting
token_id = draw(result, uniform(seed=7, index=0))          # once per token
"""

from core.sampling.bounded import Intervals, Partial, partial
from core.sampling.distributions import Candidate, Distribution, Tail, distribution
from core.sampling.draws import draw, tally, uniform
from core.sampling.engines import ENGINES, Engine
from core.sampling.logits import NoTokenAllowed, greedy, logits_from_probs, masked, softmax
from core.sampling.ranking import SortedLogits, presort
from core.sampling.settings import SamplerSettings, engine_note
from core.sampling.stages import Stage
from core.sampling.sweep import Sweep, sweep

__all__ = [
    "ENGINES",
    "Candidate",
    "Distribution",
    "Engine",
    "Intervals",
    "NoTokenAllowed",
    "Partial",
    "SamplerSettings",
    "SortedLogits",
    "Stage",
    "Sweep",
    "Tail",
    "distribution",
    "draw",
    "engine_note",
    "greedy",
    "logits_from_probs",
    "masked",
    "partial",
    "presort",
    "softmax",
    "sweep",
    "tally",
    "uniform",
]
