"""The head of a distribution, its n most probable tokens, and what it tells of the tail behind it.

Servers report the n largest log-probabilities at T = 1, Ollama and OpenAI at most 20. That leaves a tail: N
hidden tokens with the mass m, none of them above q, the smallest probability of the head. With a = 1 / T a
token of the head has the probability

    p_i^a / (S + R),    S = sum of p_j^a over the head,    R = sum of p_j^a over the tail

at the temperature T, and only R is not known. Two comparisons bound it: p_j^(a-1) of a hidden token with
q^(a-1), and, by Jensen's inequality for x^a, the tail with one of the same mass that is spread evenly.

    T < 1 (a > 1):    N^(1-a) m^a  <=  R  <=  m q^(a-1)
        p_j^a = p_j p_j^(a-1) <= p_j q^(a-1), because p_j <= q and a - 1 > 0; sum over j.
        x^a is convex, so the mean of the p_j^a is at least (m / N)^a; multiply by N.
    T > 1 (a < 1):    m q^(a-1)  <=  R  <=  N^(1-a) m^a
        The same with both signs turned: a - 1 < 0, and x^a is concave.
    T = 1:            R = m.

Both ends are tails that fit the head, so that no narrower bounds follow from it: m / q tokens of probability
q (where that is a whole number), and N tokens of probability m / N. In these terms the code computes them.
Source of the inequality: Jensen 1906, Acta Mathematica 30, pages 175-193.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError

HALF_ULP = 2.0**-24
"""Relative rounding error of one addition in float32. Servers add up a whole vocabulary in it, term by term:
the 49,152 probabilities of llama.cpp sum to 1.00017, because the running sum swallows the smallest."""

LARGE_VOCABULARY = 2**18
"""Taken for the rounding where the size is not known; Gemma's 262,144 tokens."""

SUM_ERROR = 0.02
"""Numbers that miss 1 by more are not the log-probabilities of one token at T = 1."""


@dataclass(frozen=True, eq=False)
class Head:
    """The n most probable tokens, n > 0.

    `logprobs`: natural logarithms at T = 1, falling, float64 (n,).
    `hidden`: N, the number of tokens in the tail; infinity if it is not known.
    """

    logprobs: NDArray[np.float64]
    hidden: float

    def __post_init__(self) -> None:
        """Raise `InputError` if no distribution has this head."""
        if self.mass > 1 + SUM_ERROR or (not self.hidden and self.mass < 1 - SUM_ERROR):
            raise InputError(
                f"The probabilities that were reported sum to {self.mass:.4g}: "
                "they are not those of one token at T = 1."
            )
        if self.tail_mass > _product(self.hidden, self._smallest) + SUM_ERROR:
            raise InputError(
                f"The probabilities that were reported leave {self.tail_mass:.4g} to the other tokens, "
                "more than these can have if the largest were reported."
            )

    @cached_property
    def mass(self) -> float:
        """Of the head at T = 1, as reported: rounding can lift it above 1."""
        return float(np.exp(self.logprobs).sum())

    @cached_property
    def tail_mass(self) -> float:
        """m, the mass of the tail at T = 1."""
        return max(0.0, 1 - self.mass) if self.hidden else 0.0

    def tail_weight(self, temperature: float) -> tuple[float, float]:
        """Bounds of R, in units of the most probable token's weight, for a temperature above 0.

        The upper one is infinity above T = 1 if N is not known.
        """
        if not self.hidden:
            return 0.0, 0.0
        if temperature == 1:
            # Not clipped at 0, so that head and tail make 1 also where rounding lifted the head above it.
            weight = math.exp(-self.logprobs[0]) * (1 - self.mass)
            return weight, weight
        least, most = max(0.0, 1 - self.mass - self._mass_error), self.tail_mass + self._mass_error
        if temperature < 1:
            return self._spread(least, temperature), self._bunched(most, temperature)
        return self._bunched(least, temperature), self._spread(most, temperature)

    @property
    def _mass_error(self) -> float:
        """How far m can be from 1 - (mass of the head)."""
        size = LARGE_VOCABULARY if math.isinf(self.hidden) else len(self.logprobs) + self.hidden
        return HALF_ULP * size + 1e-6

    @property
    def _smallest(self) -> float:
        return math.exp(self.logprobs[-1])

    def _bunched(self, mass: float, temperature: float) -> float:
        """Weight of a tail of m / q tokens that are as probable as the last of the head."""
        count = min(mass / self._smallest if self._smallest else math.inf, self.hidden)
        return _product(count, self._weight(self.logprobs[-1], temperature))

    def _spread(self, mass: float, temperature: float) -> float:
        """Weight of a tail of N tokens of probability m / N."""
        if math.isinf(self.hidden):
            return 0.0 if temperature < 1 else math.inf
        each = math.log(mass / self.hidden) if mass else -math.inf
        return self.hidden * self._weight(min(each, self.logprobs[-1]), temperature)

    def _weight(self, logprob: float, temperature: float) -> float:
        return math.exp(float(logprob - self.logprobs[0]) / temperature)


def _product(count: float, each: float) -> float:
    """count * each, where infinitely many times 0 is 0."""
    return count * each if each else 0.0
