"""The base of all values."""

from functools import cached_property

from core.values import Value


class Sum(Value):
    terms: tuple[int, ...]

    @cached_property
    def total(self) -> int:
        return sum(self.terms)


def test_a_copy_with_other_fields_keeps_nothing_that_was_read_off_the_old_ones() -> None:
    first = Sum(terms=(1, 2))
    assert first.total == 3
    assert first.model_copy(update={"terms": (4, 5)}).total == 9
    assert first.total == 3
