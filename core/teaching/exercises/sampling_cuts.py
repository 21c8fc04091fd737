"""By hand: which tokens a filter keeps, and what renormalising makes of them."""

import numpy as np

from core.sampling import SamplerSettings, distribution, logits_from_probs
from core.teaching.exercises.base import Kind, Made, Mistake, NumberField, SetField, Step, Table

TOKENS = ("A", "B", "C", "D", "E")


def probabilities(rng: np.random.Generator, count: int = len(TOKENS)) -> tuple[float, ...]:
    """Probabilities with two decimals, no two the same, each at least 0.02, in no order."""
    while True:
        cuts = np.sort(rng.choice(np.arange(1, 100), count - 1, replace=False))
        parts = np.diff([0, *cuts.tolist(), 100])
        if parts.min() >= 2 and len(set(parts.tolist())) == count:
            return tuple(part / 100 for part in parts.tolist())


def given(probs: tuple[float, ...]) -> Table:
    """The tokens and their probabilities."""
    return Table(("token", *TOKENS[: len(probs)]), (("P", *(f"{prob:.2f}" for prob in probs)),))


def kept_by(probs: tuple[float, ...], settings: SamplerSettings) -> frozenset[str]:
    """The tokens that core's own stages keep."""
    kept = distribution(logits_from_probs(probs), settings).kept
    return frozenset(TOKENS[i] for i in np.flatnonzero(kept))


def renormalised(probs: tuple[float, ...], kept: frozenset[str]) -> dict[str, float]:
    """Each token's probability after the others are cut."""
    mass = sum(prob for token, prob in zip(TOKENS, probs, strict=False) if token in kept)
    return {t: prob / mass if t in kept else 0.0 for t, prob in zip(TOKENS, probs, strict=False)}


def top_k(rng: np.random.Generator) -> Made:
    """Which tokens top-k keeps, and the probability of the first of them."""
    probs = probabilities(rng)
    k = int(rng.integers(2, 4))
    ranked = [TOKENS[i] for i in np.argsort(probs)[::-1]]
    first = ranked[0]
    result = distribution(logits_from_probs(probs), SamplerSettings(top_k=k))
    kept = kept_by(probs, SamplerSettings(top_k=k))

    def wrong(sentence: str, ids: list[str]) -> Mistake:
        return Mistake(
            sentence, {"kept": frozenset(ids), "first": renormalised(probs, frozenset(ids))[first]}
        )

    return Made(
        task=f"Top-k with k = {k}. Which tokens are kept, and what is P′({first}), after renormalising?",
        given=(given(probs),),
        fields=(
            SetField("kept", "Kept", TOKENS),
            NumberField("first", f"P′({first})"),
        ),
        answers={"kept": kept, "first": float(result.probs[TOKENS.index(first)])},
        hint="Sort by falling probability first.",
        mistakes=(
            wrong("You kept one token too many.", ranked[: k + 1]),
            wrong("You kept one token too few.", ranked[: k - 1]),
            wrong("Those are the first in the table; top-k takes the most probable ones.", list(TOKENS[:k])),
            wrong("Those are the least probable tokens.", ranked[-k:]),
            Mistake("Not renormalised: what is left has to sum to 1.", {"first": max(probs)}),
        ),
        steps=(
            Step(f"By falling probability: {', '.join(ranked)}. The first {k} stay."),
            Step(f"Their mass is {result.stages[2].normaliser:.2f}."),
            Step(
                f"P′({first}) = {max(probs):.2f} / {result.stages[2].normaliser:.2f}"
                f" = {result.probs[TOKENS.index(first)]:.3f}."
            ),
        ),
    )


CUTS = (Kind("top-k", "Top-k", "A", 1, top_k),)
