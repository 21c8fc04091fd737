"""By hand: from logits to probabilities, also with temperature."""

import math
from collections.abc import Iterable

import numpy as np

from core.sampling import SamplerSettings, distribution, softmax
from core.teaching.exercises.base import ChoiceField, Kind, Made, Mistake, NumberField, Step, Table
from core.teaching.exercises.sampling_drawn import (
    TOKENS,
    Row,
    asked,
    stage_by_stage,
)

SOFTMAX = r"P(W_t=i)=\frac{e^{z_i}}{\sum_j e^{z_j}}"
TEMPERED = r"P_T(W_t=i)=\frac{e^{z_i/T}}{\sum_j e^{z_j/T}}"
SHAPES = ("flatter", "more peaked")


def softmax_by_hand(rng: np.random.Generator) -> Made:
    """The softmax of three logits: logarithms, or whole numbers whose exponentials are given."""
    names = TOKENS[:3]
    if rng.random() < 0.5:
        weights = tuple(float(weight) for weight in rng.choice(np.arange(1, 10), 3, replace=False))
        logits = tuple(math.log(weight) for weight in weights)
        written = [("z", *(f"ln {weight:.0f}" for weight in weights))]
        hint = "e to the power of ln x is x."
    else:
        logits = tuple(float(z) for z in rng.choice(np.arange(-1, 4), 3, replace=False))
        weights = tuple(math.exp(z) for z in logits)
        written = [
            ("z", *(f"{z:.0f}" for z in logits)),
            ("e^z", *(_two(weight) for weight in weights)),
        ]
        hint = "Add up the exponentials, and divide each by the sum."
    total = sum(weights)
    probs = softmax(logits)
    mistakes = [
        _shares("Not normalised: divide each exponential by their sum.", names, weights),
        _shares(
            "You divided the logits by their sum; take the exponential of each first.",
            names,
            [z / sum(logits) for z in logits],
            decisive=True,
        )
        if abs(sum(logits)) > 1e-9
        else None,
        _shares(
            "You took powers of 2; the softmax takes powers of e.",
            names,
            [2**z / sum(2**other for other in logits) for z in logits],
        ),
        _shares(
            "You divided by the largest exponential; divide by their sum.",
            names,
            [weight / max(weights) for weight in weights],
        ),
    ]
    return Made(
        task="Three tokens have these logits. What does the softmax make of them?",
        given=(Table(("token", *names), tuple(written)),),
        fields=(NumberField("sum", "Σ e^z", tolerance=0.05), *asked(names, "P")),
        answers={"sum": total, **dict(zip(names, probs.tolist(), strict=True))},
        hint=hint,
        mistakes=(
            *(mistake for mistake in mistakes if mistake),
            Mistake("That is the sum of the logits; add up their exponentials.", {"sum": sum(logits)}),
            Mistake("The sum of the probabilities is 1; here the exponentials are added.", {"sum": 1.0}),
        ),
        steps=(
            Step(f"The exponentials: {', '.join(map(_two, weights))}."),
            Step(f"Their sum: {_two(total)}."),
            Step(
                "; ".join(
                    f"P({name}) = {_two(weight)} / {_two(total)} = {prob:.3f}"
                    for name, weight, prob in zip(names, weights, probs, strict=True)
                )
                + "."
            ),
        ),
    )


def temperature(rng: np.random.Generator) -> Made:
    """The softmax at T = 2, a root, or at T = 1/2, a square."""
    names = TOKENS[:3]
    hot = bool(rng.random() < 0.5)
    t = 2.0 if hot else 0.5
    roots = [int(root) for root in rng.choice(np.arange(1, 7), 3, replace=False)]
    weights = [root**2 if hot else root for root in roots]
    tempered = [float(root) if hot else float(root**2) for root in roots]
    result = distribution(np.log(weights), SamplerSettings(temperature=t))
    power = "the root of x" if hot else "x squared"
    return Made(
        task=f"What are the probabilities at temperature T = {t:g}?",
        given=(Table(("token", *names), (("z", *(f"ln {weight}" for weight in weights)),)),),
        fields=(*asked(names, "P"), ChoiceField("shape", "Beside T = 1 it is", SHAPES)),
        answers={
            **dict(zip(names, result.probs.tolist(), strict=True)),
            "shape": SHAPES[0] if hot else SHAPES[1],
        },
        hint=f"Divide the logits by T first: e to the power of (ln x) / {t:g} is {power}.",
        mistakes=(
            _shares(
                "Temperature not applied: those are the probabilities at T = 1.",
                names,
                _over(weights),
                decisive=True,
            ),
            _shares(
                "You multiplied the logits by T; divide by it.",
                names,
                _over(weight**t for weight in weights),
                decisive=True,
            ),
            _shares("Not normalised: divide each exponential by their sum.", names, tempered),
            _shares(
                "You divided the probabilities by T; T divides the logits, before the softmax.",
                names,
                [weight / sum(weights) / t for weight in weights],
            ),
            Mistake(
                "T above 1 draws the logits together." if hot else "T below 1 pulls the logits apart.",
                {"shape": SHAPES[1] if hot else SHAPES[0]},
            ),
        ),
        steps=(
            Step(
                f"e^(z / {t:g}): "
                + ", ".join(
                    f"{f'√{weight}' if hot else f'{weight}²'} = {value:.0f}"
                    for weight, value in zip(weights, tempered, strict=True)
                )
                + f", together {sum(tempered):.0f}."
            ),
            stage_by_stage(result),
            Step(
                f"T {'above 1 draws the logits together' if hot else 'below 1 pulls the logits apart'}: "
                f"{SHAPES[0] if hot else SHAPES[1]}."
            ),
        ),
    )


def _shares(
    sentence: str, names: Iterable[str], values: Iterable[float], *, decisive: bool = False
) -> Mistake:
    names = tuple(names)
    return Mistake(sentence, dict(zip(names, values, strict=True)), names if decisive else ())


def _two(value: float) -> str:
    """Two decimals, or none where there are none."""
    return f"{value:.0f}" if abs(value - round(value)) < 1e-9 else f"{value:.2f}"


def _over(weights: Iterable[float]) -> Row:
    listed = tuple(weights)
    return tuple(weight / sum(listed) for weight in listed)


SOFTMAX_KINDS = (
    Kind("softmax", "Softmax", "A", 1, softmax_by_hand, SOFTMAX),
    Kind("temperature", "Temperature", "A", 1, temperature, TEMPERED),
)
