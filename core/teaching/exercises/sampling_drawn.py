"""What the exercises on sampling share: their figures, their tables, and core's stages as a table."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from core.sampling import Distribution, SamplerSettings, Stage, distribution, logits_from_probs
from core.teaching.exercises.base import Mistake, NumberField, Step, Table

TOKENS = ("A", "B", "C", "D", "E")
Row = tuple[float, ...]


def probabilities(rng: np.random.Generator, count: int = len(TOKENS)) -> Row:
    """Probabilities with two decimals, no two the same, each at least 0.02, in no order."""
    while True:
        cuts = np.sort(rng.choice(np.arange(1, 100), count - 1, replace=False))
        parts = np.diff([0, *cuts.tolist(), 100]).tolist()
        if min(parts) >= 2 and len(set(parts)) == count:
            return tuple(part / 100 for part in parts)


def given(probs: Row, name: str = "P", tokens: Sequence[str] = TOKENS) -> Table:
    """Tokens and their probabilities."""
    return Table(("token", *tokens[: len(probs)]), ((name, *(f"{prob:.2f}" for prob in probs)),))


def falling(values: Iterable[float]) -> list[str]:
    """The tokens by falling value."""
    pairs = sorted(zip(values, TOKENS, strict=False), reverse=True)
    return [token for _, token in pairs]


def cut(probs: Row, settings: SamplerSettings) -> Distribution:
    """What core's own stages make of probabilities."""
    return distribution(logits_from_probs(probs), settings)


def kept(result: Distribution) -> frozenset[str]:
    """The tokens that are left."""
    return frozenset(TOKENS[i] for i in np.flatnonzero(result.kept).tolist())


def of(result: Distribution, token: str) -> float:
    """A token's probability of being drawn."""
    return float(result.probs[TOKENS.index(token)])


def renormalised(weights: Row, tokens: Collection[str], token: str) -> float:
    """A token's share among those that are kept: 0 if it is not kept."""
    mass = sum(weights[TOKENS.index(one)] for one in tokens)
    return weights[TOKENS.index(token)] / mass if token in tokens else 0.0


def asked(tokens: Iterable[str], name: str = "P′") -> tuple[NumberField, ...]:
    """A field for the probability of each token; the field has the token's name."""
    return tuple(NumberField(token, f"{name}({token})", probability=True) for token in tokens)


def kept_instead(
    sentence: str,
    weights: Row,
    tokens: Collection[str],
    fields: Iterable[str],
    *,
    decisive: bool = False,
) -> Mistake:
    """The mistake of keeping other tokens: in the set, and in the probabilities that are asked for."""
    shares = {token: renormalised(weights, tokens, token) for token in fields}
    return Mistake(sentence, {"kept": frozenset(tokens), **shares}, ("kept",) if decisive else ())


def not_renormalised(probs: Row, fields: Sequence[str]) -> Mistake:
    """The mistake of leaving the kept probabilities as they were."""
    return Mistake(
        "Not renormalised: what is kept has to sum to 1.",
        {token: probs[TOKENS.index(token)] for token in fields},
        tuple(fields),
    )


def stage_by_stage(result: Distribution, tokens: Sequence[str] = TOKENS) -> Step:
    """The stages of core that did something, with the probability of each token after them."""
    stages = [stage for stage in result.stages if stage.active]
    width = len(result.probs)
    filters = any(_is_filter(stage) for stage in stages)
    return Step(
        "Stage by stage, as Loopscope computes it:",
        Table(
            ("after", *tokens[:width], *(["divided by"] if filters else [])),
            tuple(
                (
                    stage.name,
                    *(f"{prob:.3f}" if prob else "–" for prob in stage.probs.tolist()),
                    *([f"{stage.normaliser:.3f}" if _is_filter(stage) else ""] if filters else []),
                )
                for stage in stages
            ),
        ),
    )


def _is_filter(stage: Stage) -> bool:
    return stage.name not in {"softmax", "temperature"}
