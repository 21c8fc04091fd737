"""The sampling screen as code: logits, the stages, the draw."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.lab.lab import Lab, lab
from core.lab.python import comment, given, literal, packed
from core.sampling import ENGINES, Distribution

SHOWN = 12  # tokens by name: as many as the screen has bars
LISTED = 60  # numbers that a snippet lists without a group
GROUPED = (
    "# The tokens beyond stand in groups; a group has the logit that gives its tokens their joint weight."
)
PLAIN = "logits / T"
GREEDY = "np.where(np.arange(len(logits)) == 0, logits, -np.inf)  # T = 0: the first token alone"
NOTHING_DRAWN = "None  # nothing is drawn yet"


def sampling_lab(prompt: str, distribution: Distribution, name: Callable[[int], str], u: float | None) -> Lab:
    """The distribution of one token.

    The snippet lists the first tokens. Those beyond stand in groups, one for what is kept of them and one for
    each stage that cut some: a group has the logit that gives the sum of its members, at T = 1 and at T.

    Args:
        prompt: what was read, for the reader.
        distribution: all its stages.
        name: how a token is written.
        u: the number of the draw in view; 0 for a greedy one, `None` if nothing is drawn.
    """
    size, logits = len(distribution.order), distribution.ranked.logits
    shown = size if size <= LISTED else SHOWN
    names = [name(int(token)) for token in distribution.order[:shown]]
    head = [comment(prompt), f"tokens = {literal(names)}", *_dials(distribution)]
    number = f"u = {NOTHING_DRAWN if u is None else repr(u)}"
    every = [f"logits = {packed(logits)}", "count = np.ones(len(logits), int)", f"tempered = {PLAIN}"]
    if distribution.settings.temperature == 0:
        every[-1] = f"tempered = {GREEDY}"
    return lab(
        "sampling",
        brief="\n".join([*head, *_in_groups(distribution, shown), number]),
        whole="\n".join(["import base64", "import zlib", "", *head, *every, number]),
        screen=given(
            screen=[candidate.prob for candidate in distribution.top(shown)],
            screen_kept=distribution.kept_count,
            screen_entropy=distribution.entropy_bits,
        ),
    )


def _in_groups(distribution: Distribution, shown: int) -> list[str]:
    """The logits of the tokens shown and of the groups behind them."""
    logits, temperature = distribution.ranked.logits, distribution.settings.temperature
    ends = sorted({max(stage.kept, shown) for stage in distribution.stages} | {len(logits)})
    groups = [logits[start:end] for start, end in zip([shown, *ends], ends, strict=False) if start < end]
    count = np.array([1] * shown + [len(group) for group in groups])
    values = np.append(logits[:shown], [_joint(group, 1.0) for group in groups])
    tempered = GREEDY if temperature == 0 else PLAIN
    if groups and temperature not in (0, 1):
        joint = [float(str(np.float32(_joint(group, temperature)))) for group in groups]
        tempered = f"np.append(logits[:{shown}] / T, {joint})".replace("inf", "np.inf")
    return [
        *([GROUPED] if groups else []),
        f"logits = {literal(values)}",
        f"count = {literal(count)}",
        f"tempered = {tempered}",
    ]


def _joint(logits: NDArray[np.float64], temperature: float) -> float:
    """The logarithm of the mean of exp(z / T), of logits in falling order."""
    scaled = logits / temperature
    if np.isneginf(scaled[0]):
        return -np.inf
    # To 32 bits: as many digits as the logits of a model have.
    return float(np.float32(scaled[0] + np.log(np.mean(np.exp(scaled - scaled[0])))))


def _dials(distribution: Distribution) -> list[str]:
    settings = distribution.settings
    ties = ENGINES[settings.engine].keeps_ties and settings.top_k != 1
    on = [stage.name for stage in distribution.stages[1:] if stage.active]
    values = settings.temperature, settings.top_k, settings.top_p, settings.min_p
    return [
        f"T, top_k, top_p, min_p = {', '.join(map(repr, values))}",
        f"ties = {ties}  # whether top-k keeps what ties with the k-th, as {settings.engine} does it",
        f"order = {literal(on)}  # the stages that are on, in the order of {settings.engine}",
    ]
