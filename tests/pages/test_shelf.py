"""What the server keeps of live runs, and for how long."""

import pytest

from pages.common.shelf import Shelf


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_run_is_found_by_its_id_and_by_no_other(clock):
    shelf = Shelf(most=2, seconds=10, clock=clock)
    first, second = shelf.put("first"), shelf.put("second")
    assert (shelf.get(first), shelf.get(second), shelf.get("x")) == ("first", "second", None)


def test_beyond_the_most_the_one_goes_that_was_not_looked_at(clock):
    shelf = Shelf(most=2, seconds=10, clock=clock)
    first, second = shelf.put("first"), shelf.put("second")
    shelf.get(first)
    third = shelf.put("third")
    assert [shelf.get(id_) for id_ in (first, second, third)] == ["first", None, "third"]


def test_a_run_goes_when_nobody_has_looked_at_it_for_so_long(clock):
    shelf = Shelf(most=2, seconds=10, clock=clock)
    looked_at, forgotten = shelf.put("looked at"), shelf.put("forgotten")
    clock.now = 6
    shelf.get(looked_at)
    clock.now = 11
    assert [shelf.get(id_) for id_ in (looked_at, forgotten)] == ["looked at", None]
