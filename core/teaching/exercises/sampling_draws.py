"""By hand: how uncertain a draw is, and what a number u draws."""

import math
from functools import partial

import numpy as np

from core.sampling import SamplerSettings, draw
from core.teaching.exercises.base import Answer, ChoiceField, Kind, Made, Mistake, NumberField, Step, Table
from core.teaching.exercises.sampling_drawn import TOKENS, cut, falling, given, probabilities

ENTROPY = r"H=-\sum_i P(i)\log_2 P(i)"
DRAW = r"w_t=\min\Big\{i:\ \sum_{j\le i}P(j)>u\Big\}"


def entropy(rng: np.random.Generator) -> Made:
    """The entropy of probabilities that are powers of 1/2, in bits, and the choices it is like."""
    shapes = (
        (1, 2, 2),
        (1, 2, 3, 3),
        (2, 2, 2, 3, 3),
        (1, 3, 3, 3, 3),
        (1, 2, 3, 4, 4),
    )
    powers = rng.permutation(shapes[int(rng.integers(len(shapes)))]).tolist()
    probs = tuple(2.0**-power for power in powers)
    names = TOKENS[: len(probs)]
    result = cut(probs, SamplerSettings())
    bits = result.entropy_bits
    nats = bits * math.log(2)
    return Made(
        task="How uncertain is this draw?",
        given=(Table(("token", *names), (("P", *(f"1/{2**power}" for power in powers)),)),),
        fields=(
            NumberField("bits", "Entropy H", "bits"),
            NumberField("choices", "Like choosing from 2^H", tolerance=0.05),
        ),
        answers={"bits": bits, "choices": result.effective_choices},
        hint="log₂ of 1/8 is −3. Each token counts with its probability.",
        mistakes=(
            Mistake("Natural log taken for base 2: those are nats.", {"bits": nats, "choices": 2**nats}),
            Mistake(
                "H is never negative: the logs are, and the minus sign before the sum turns them round.",
                {"bits": -bits, "choices": 2**-bits},
            ),
            Mistake("That is 2 · H; asked is 2 to the power of H.", {"choices": 2 * bits}, ("choices",)),
            Mistake(
                "Not weighted: each log counts with its probability.",
                {"bits": float(sum(powers)), "choices": 2.0 ** sum(powers)},
            ),
            Mistake(
                "That is the mean over the tokens; the weights are the probabilities.",
                {"bits": sum(powers) / len(powers), "choices": 2 ** (sum(powers) / len(powers))},
                ("bits", "choices"),
            ),
            Mistake(
                "That holds if all tokens are equally probable.",
                {"bits": math.log2(len(probs)), "choices": float(len(probs))},
            ),
            Mistake("That is e^H; H in bits goes with 2^H.", {"choices": math.exp(bits)}),
        ),
        steps=(
            Step(
                "H = "
                + " + ".join(f"1/{2**power} · {power}" for power in powers)
                + f" = {bits:.4g} bits, since log₂ of 1/2ⁿ is −n."
            ),
            Step(f"2^H = 2^{bits:.4g} = {result.effective_choices:.3g}."),
        ),
    )


def draws(rng: np.random.Generator) -> Made:
    """Which tokens two numbers u draw, and which one greedy takes."""
    probs = probabilities(rng, 4)
    names = TOKENS[:4]
    ranked = falling(probs)
    result = cut(probs, SamplerSettings())
    while True:
        # Halves of a hundredth: no u falls on a running sum.
        numbers = tuple((int(u) + 0.5) / 100 for u in rng.choice(np.arange(3, 97), 2, replace=False))
        picked = [names[draw(result, u)] for u in numbers]
        if len(set(picked)) == 2:
            break
    fields = tuple(ChoiceField(f"u{i}", f"u = {u:.3f} draws", names) for i, u in enumerate(numbers))
    in_table = [names[int(np.searchsorted(np.cumsum(probs), u))] for u in numbers]
    nearest = [names[int(np.abs(np.array(probs) - u).argmin())] for u in numbers]
    from_above = [names[draw(result, 1 - u)] for u in numbers]

    sums = dict(zip(ranked, np.cumsum(sorted(probs, reverse=True)).tolist(), strict=True))

    def instead(sentence: str, tokens: list[str], decisive: tuple[str, ...] = ()) -> Mistake:
        return Mistake(sentence, {f"u{i}": token for i, token in enumerate(tokens)}, decisive)

    def beside(u: float, right: str, token: Answer) -> str:
        assert isinstance(token, str)
        if sums[token] < sums[right]:
            return f"With {token} the running sum is {sums[token]:.2f}, which does not exceed {u:.3f} yet."
        return f"Before {token} is added, the running sum exceeds {u:.3f} already."

    return Made(
        task="A number u draws the first token, by falling probability, at which the running sum exceeds u. "
        "Which tokens do these numbers draw, and which one does greedy take?",
        given=(given(probs),),
        fields=(*fields, ChoiceField("greedy", "Greedy takes", names)),
        answers={f"u{i}": token for i, token in enumerate(picked)} | {"greedy": ranked[0]},
        otherwise={
            f"u{i}": partial(beside, u, right)
            for i, (u, right) in enumerate(zip(numbers, picked, strict=True))
        },
        hint="Sort by falling probability and add up.",
        mistakes=(
            instead(
                "You added up in the table's order; sort by falling probability first.",
                in_table,
                ("u0", "u1"),
            ),
            instead(
                "You took the token whose probability is nearest to u; compare u with the sums.", nearest
            ),
            instead("Counted from the end: the sums begin with the most probable token.", from_above),
            instead("That is greedy; here u decides.", [ranked[0]] * 2),
            *(
                Mistake("Greedy takes the most probable token; u plays no part.", {"greedy": token})
                for token in names
            ),
        ),
        steps=(
            Step(
                "Running sums: "
                + ", ".join(
                    f"{token} {total:.2f}" for token, total in zip(ranked, result.cumulative, strict=True)
                )
                + "."
            ),
            *(
                Step(f"{u:.3f} is first exceeded at {token}.")
                for u, token in zip(numbers, picked, strict=True)
            ),
            Step(f"Greedy needs no u: {ranked[0]} is the most probable."),
        ),
    )


DRAWS = (
    Kind("entropy", "Entropy", "A", 1, entropy, ENTROPY),
    Kind("draw", "Greedy and the draw", "A", 1, draws, DRAW),
)
