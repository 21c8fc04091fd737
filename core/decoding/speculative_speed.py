"""How fast speculative decoding is: what Leviathan et al. predict from α, γ and c, and what is counted.

α: the probability that a drafted token is accepted, Σ min(p, q) on average over positions. γ: drafted tokens
in a round. c: the time of one drafted token in passes of the target. The formulas take the tests of a round
as independent with one α, and a pass over γ + 1 positions to last as long as one over a single position; that
holds on hardware that waits for memory, and on a processor that computes in between it does not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.decoding.drafts import ModelDraft
from core.decoding.generate import LanguageModel
from core.decoding.speculative import Round
from core.errors import InputError
from core.sampling import SamplerSettings, distribution
from core.sampling.checks import fraction, real_number, whole_number

GAMMAS = tuple(range(1, 11))


def expected_tokens(alpha: float, gamma: int) -> float:
    """Tokens for each pass of the target, (1 - α^(γ+1)) / (1 - α). Leviathan et al. 2023, equation 1.

    Errors: `InputError` for α outside [0, 1] and γ below 0.
    """
    alpha, gamma = fraction("α", alpha), whole_number("γ", gamma)
    if gamma < 0:
        raise InputError("γ is a number of tokens: 0 or more.")
    return gamma + 1.0 if alpha == 1 else (1 - alpha ** (gamma + 1)) / (1 - alpha)


def speed_up(alpha: float, gamma: int, cost: float) -> float:
    """How many times faster than the target alone, (1 - α^(γ+1)) / ((1 - α) (γ c + 1)): theorem 3.8.

    Some γ gives more than 1 exactly if α > c (corollary 3.9): one drafted token then gives (1 + α) / (1 + c).
    Errors: as `expected_tokens`, and for a c below 0.
    """
    if real_number("c", cost) < 0:
        raise InputError("c is the time of a drafted token in passes of the target: 0 or more.")
    return expected_tokens(alpha, gamma) / (gamma * cost + 1)


def best_gamma(alpha: float, cost: float, gammas: Sequence[int] = GAMMAS) -> int:
    """The γ among `gammas` with the largest predicted speed-up; the smallest of several."""
    return max(gammas, key=lambda gamma: speed_up(alpha, gamma, cost))


def speed_map(
    alphas: Sequence[float], costs: Sequence[float], gammas: Sequence[int] = GAMMAS
) -> NDArray[np.float64]:
    """The predicted speed-up (drafts, γ) of drafts with these α and c: one for each number of layers."""
    rows = zip(alphas, costs, strict=True)
    return np.array([[speed_up(alpha, gamma, cost) for gamma in gammas] for alpha, cost in rows])


@dataclass(frozen=True)
class Counted:
    """What some rounds came to. Means over nothing are `None`.

    `alpha`: accepted of those tested. `expected_alpha`: the mean of Σ min(p, q) over the tested positions,
    and `match_alpha` of Σ p q, which llama.cpp's rule would accept. `tokens_per_pass`: of the target.
    """

    rounds: int
    drafted: int
    tested: int
    accepted: int
    tokens: int
    draft_passes: int
    alpha: float | None
    expected_alpha: float | None
    match_alpha: float | None
    tokens_per_pass: float | None


def counted(rounds: Sequence[Round]) -> Counted:
    """The sums over `rounds`: each of them is one pass of the target."""
    tested = [token for done in rounds for token in done.drafted if token.u is not None]
    accepted = sum(token.accepted is True for token in tested)
    tokens = sum(len(done.tokens) for done in rounds)
    return Counted(
        rounds=len(rounds),
        drafted=sum(len(done.drafted) for done in rounds),
        tested=len(tested),
        accepted=accepted,
        tokens=tokens,
        draft_passes=sum(done.draft_passes for done in rounds),
        alpha=accepted / len(tested) if tested else None,
        expected_alpha=sum(token.overlap for token in tested) / len(tested) if tested else None,
        match_alpha=sum(token.match for token in tested) / len(tested) if tested else None,
        tokens_per_pass=tokens / len(rounds) if rounds else None,
    )


def acceptance(
    model: LanguageModel, draft: ModelDraft, token_ids: Sequence[int], settings: SamplerSettings
) -> float:
    """α of a draft on a text: the mean over its positions of Σ min(p, q), each read after the text before it.

    Errors: as `all_logits` of the model.
    """
    return next(acceptances(model, [draft], token_ids, settings))


def acceptances(
    model: LanguageModel, drafts: Sequence[ModelDraft], token_ids: Sequence[int], settings: SamplerSettings
) -> Iterator[float]:
    """`acceptance` of each draft, one after another: the target reads the text once for all of them."""
    targets = [distribution(row, settings).probs for row in model.all_logits(token_ids)]
    for draft in drafts:
        overlaps = [
            float(np.minimum(p, distribution(row, settings).probs).sum())
            for p, row in zip(targets, _rows(draft, token_ids), strict=True)
        ]
        yield min(1.0, sum(overlaps) / len(overlaps))


def _rows(draft: ModelDraft, token_ids: Sequence[int]) -> Iterator[NDArray[np.floating]]:
    if draft.window is None:
        yield from draft.model.all_logits(token_ids)
    else:
        for end in range(1, len(token_ids) + 1):
            yield draft.model.next_logits(draft.seen(token_ids[:end]))
