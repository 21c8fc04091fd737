"""The accept test against the law of its output, counted out in fractions over a grid of all numbers u.

Probabilities are multiples of 1/8 or so; u runs through the middles of N equal cells, N a common multiple of
all denominators at play. No threshold lies inside a cell, so counting cells integrates over u exactly.
"""

import itertools
from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding import match_draft, verify_draft
from core.errors import InputError
from core.sampling import SamplerSettings, distribution, logits_from_probs

Law = list[Fraction]
LAWS = (
    st.lists(st.integers(0, 4), min_size=3, max_size=3)
    .filter(any)
    .map(lambda parts: [Fraction(part, sum(parts)) for part in parts])
)


def floats(*laws: Law) -> list[list[float]]:
    return [[float(entry) for entry in law] for law in laws]


def grid(*numbers: Fraction) -> list[float]:
    """The middles of N cells of [0, 1), N a multiple of every denominator."""
    cells = lcm(*(number.denominator for number in numbers))
    return [(2 * cell + 1) / (2 * cells) for cell in range(cells)]


def thresholds(p: Law, q: Law) -> tuple[list[float], list[float]]:
    """Grids for the accept test and for the draw after it."""
    left = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
    mass = sum(left)
    ratios = [min(a / b, Fraction(1)) for a, b in zip(p, q, strict=True) if b]
    return grid(*ratios), grid(*(entry / mass if mass else entry for entry in left), *p)


def output_law(p: Law, q: Law) -> Law:
    """The law of the first token that comes out, over all drafts and all numbers."""
    law = [Fraction(0)] * len(p)
    tests, draws = thresholds(p, q)
    for draft, weight in enumerate(q):
        if weight:
            for test, draw in itertools.product(tests, draws):
                token = verify_draft(floats(p, p), floats(q), [draft], [test, draw]).tokens[0]
                law[token] += weight / (len(tests) * len(draws))
    return law


@given(LAWS, LAWS)
@settings(max_examples=40, deadline=None)
def test_the_token_that_comes_out_has_the_targets_law_exactly(p, q):
    assert output_law(p, q) == p


@given(LAWS, LAWS)
@settings(max_examples=40, deadline=None)
def test_a_draft_is_accepted_with_probability_sum_min_p_q(p, q):
    accepted = Fraction(0)
    tests, _ = thresholds(p, q)
    for draft, weight in enumerate(q):
        if weight:
            count = sum(verify_draft(floats(p, p), floats(q), [draft], [u, 0.5]).accepted for u in tests)
            accepted += weight * count / len(tests)
    assert accepted == sum(map(min, p, q))


@given(LAWS, LAWS, LAWS, LAWS)
@settings(max_examples=10, deadline=None)
def test_the_second_token_has_the_targets_law_after_the_first(p, q, p2, q2):
    """Given that the first draft was accepted; here the second rows are those after it."""
    first = next(token for token in range(3) if q[token] and p[token]) if sum(map(min, p, q)) else None
    if first is None:
        return
    law = [Fraction(0)] * 3
    tests, draws = thresholds(p2, q2)
    for draft, weight in enumerate(q2):
        if weight:
            for test, draw in itertools.product(tests, draws):
                result = verify_draft(floats(p, p2, p2), floats(q, q2), [first, draft], [0.0, test, draw])
                law[result.tokens[1]] += weight / (len(tests) * len(draws))
    assert law == p2


@given(LAWS, LAWS)
@settings(max_examples=40, deadline=None)
def test_the_bonus_token_has_the_law_of_the_targets_last_row(p, last):
    law = [Fraction(0)] * 3
    draws = grid(*last)
    for u in draws:
        result = verify_draft(floats(p, last), floats(p), [int(np.argmax(floats(p)[0]))], [0.999, u])
        assert result.bonus
        law[result.next_token] += Fraction(1, len(draws))
    assert law == last


@given(LAWS, LAWS)
@settings(max_examples=40, deadline=None)
def test_llama_cpps_rule_has_the_targets_law_too_and_accepts_with_sum_p_q(p, q):
    law, accepted, draws = [Fraction(0)] * 3, Fraction(0), grid(*p)
    for draft, weight in enumerate(q):
        for u in draws if weight else []:
            result = match_draft(floats(p, p), [draft], [u, 0.5])
            law[result.tokens[0]] += weight / len(draws)
            accepted += result.accepted * weight / len(draws)
    assert law == p
    assert accepted == sum(a * b for a, b in zip(p, q, strict=True))


# Cases


def test_b28_where_draft_and_target_agree_nothing_is_rejected():
    one_hot = [1.0, 0.0, 0.0]
    for u in (0.0, 0.999999999):
        result = verify_draft([one_hot, one_hot], [one_hot], [0], [u, 0.3])
        assert (result.tokens, result.accepted, result.residual) == ((0, 0), 1, None)


def test_b28_a_drafted_token_with_q_0_is_reported():
    with pytest.raises(InputError, match="probability 0 in its own draft distribution"):
        verify_draft([[0.2, 0.8], [0.5, 0.5]], [[0.0, 1.0]], [0], [0.5, 0.5])


@pytest.mark.parametrize("u", [0.0, 0.5, 0.999])
def test_b29_at_t_0_the_test_is_the_greedy_one(u):
    greedy = SamplerSettings(temperature=0)
    p = distribution(logits_from_probs([0.3, 0.5, 0.2]), greedy).probs
    q = distribution(logits_from_probs([0.4, 0.35, 0.25]), greedy).probs
    result = verify_draft([p, p], [q], [0], [u, u])
    assert (result.accepted, result.tokens) == (0, (1,))


def test_b29_on_the_raw_distributions_a_would_be_accepted_with_three_quarters():
    result = verify_draft([[0.3, 0.5, 0.2]] * 2, [[0.4, 0.35, 0.25]], [0], [0.7, 0.0])
    assert result.accept_probs == pytest.approx([0.75])
    assert result.accepted == 1


def test_b30_the_bars_and_the_residual_of_the_case():
    p, q = [0.5, 0.3, 0.2], [0.2, 0.6, 0.2]
    bars = [verify_draft([p, p], [q], [token], [0.0, 0.0]).accept_probs[0] for token in range(3)]
    assert bars == pytest.approx([1.0, 0.5, 1.0])
    assert verify_draft([p, p], [q], [1], [0.5, 0.7]).residual == pytest.approx([1, 0, 0])
    assert output_law([Fraction(n, 10) for n in (5, 3, 2)], [Fraction(n, 10) for n in (2, 6, 2)]) == [
        Fraction(1, 2),
        Fraction(3, 10),
        Fraction(1, 5),
    ]


# The numbers


def test_numbers_are_consumed_in_order_and_no_more_than_needed():
    p, q = [0.5, 0.5], [0.25, 0.75]
    result = verify_draft([p] * 4, [q] * 3, [0, 1, 1], iter([0.9, 0.7, 0.1, 0.8]))
    assert (result.accepted, result.used) == (1, (0.9, 0.7, 0.1))
    assert result.tokens == (0, 0)


def test_nothing_drafted_is_a_plain_draw_from_the_target():
    assert verify_draft([[0.25, 0.75]], [], [], [0.8]).tokens == (0,)
    assert verify_draft([[0.25, 0.75]], np.empty((0, 2)), [], [0.7]).tokens == (1,)


def test_a_token_that_the_target_excludes_is_never_accepted():
    result = verify_draft([[0.0, 1.0]] * 2, [[0.5, 0.5]], [0], [0.0, 0.0])
    assert result.tokens == (1,)


def test_where_rounding_forces_a_rejection_the_draw_is_from_the_target():
    q = np.array([0.5, 0.5])
    result = verify_draft([q * (1 - 1e-6), q], [q], [0], [1 - 1e-9, 0.9])
    assert result.accepted == 0
    assert result.tokens == (1,)


def test_rows_may_carry_the_rounding_of_float32():
    rows = np.random.default_rng(0).dirichlet(np.ones(49_152), 2).astype(np.float32)
    assert verify_draft(rows, rows[:1], [int(rows[0].argmax())], [0.99, 0.5]).bonus


GOOD = ([[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5]], [0], [0.5, 0.5])


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, [[0.5, 0.5]]),
        (0, [0.5, 0.5]),
        (0, [[0.5, 0.5]] * 3),
        (0, [[0.5, 0.6], [0.5, 0.5]]),
        (0, [[float("nan"), 0.5], [0.5, 0.5]]),
        (0, [[-0.5, 1.5], [0.5, 0.5]]),
        (0, [[float("inf"), 0.5], [0.5, 0.5]]),
        (0, [[0.5, 0.5], [1.0]]),
        (0, "probs"),
        (0, None),
        (0, []),
        (0, [[0.2, 0.3, 0.5]] * 2),
        (1, [[0.5, 0.5]] * 2),
        (1, []),
        (1, [[0.4, 0.4]]),
        (1, None),
        (2, [2]),
        (2, [-1]),
        (2, [0.0]),
        (2, ["a"]),
        (2, 0),
        (2, None),
        (2, [0, 1]),
        (3, [1.0, 0.5]),
        (3, [-0.1, 0.5]),
        (3, [float("nan"), 0.5]),
        (3, [0.5]),
        (3, []),
        (3, 0.5),
        (3, ["x", 0.5]),
        (3, None),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(place, value):
    arguments = [*GOOD]
    arguments[place] = value
    with pytest.raises(InputError, match=r"\w.*[.]$"):
        verify_draft(*arguments)


@pytest.mark.parametrize(("place", "value"), [(0, [[0.5, 0.5]]), (0, None), (2, [5]), (3, []), (3, None)])
def test_llama_cpps_rule_refuses_the_same(place, value):
    arguments = [*GOOD]
    arguments[place] = value
    with pytest.raises(InputError):
        match_draft(arguments[0], arguments[2], arguments[3])
