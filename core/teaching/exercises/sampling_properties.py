"""What holds of every softmax: its entries lie above 0 and sum to 1; only differences of logits count."""

import numpy as np

from core.teaching.exercises.base import ChoiceField, Kind, Made, Mistake, SetField, Step
from core.teaching.exercises.sampling_drawn import Row, probabilities
from core.teaching.exercises.sampling_softmax import SOFTMAX

ROWS = 4
SAME, PEAKED, FLATTER = "nothing changes", "more peaked", "flatter"
POSITIVE = "e^z is above 0, and so is the sum"
ADDS_UP = "the numerators add up to the denominator"
WHY_POSITIVE = {
    "logits are above 0": "Logits can have either sign; their exponentials cannot.",
    "tiny entries are rounded up": "Nothing is rounded: however small, e^z is above 0.",
}
WHY_ONE = {
    "the logits sum to 1": "Logits can have any sum.",
    "the filters renormalise": "No filter has run yet: the softmax itself divides by the sum.",
}


def properties(rng: np.random.Generator) -> Made:
    """Which rows can come out of a softmax, why, and what a change of all logits does."""
    rows = {_written(row): row for row in _drawn(rng)}
    options = tuple(rows)
    right = frozenset(text for text, row in rows.items() if min(row) > 0 and abs(sum(row) - 1) < 1e-9)
    number = int(rng.integers(2, 10))
    changes = {
        f"{number} is added to every logit": SAME,
        "the largest is subtracted from every logit": SAME,
        f"every logit is multiplied by {number}": PEAKED,
        f"every logit is divided by {number}": FLATTER,
    }
    change, effect = list(changes.items())[int(rng.integers(len(changes)))]
    return Made(
        task=f"Which of these can come out of a softmax, as exact figures, and why? And what if {change}?",
        fields=(
            SetField("rows", "Can come out", options),
            ChoiceField("positive", "Why above 0", _shuffled(rng, [POSITIVE, *WHY_POSITIVE])),
            ChoiceField("sum", "Why sum 1", _shuffled(rng, [ADDS_UP, *WHY_ONE])),
            ChoiceField("change", "With the change", (SAME, PEAKED, FLATTER)),
        ),
        answers={"rows": right, "positive": POSITIVE, "sum": ADDS_UP, "change": effect},
        hint="Write the fraction down: what stands above the line, what below?",
        mistakes=(
            *(_admitted(text, row, right) for text, row in rows.items() if text not in right),
            *(
                Mistake(f"{text} is above 0 everywhere and sums to 1.", {"rows": right - {text}})
                for text in right
                if len(right) > 1
            ),
            *(Mistake(why, {"positive": option}) for option, why in WHY_POSITIVE.items()),
            *(Mistake(why, {"sum": option}) for option, why in WHY_ONE.items()),
            *(
                Mistake(sentence, {"change": wrong})
                for wrong, sentence in _wrong_effects(effect).items()
            ),
        ),
        steps=(
            Step(f"Above 0: {POSITIVE}."),
            Step(f"Sum 1: each entry has the same denominator, and {ADDS_UP}."),
            *(Step(f"{text}: {'can' if text in right else _fault(row)}.") for text, row in rows.items()),
            Step(
                {
                    SAME: "e^(z + c) is e^c · e^z: the factor stands above and below the line and cancels.",
                    PEAKED: f"The differences between logits grow {number} times, as at T = 1/{number}.",
                    FLATTER: f"The differences between logits shrink, as at T = {number}.",
                }[effect]
            ),
        ),
    )  # fmt: skip


def _drawn(rng: np.random.Generator) -> list[Row]:
    """One row or two that can come out, and faulty ones: a 0, a negative entry, another sum."""
    good = [probabilities(rng, 3) for _ in range(4)]
    a, b, c = sorted(good[0])
    zero = (round(a + b, 2), 0.0, c)
    negative = (round(c + b + 0.1, 2), round(a + 0.1, 2), -0.2)
    by = float(rng.choice([-0.1, 0.1]))
    d, e, f = sorted(good[1])
    other_sum = (d, e, round(f + by, 2))
    faulty = [zero, negative, other_sum]
    count = int(rng.integers(1, 3))
    chosen = [good[2], good[3]][:count] + [faulty[i] for i in rng.permutation(3).tolist()[: ROWS - count]]
    return [chosen[i] for i in rng.permutation(ROWS).tolist()]


def _written(row: Row) -> str:
    return " · ".join(f"{value:.2f}".replace("-", "−") for value in row)


def _fault(row: Row) -> str:
    if min(row) < 0:
        return "no entry is below 0"
    if min(row) == 0:
        return "no entry is 0, since no e^z is"
    return f"the sum is {sum(row):.2f}"


def _admitted(text: str, row: Row, right: frozenset[str]) -> Mistake:
    return Mistake(f"{text} cannot come out: {_fault(row)}.", {"rows": right | {text}})


def _wrong_effects(effect: str) -> dict[str, str]:
    if effect == SAME:
        said = "The same factor stands above and below the line: only differences of logits count."
        return {PEAKED: said, FLATTER: said}
    grows = effect == PEAKED
    return {
        SAME: "The differences between logits change, and they count.",
        FLATTER if grows else PEAKED: f"The differences between logits {'grow' if grows else 'shrink'}.",
    }


def _shuffled(rng: np.random.Generator, options: list[str]) -> tuple[str, ...]:
    return tuple(options[i] for i in rng.permutation(len(options)).tolist())


PROPERTIES = (Kind("softmax-properties", "Properties of the softmax", "A", 1, properties, SOFTMAX),)
