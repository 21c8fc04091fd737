"""By hand: which tokens a filter keeps, and what renormalising makes of them."""

import numpy as np

from core.sampling import SamplerSettings
from core.teaching.exercises.base import Kind, Made, Mistake, SetField, Step, Table
from core.teaching.exercises.sampling_drawn import (
    TOKENS,
    asked,
    cut,
    falling,
    given,
    kept,
    kept_instead,
    not_renormalised,
    of,
    probabilities,
    renormalised,
    stage_by_stage,
)

KEPT = SetField("kept", "Kept", TOKENS)
RENORMALISING = r"P'(i)=\frac{\mathbb 1[i\in K]\,P(i)}{\sum_{j\in K}P(j)}"


def top_k(rng: np.random.Generator) -> Made:
    """Which tokens top-k keeps, and the probability of two of them."""
    probs = probabilities(rng)
    k = int(rng.integers(2, 4))
    ranked = falling(probs)
    result = cut(probs, SamplerSettings(top_k=k))
    fields = ranked[:2]
    return Made(
        task=f"Top-k with k = {k}. Which tokens are kept, and how probable is each of {' and '.join(fields)} "
        "after renormalising?",
        given=(given(probs),),
        fields=(KEPT, *asked(fields)),
        answers={"kept": kept(result), **{token: of(result, token) for token in fields}},
        hint="Sort by falling probability. The first k stay; divide each by what they sum to.",
        mistakes=(
            not_renormalised(probs, fields),
            kept_instead("You kept one token too many.", probs, ranked[: k + 1], fields),
            kept_instead("You kept one token too few.", probs, ranked[: k - 1], fields),
            kept_instead(
                "Those are the first of the table; top-k keeps the most probable.",
                probs,
                TOKENS[:k],
                fields,
                decisive=True,
            ),
            kept_instead("Those are the least probable tokens.", probs, ranked[-k:], fields),
        ),
        steps=(
            Step(f"By falling probability: {', '.join(ranked)}. The first {k} stay."),
            *_shares(probs, ranked[:k], fields),
            stage_by_stage(result),
        ),
    )


def top_p(rng: np.random.Generator) -> Made:
    """The nucleus, and the probability of two of its tokens."""
    while True:
        probs, p = probabilities(rng), int(rng.integers(12, 20)) / 20
        result = cut(probs, SamplerSettings(top_p=p))
        size = result.kept_count
        if 2 <= size <= 4:
            break
    ranked = falling(probs)
    fields = ranked[:2]
    sums = np.cumsum(sorted(probs, reverse=True)).tolist()
    mistakes = (
        not_renormalised(probs, fields),
        kept_instead(
            "Reaching p exactly is enough: you kept one token too many."
            if abs(sums[size - 1] - p) < 1e-9
            else "You kept one token too many: without the last one, p is reached already.",
            probs,
            ranked[: size + 1],
            fields,
        ),
        kept_instead(
            "You kept one token too few: together they do not reach p.", probs, ranked[: size - 1], fields
        ),
        kept_instead(
            "You added up in the table's order; sort by falling probability first.",
            probs,
            _in_table_order(probs, p),
            fields,
            decisive=True,
        ),
    )
    return Made(
        task=f"Top-p with p = {p:g}. Which tokens are in the nucleus, and how probable is each of "
        f"{' and '.join(fields)} after renormalising?",
        given=(given(probs),),
        fields=(KEPT, *asked(fields)),
        answers={"kept": kept(result), **{token: of(result, token) for token in fields}},
        hint="Sort by falling probability and add up, until the sum is at least p.",
        mistakes=mistakes,
        steps=(
            Step(
                "Sums by falling probability: "
                + ", ".join(f"{token} {total:.2f}" for token, total in zip(ranked, sums, strict=True))
                + f". At {ranked[size - 1]} the sum is at least {p:g}."
            ),
            *_shares(probs, ranked[:size], fields),
            stage_by_stage(result),
        ),
    )


def min_p(rng: np.random.Generator) -> Made:
    """Which tokens are within a factor of the first, and the probability of one of them."""
    while True:
        probs, factor = probabilities(rng), float(rng.choice([0.1, 0.2, 0.25, 0.3, 0.4, 0.5]))
        result = cut(probs, SamplerSettings(min_p=factor))
        if 2 <= result.kept_count <= 4:
            break
    ranked = falling(probs)
    fields = ranked[:2]
    highest = max(probs)
    absolute = frozenset(token for token, prob in zip(TOKENS, probs, strict=True) if prob >= factor)
    mistakes = [
        not_renormalised(probs, fields),
        kept_instead(
            "You compared with min-p itself; the threshold is min-p times the largest probability.",
            probs,
            absolute,
            fields,
            decisive=True,
        )
        if absolute
        else None,
        kept_instead(
            "You kept one token too many: the last one lies below the threshold.",
            probs,
            ranked[: result.kept_count + 1],
            fields,
        ),
        kept_instead(
            "You kept one token too few: one more reaches the threshold.",
            probs,
            ranked[: result.kept_count - 1],
            fields,
        ),
    ]
    return Made(
        task=f"Min-p = {factor:g}. Which tokens are kept, and how probable is each of {' and '.join(fields)} "
        "after renormalising?",
        given=(given(probs),),
        fields=(KEPT, *asked(fields)),
        answers={"kept": kept(result), **{token: of(result, token) for token in fields}},
        hint="The threshold is min-p times the largest probability.",
        mistakes=tuple(mistake for mistake in mistakes if mistake),
        steps=(
            Step(f"The threshold: {factor:g} · {highest:.2f} = {factor * highest:.4g}."),
            Step(f"At least that have {', '.join(ranked[: result.kept_count])}."),
            *_shares(probs, ranked[: result.kept_count], fields),
            stage_by_stage(result),
        ),
    )


def renormalise(rng: np.random.Generator) -> Made:
    """The probabilities of what a filter has left."""
    probs = probabilities(rng)
    count = int(rng.integers(2, 4))
    ranked = falling(probs)
    left = ranked[:count]
    fields = sorted(left)
    values = {token: probs[TOKENS.index(token)] for token in fields}
    mass = sum(values.values())
    result = cut(probs, SamplerSettings(top_k=count))
    table = given(probs)
    marks = ("", *("kept" if token in left else "cut" for token in TOKENS))
    return Made(
        task="A filter has cut some tokens. What are the probabilities of the others now?",
        given=(Table(table.columns, (*table.rows, marks)),),
        fields=asked(fields),
        answers={token: of(result, token) for token in fields},
        hint="Add up what is kept.",
        mistakes=(
            not_renormalised(probs, fields),
            Mistake(
                "You shared out the cut mass equally; dividing by the kept mass keeps the proportions.",
                {token: prob + (1 - mass) / count for token, prob in values.items()},
                tuple(fields),
            ),
            Mistake(
                "You divided by the mass that was cut; divide by the mass that is kept.",
                {token: prob / (1 - mass) for token, prob in values.items()},
            ),
            Mistake(
                "Equal shares: the kept tokens keep their proportions.",
                dict.fromkeys(fields, 1 / count),
                tuple(fields[:1]),
            ),
            Mistake(
                "You divided by the number of kept tokens; divide by their mass.",
                {token: prob / count for token, prob in values.items()},
            ),
            Mistake(
                "You multiplied by the kept mass; divide by it.",
                {token: prob * mass for token, prob in values.items()},
            ),
        ),
        steps=(*_shares(probs, left, fields), stage_by_stage(result)),
    )


def _in_table_order(probs: tuple[float, ...], p: float) -> tuple[str, ...]:
    reached = np.cumsum(probs) >= p - 1e-9
    return TOKENS[: int(reached.argmax()) + 1]


def _shares(probs: tuple[float, ...], left: list[str], fields: list[str]) -> tuple[Step, ...]:
    values = [probs[TOKENS.index(token)] for token in left]
    mass = sum(values)
    return (
        Step(f"The kept mass: {' + '.join(f'{value:.2f}' for value in values)} = {mass:.2f}."),
        Step(
            "Divided by it: "
            + ", ".join(
                f"P′({token}) = {probs[TOKENS.index(token)]:.2f} / {mass:.2f}"
                f" = {renormalised(probs, left, token):.3f}"
                for token in fields
            )
            + "."
        ),
    )


CUTS = (
    Kind("top-k", "Top-k", "A", 1, top_k, RENORMALISING),
    Kind("top-p", "Top-p", "A", 1, top_p, RENORMALISING),
    Kind("min-p", "Min-p", "A", 1, min_p, RENORMALISING),
    Kind("renormalise", "Renormalise", "A", 1, renormalise, RENORMALISING),
)
