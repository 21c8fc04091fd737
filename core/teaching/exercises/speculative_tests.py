"""By hand: which drafted tokens speculative decoding accepts, and what it draws in the place of others."""

import numpy as np

from core.decoding import verify_draft
from core.teaching.exercises.base import Kind, Made, Mistake, NumberField, Step, Table
from core.teaching.exercises.sampling_drawn import TOKENS

ACCEPTANCE = r"\min\!\left(1,\tfrac{p(x)}{q(x)}\right),\qquad \alpha=\sum_x\min\big(p(x),q(x)\big)"
NAMES = TOKENS[:3]


def accept(rng: np.random.Generator) -> Made:
    """The bar of two drafted tokens, the acceptance rate, and the residual."""
    while True:
        p, q = (tuple(int(part) / 20 for part in _twentieths(rng)) for _ in range(2))
        over = [i for i in range(3) if p[i] > q[i]]
        if len(over) == 2 and all(p[i] != q[i] for i in range(3)):
            break
    rejected = next(i for i in range(3) if p[i] < q[i])
    accepted, other = (over[i] for i in rng.permutation(2))
    alpha = sum(map(min, p, q))
    tests = {i: verify_draft([p, p], [q], [i], [0.999999, 0.5]) for i in (accepted, rejected)}
    residual = tests[rejected].residual
    assert residual is not None
    x, y, z = NAMES[accepted], NAMES[rejected], NAMES[other]
    return Made(
        task="The draft model draws a token from q; the target's distribution is p. How probable is each of "
        "these?",
        given=(
            Table(
                ("token", *NAMES),
                (("p", *(f"{value:.2f}" for value in p)), ("q", *(f"{value:.2f}" for value in q))),
            ),
        ),
        fields=(
            NumberField("accepted", f"{x} accepted, if drafted", probability=True),
            NumberField("rejected", f"{y} accepted, if drafted", probability=True),
            NumberField("alpha", "Any draft accepted, α", probability=True),
            NumberField("residual", f"{z} drawn, after a rejection", probability=True),
        ),
        answers={
            "accepted": tests[accepted].accept_probs[0],
            "rejected": tests[rejected].accept_probs[0],
            "alpha": alpha,
            "residual": float(residual[other]),
        },
        hint="Compare p with q, token by token. After a rejection only tokens with p above q can come.",
        mistakes=(
            Mistake(
                "A probability is at most 1: take min(1, p / q).", {"accepted": p[accepted] / q[accepted]}
            ),
            Mistake(
                "The other way round: p / q, the target over the draft.",
                {"accepted": q[accepted] / p[accepted], "rejected": min(1.0, q[rejected] / p[rejected])},
            ),
            Mistake(
                "The other way round: p / q, the target over the draft.",
                {"rejected": q[rejected] / p[rejected]},
            ),
            Mistake(
                "That is the difference of p and q; take the ratio.", {"rejected": q[rejected] - p[rejected]}
            ),
            Mistake(
                "That is how probable it is to be drafted and accepted; here it is drafted already.",
                {"rejected": p[rejected], "accepted": q[accepted]},
            ),
            Mistake(
                "Not weighted: each token is drafted with its probability q.",
                {"alpha": sum(min(1.0, a / b) for a, b in zip(p, q, strict=True)) / 3},
            ),
            Mistake("That is the probability of a rejection.", {"alpha": 1 - alpha}, ("alpha",)),
            Mistake(
                "Not renormalised: divide by the sum of what p has above q.",
                {"residual": p[other] - q[other]},
                ("residual",),
            ),
            Mistake(
                "That is the target's own; only what p has above q counts.",
                {"residual": p[other]},
                ("residual",),
            ),
            Mistake(
                "You divided p by its sum over both tokens; subtract q first.",
                {"residual": p[other] / (p[other] + p[accepted])},
                ("residual",),
            ),
        ),
        steps=(
            Step(f"{x}: p above q, so min(1, {p[accepted]:.2f} / {q[accepted]:.2f}) = 1."),
            Step(f"{y}: {p[rejected]:.2f} / {q[rejected]:.2f} = {p[rejected] / q[rejected]:.3f}."),
            Step(
                "α = Σ min(p, q) = "
                + " + ".join(f"{min(a, b):.2f}" for a, b in zip(p, q, strict=True))
                + f" = {alpha:.2f}."
            ),
            Step(
                f"p - q where it is above 0: {NAMES[min(over)]} {p[min(over)] - q[min(over)]:.2f}, "
                f"{NAMES[max(over)]} {p[max(over)] - q[max(over)]:.2f}, together {1 - alpha:.2f}; "
                f"{z} has {residual[other]:.3f} of it."
            ),
        ),
    )


def _twentieths(rng: np.random.Generator) -> list[int]:
    """Three whole numbers, each at least 1, with the sum 20."""
    first, second = sorted(rng.choice(np.arange(1, 20), 2, replace=False).tolist())
    return [first, second - first, 20 - second]


SPECULATIVE = (Kind("speculative", "Speculative acceptance", "A", 1, accept, ACCEPTANCE),)
