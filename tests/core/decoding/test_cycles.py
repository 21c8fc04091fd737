"""Cycles against the definition itself, tried on every period."""

from hypothesis import given
from hypothesis import strategies as st

from core.decoding import cycle

LETTERS = st.lists(st.integers(0, 2), max_size=40)


def shortest_period(ids: list[int]) -> int | None:
    """By the definition: the end of the text is some w, |w| = period, three times."""
    for period in range(1, 65):
        word = ids[-period:]
        if len(ids) >= 3 * period and ids[-3 * period :] == word * 3:
            return period
    return None


@given(LETTERS, st.lists(st.integers(0, 2), min_size=1, max_size=6), st.integers(0, 5))
def test_the_period_is_the_shortest_that_ends_the_text_three_times(before, word, times):
    ids = before + word * times
    found = cycle(ids)
    assert (found and found.period) == shortest_period(ids)


@given(LETTERS, st.lists(st.integers(0, 2), min_size=1, max_size=6), st.integers(3, 6))
def test_from_its_start_on_the_text_is_the_repeated_tokens_and_it_starts_no_earlier(before, word, times):
    ids = before + word * times
    found = cycle(ids)
    assert found is not None
    repeated = ids[found.start : found.start + found.period]
    length = len(ids) - found.start
    assert ids[found.start :] == (repeated * (length // found.period + 1))[:length]
    assert found.repeats == length // found.period
    assert found.start == 0 or ids[found.start - 1] != ids[found.start - 1 + found.period]


def test_two_times_are_no_cycle():
    assert cycle([1, 2, 3, 1, 2, 3]) is None


def test_a_text_that_has_left_its_cycle_has_none():
    assert cycle([1, 2, 1, 2, 1, 2, 3]) is None


def test_a_repetition_that_has_only_begun_does_not_count():
    found = cycle([9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1])
    assert (found.start, found.period, found.repeats) == (1, 3, 3)


def test_a_period_of_64_is_found_and_one_of_65_is_not():
    assert cycle([*range(64)] * 3).period == 64
    assert cycle([*range(65)] * 3) is None


def test_an_empty_text_has_no_cycle():
    assert cycle([]) is None
