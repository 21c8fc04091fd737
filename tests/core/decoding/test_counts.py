"""Intervals and chi-square against published tables, and against a simulation of the law itself."""

import math

import numpy as np
import pytest

from core.decoding.counts import chi_square, chi_square_tail, wilson
from core.errors import InputError


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval_is_the_published_one(count, total, low, high):
    share = wilson(count, total)
    assert (share.low, share.high) == pytest.approx((low, high), abs=5e-5)


def test_of_nothing_nothing_is_known():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0, 1)


@pytest.mark.parametrize(("count", "total"), [(3, 2), (-1, 2)])
def test_more_than_all_is_no_share(count, total):
    with pytest.raises(InputError):
        wilson(count, total)


@pytest.mark.parametrize(
    ("degrees", "p", "quantile"),
    [
        (1, 0.05, 3.841),
        (2, 0.05, 5.991),
        (3, 0.01, 11.345),
        (4, 0.95, 0.711),
        (5, 0.5, 4.351),
        (10, 0.001, 29.588),
        (29, 0.05, 42.557),
        (100, 0.05, 124.342),
    ],
)
def test_the_tail_is_that_of_the_tables_of_chi_square(degrees, p, quantile):
    assert chi_square_tail(quantile, degrees) == pytest.approx(p, rel=2e-3)


def test_the_tail_begins_at_1_and_vanishes():
    assert chi_square_tail(0, 3) == 1
    assert chi_square_tail(5000, 3) == pytest.approx(0, abs=1e-300)


def test_pearsons_statistic_of_a_die():
    # Expected 10 of each: (25 + 4 + 1 + 4 + 1 + 25) / 10.
    result = chi_square([5, 8, 9, 8, 10 + 1, 10 + 9 - 0], [1 / 6] * 6)
    expected = sum((n - 10) ** 2 / 10 for n in (5, 8, 9, 8, 11, 19))
    assert (result.statistic, result.cells) == (pytest.approx(expected), 6)
    assert result.p_value == pytest.approx(chi_square_tail(expected, 5))


def test_rare_outcomes_are_joined_into_one_cell():
    # 100 draws: 90 and 6 expected singly; of the last four 4 together, so these join the smaller one.
    result = chi_square([88, 7, 2, 1, 1, 1], [0.9, 0.06, 0.01, 0.01, 0.01, 0.01])
    assert (result.cells, result.statistic) == (2, pytest.approx((88 - 90) ** 2 / 90 + (12 - 10) ** 2 / 10))


def test_what_cannot_be_and_was_seen_refutes_the_law():
    assert chi_square([99, 1], [1.0, 0.0]).p_value == 0


def test_with_one_outcome_there_is_nothing_to_test():
    assert chi_square([50, 0], [1.0, 0.0]).p_value is None


def test_under_the_law_p_values_are_about_uniform():
    random, law = np.random.default_rng(0), np.array([0.4, 0.3, 0.2, 0.06, 0.04])
    values = [chi_square(random.multinomial(500, law), law).p_value for _ in range(2000)]
    for level in (0.05, 0.25, 0.5, 0.9):
        assert np.mean(np.array(values) < level) == pytest.approx(level, abs=4 * math.sqrt(0.25 / 2000))
