"""From logits to probabilities, without a filter: the softmax, the maximum and the mask.

Logits are one value per token of the vocabulary, shape (V,), in any real dtype; everything is computed
in float64. A logit of -inf marks a token that a mask forbids: its probability is 0. NaN and +inf have
no softmax and are refused.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.sampling.checks import temperature_value

SUM_TOLERANCE = 1e-6


class NoTokenAllowed(InputError):
    """Every token is forbidden: a dead end, where nothing can be drawn."""

    def __init__(self) -> None:
        super().__init__(
            "No token is allowed: every logit is minus infinity. "
            "The constraint leaves no way to continue; loosen it or step back."
        )


def checked_logits(logits: ArrayLike) -> NDArray[np.float64]:
    """A float64 copy of `logits`, shape (V,).

    Errors: `NoTokenAllowed` if all are -inf; `InputError` for NaN, +inf, another shape or no number.
    """
    values = _vector("Logits", logits)
    if np.isnan(values).any():
        raise InputError(f"The logit of token {int(np.isnan(values).argmax())} is NaN: not a number.")
    if np.isposinf(values).any():
        raise InputError(
            f"The logit of token {int(np.isposinf(values).argmax())} is +infinity; "
            "only minus infinity, for a forbidden token, has a softmax."
        )
    if np.isneginf(values).all():
        raise NoTokenAllowed
    return values


def softmax(logits: ArrayLike, temperature: float = 1.0) -> NDArray[np.float64]:
    """exp(z / T) / sum exp(z / T), float64, shape (V,).

    T = 0 is the limit T -> 0+ by greedy's rule: one-hot on the lowest id among the maxima.
    Errors: as `checked_logits`; `InputError` for a temperature that is negative or not finite.
    """
    temperature = temperature_value(temperature)
    values = checked_logits(logits)
    if temperature == 0:
        one_hot = np.zeros(len(values))
        one_hot[values.argmax()] = 1
        return one_hot
    # The maximum goes before the division: z / T itself overflows for a small T.
    with np.errstate(over="ignore"):
        weights = np.exp((values - values.max()) / temperature)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def greedy(logits: ArrayLike) -> int:
    """The id of the largest logit; the lowest id wins a tie. Errors: as `checked_logits`."""
    return int(checked_logits(logits).argmax())


def masked(logits: ArrayLike, allowed: Iterable[int] | NDArray[np.bool_]) -> NDArray[np.float64]:
    """The logits with -inf for every token that is not allowed, float64, shape (V,).

    `allowed` is a boolean array of shape (V,), or ids. A finite penalty in the place of -inf is not a mask:
    added to all tokens it would change nothing.
    Errors: `NoTokenAllowed` if no token is left; `InputError` for ids outside the vocabulary, and as
    `checked_logits`.
    """
    values = checked_logits(logits)
    keep = _membership(allowed, len(values))
    result = np.where(keep, values, -np.inf)
    if np.isneginf(result).all():
        raise NoTokenAllowed
    return result


def logits_from_probs(probs: ArrayLike) -> NDArray[np.float64]:
    """ln p, with -inf for p = 0: the logits whose softmax at T = 1 is `probs`. float64, shape (V,).

    Errors: `InputError` if a probability is negative or not finite, or if they do not sum to 1 within 1e-6.
    """
    values = _vector("Probabilities", probs)
    if not np.isfinite(values).all():
        raise InputError("Probabilities must be finite numbers.")
    if (values < 0).any():
        raise InputError(f"A probability cannot be negative; {values.min():g} is.")
    total = float(values.sum())
    if abs(total - 1) > SUM_TOLERANCE:
        raise InputError(f"Probabilities must sum to 1; these sum to {total:g}.")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values), dtype=np.float64)


def _vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers, one per token.") from None
    if vector.ndim != 1 or not len(vector):
        raise InputError(f"{name} must be one row with one number per token, not shape {vector.shape}.")
    return vector


def _membership(allowed: Iterable[int] | NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    listed = allowed if isinstance(allowed, np.ndarray) else np.array(list(allowed))
    if listed.dtype == np.bool_:
        if listed.shape != (size,):
            raise InputError(f"A mask needs one entry per token: {size}, not shape {listed.shape}.")
        return listed
    member = np.zeros(size, dtype=np.bool_)
    if not listed.size:
        return member
    if listed.dtype.kind not in "iu":
        raise InputError("Allowed tokens must be given by their ids, which are whole numbers.")
    if listed.min() < 0 or listed.max() >= size:
        raise InputError(f"Allowed ids must lie between 0 and {size - 1}, the last token of the vocabulary.")
    member[listed] = True
    return member
