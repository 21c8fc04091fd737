"""The test that drafted tokens pass: the tokens that come out have the target's own distribution.

Leviathan et al. 2023 (arXiv:2211.17192), algorithm 1 and appendix A.1; Chen et al. 2023 (arXiv:2302.01318),
algorithm 2. p is the target's distribution at a position, q the draft's, both after temperature and filters.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError

Rows = NDArray[np.float64]
SUM_TOLERANCE = 1e-4
"""How far a row may sum from 1: the rounding of float32 over a whole vocabulary is less."""


@dataclass(frozen=True, eq=False)
class Verification:
    """What became of the drafted tokens in one pass of the target.

    `tokens`: what is emitted, the accepted drafts and one more. `accepted`: how many of them were drafted.
    `accept_probs`: for each drafted token, whether tested or not, the bar that its u had to stay below.
    `used`: the numbers consumed, in order. `residual`: the distribution (V,) of the token after a rejection,
    read-only; `None` if all were accepted and the last token is the bonus, from the target's last row.
    """

    tokens: tuple[int, ...]
    accepted: int
    accept_probs: tuple[float, ...]
    used: tuple[float, ...]
    residual: Rows | None

    @property
    def bonus(self) -> bool:
        """Whether all drafted tokens were accepted, so that the last token is one more for the same pass."""
        return self.accepted == len(self.accept_probs)

    @property
    def next_token(self) -> int:
        """The last of `tokens`: drawn from the residual, or the bonus."""
        return self.tokens[-1]


def verify_draft(
    target_probs: ArrayLike,
    draft_probs: ArrayLike,
    draft_tokens: Sequence[int],
    uniforms: Iterable[float],
) -> Verification:
    """Accept drafted tokens one after another while u < min(1, p / q); then draw one token more.

    At the first rejection it comes from the residual max(0, p - q), normalised; if all are accepted, from
    the target's last row. A draw takes the first token at which the running sum exceeds u, by falling
    probability and ties by lowest id, as `core.sampling.draw` does.

    Args:
        target_probs: (γ + 1, V). Row i is p after the first i drafted tokens.
        draft_probs: (γ, V). Row i is the q that drafted token i was drawn from.
        draft_tokens: γ token ids; γ = 0 is a plain draw from the target.
        uniforms: numbers in [0, 1), consumed in order: one for each token tested, then one for the draw. So
            `accepted` + 2 after a rejection, else γ + 1; γ + 1 are always enough, and the rest is not read.

    Where q is p nothing is rejected; should rounding force a rejection where no entry of p is above q, the
    draw is from p.

    Errors: `InputError` for other shapes, rows that are no distributions (within 1e-4), numbers outside
    [0, 1) or too few of them, a token outside the vocabulary, and one whose q is 0: no such draft exists.
    """
    tokens, target = _tokens(draft_tokens), _rows("target_probs", target_probs)
    draft = _rows("draft_probs", draft_probs, target.shape[1])
    _check_shapes(target, draft, tokens)
    numbers = _Numbers(uniforms)
    at = np.arange(len(tokens))
    p, q = target[at, tokens], draft[at, tokens]
    if (q == 0).any():
        place = int((q == 0).argmax())
        raise InputError(
            f"Drafted token {place + 1}, id {tokens[place]}, has probability 0 in its own draft distribution "
            "and cannot have been drawn from it: pass the q that it was drawn from."
        )
    with np.errstate(over="ignore"):
        bars = tuple(np.minimum(1, p / q).tolist())
    for accepted, bar in enumerate(bars):
        if not numbers.next() < bar:
            residual = residual_of(target[accepted], draft[accepted])
            last = inverse_cdf(residual, numbers.next())
            return Verification((*tokens[:accepted], last), accepted, bars, numbers.used, residual)
    last = inverse_cdf(target[-1], numbers.next())
    return Verification((*tokens, last), len(tokens), bars, numbers.used, None)


def match_draft(
    target_probs: ArrayLike, draft_tokens: Sequence[int], uniforms: Iterable[float]
) -> Verification:
    """llama.cpp's rule: draw from the target at each position, and go on while it draws the drafted token.

    What comes out has the target's distribution, since every token is a draw from it. A draft is accepted
    with its probability p, not with min(1, p / q), so fewer are. The token that differs is emitted, and there
    is no residual. Arguments and errors as `verify_draft`, but one number for each token emitted.
    Source: llama.cpp, common/sampling.cpp, `common_sampler_sample_and_accept_n`.
    """
    tokens, target = _tokens(draft_tokens), _rows("target_probs", target_probs)
    _check_shapes(target, None, tokens)
    numbers = _Numbers(uniforms)
    bars = tuple(target[np.arange(len(tokens)), tokens].tolist())
    for accepted, token in enumerate(tokens):
        drawn = inverse_cdf(target[accepted], numbers.next())
        if drawn != token:
            return Verification((*tokens[:accepted], drawn), accepted, bars, numbers.used, None)
    last = inverse_cdf(target[-1], numbers.next())
    return Verification((*tokens, last), len(tokens), bars, numbers.used, None)


def residual_of(target: Rows, draft: Rows) -> Rows:
    """max(0, p - q), normalised: what accepted drafts leave of p. Where that is nothing, p itself."""
    left = np.maximum(target - draft, 0)
    mass = left.sum()
    residual: Rows = left / mass if mass > 0 else target.copy()
    residual.flags.writeable = False
    return residual


def inverse_cdf(probs: Rows, u: float) -> int:
    """The first token, by falling probability, at which the running sum exceeds u."""
    order = np.argsort(-probs, kind="stable")
    cumulative = np.cumsum(probs[order])
    # The sum ends near 1: u times it stays below it, so the token found has a probability above 0.
    return int(order[np.searchsorted(cumulative, u * cumulative[-1], side="right")])


class _Numbers:
    """The numbers u, checked when they are taken."""

    def __init__(self, uniforms: Iterable[float]) -> None:
        try:
            self._rest = iter(uniforms)
        except TypeError:
            raise InputError("uniforms must be numbers in [0, 1), one for each test and one more.") from None
        self.used: tuple[float, ...] = ()

    def next(self) -> float:
        """The next of them."""
        try:
            u = float(next(self._rest))
        except StopIteration:
            raise InputError(
                f"{len(self.used)} numbers u are too few: each drafted token that is tested needs one, "
                "and the token after them one more."
            ) from None
        except (TypeError, ValueError):
            raise InputError("Each u must be a number in [0, 1).") from None
        if not 0 <= u < 1:
            raise InputError(f"u must be at least 0 and below 1; {u:g} is not.")
        self.used += (u,)
        return u


def _rows(name: str, values: ArrayLike, width: int = 0) -> Rows:
    try:
        rows = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be rows of probabilities, all of one length.") from None
    if not rows.size and rows.ndim < 3:
        rows = rows.reshape(0, width)  # γ = 0
    if rows.ndim != 2:
        raise InputError(f"{name} must have two axes, position and token, not shape {rows.shape}.")
    if not np.isfinite(rows).all() or (rows < 0).any():
        raise InputError(f"{name} must hold probabilities: finite numbers of 0 or more.")
    sums = rows.sum(axis=1)
    if (np.abs(sums - 1) > SUM_TOLERANCE).any():
        wrong = int(np.abs(sums - 1).argmax())
        raise InputError(f"Each row of {name} must sum to 1; row {wrong + 1} sums to {sums[wrong]:g}.")
    return rows


def _tokens(draft_tokens: Sequence[int]) -> list[int]:
    try:
        tokens = np.array(list(draft_tokens))
    except TypeError:
        raise InputError("draft_tokens must be a list of token ids.") from None
    if tokens.ndim != 1 or (tokens.size and tokens.dtype.kind not in "iu"):
        raise InputError("draft_tokens must be token ids, which are whole numbers.")
    return [int(token) for token in tokens]


def _check_shapes(target: Rows, draft: Rows | None, tokens: list[int]) -> None:
    count, vocabulary = len(tokens), target.shape[1]
    if len(target) != count + 1:
        raise InputError(
            f"{count} drafted tokens need {count + 1} rows of target_probs, one more for the bonus token; "
            f"there are {len(target)}."
        )
    if draft is not None and draft.shape != (count, vocabulary):
        raise InputError(
            f"{count} drafted tokens need draft_probs of shape ({count}, {vocabulary}), the vocabulary being "
            f"that of the target; it is {draft.shape}."
        )
    if tokens and not 0 <= min(tokens) <= max(tokens) < vocabulary:
        raise InputError(f"A drafted token is outside the vocabulary: ids run from 0 to {vocabulary - 1}.")
