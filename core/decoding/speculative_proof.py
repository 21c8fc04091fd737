"""The proof by counting: many draws at one position, against the target's own distribution.

Three rules are counted: the accept test with the residual, llama.cpp's, and a wrong one, where a rejected
token is replaced by a draw from p itself. The first two have the law p, and the third has not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.decoding.counts import ChiSquare, chi_square
from core.decoding.drafts import Draft
from core.decoding.generate import LanguageModel
from core.decoding.speculative_verify import residual_of
from core.errors import InputError
from core.sampling import SamplerSettings, distribution
from core.sampling.checks import whole_number

Probs = NDArray[np.float64]
MOST_DRAWS = 1_000_000
ROUNDING = 1e-5  # of p and q by the same model: it reads a text in pieces of other sizes


@dataclass(frozen=True, eq=False)
class Proof:
    """N tokens by one rule: how often each came (V,), how many were the drafted one, and the test."""

    counts: NDArray[np.intp]
    accepted: int
    test: ChiSquare


@dataclass(frozen=True)
class Proofs:
    """The three rules, on the same drafted tokens and the same numbers u.

    `same`: p = q up to rounding, so that min(1, p / q) rejects nothing, and what follows a rejection is open.
    """

    residual: Proof
    match: Proof
    wrong: Proof
    same: bool


def prove(target_probs: ArrayLike, draft_probs: ArrayLike, seed: int, count: int) -> Proofs:
    """Draw `count` tokens at one position by each rule. p and q (V,) are after the settings.

    `core.decoding.verify_draft` draws one; here are many at once, by the same rule. Errors: `InputError` for
    a count outside 1 to 1,000,000.
    """
    if not 1 <= whole_number("The number of draws", count) <= MOST_DRAWS:
        raise InputError(f"The number of draws must lie between 1 and {MOST_DRAWS:,}.")
    p, q = np.asarray(target_probs, dtype=np.float64), np.asarray(draft_probs, dtype=np.float64)
    drafts, tests, draws = np.random.default_rng(seed).random((3, count))
    drafted = _inverse(q, drafts)
    accepted = tests < np.minimum(1, p[drafted] / q[drafted])
    own = _inverse(p, draws)
    by_residual = np.where(accepted, drafted, _inverse(residual_of(p, q), draws))
    return Proofs(
        residual=_proof(p, by_residual, accepted),
        match=_proof(p, own, own == drafted),
        wrong=_proof(p, np.where(accepted, drafted, own), accepted),
        same=bool(np.abs(p - q).sum() < ROUNDING),
    )


@dataclass(frozen=True, eq=False)
class Place:
    """p and q (V,) of one position, after the settings."""

    p: Probs
    q: Probs

    def largest(self, count: int) -> list[int]:
        """The tokens of largest p, falling; the lowest id wins a tie."""
        return [int(token) for token in np.argsort(-self.p, kind="stable")[:count]]


def place_after(
    model: LanguageModel, draft: Draft, token_ids: Sequence[int], settings: SamplerSettings
) -> Place | None:
    """The two laws of the token after a text; `None` where the draft proposes nothing.

    Errors: as the model's.
    """
    proposal = draft.propose(token_ids, settings, [0.5])
    if not proposal.tokens:
        return None
    return Place(distribution(model.next_logits(token_ids), settings).probs, proposal.probs[0])


def _proof(p: Probs, tokens: NDArray[np.intp], accepted: NDArray[np.bool_]) -> Proof:
    counts = np.bincount(tokens, minlength=len(p)).astype(np.intp)
    return Proof(counts, int(accepted.sum()), chi_square(counts, p))


def _inverse(probs: Probs, us: Probs) -> NDArray[np.intp]:
    """As `speculative_verify.inverse_cdf`, for many numbers u."""
    order = np.argsort(-probs, kind="stable")
    cumulative = np.cumsum(probs[order])
    chosen: NDArray[np.intp] = order[np.searchsorted(cumulative, us * cumulative[-1], side="right")]
    return chosen
