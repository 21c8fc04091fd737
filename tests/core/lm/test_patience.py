"""Waiting for what blocks: watched, given up, left."""

import threading
import time
from collections.abc import Generator, Iterator

import pytest

from core.lm import patience
from core.lm.patience import Busy, Retry, Slow, retried, watched


def numbers(*waits: float) -> Generator[int, None, None]:
    for number, wait in enumerate(waits):
        time.sleep(wait)
        yield number


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "HEARTBEAT", 0.02)


def test_items_come_in_order_with_nothing_between_them_while_they_are_waited_for() -> None:
    items = list(watched(numbers(0, 0.2, 0), 10, 10))
    assert [item for item in items if item is not None] == [0, 1, 2]
    assert None in items


def test_a_first_item_that_does_not_come() -> None:
    with pytest.raises(Slow) as slow:
        list(watched(numbers(5), 0.1, 10))
    assert (slow.value.seconds, slow.value.begun) == (0.1, False)


def test_a_later_item_that_does_not_come() -> None:
    with pytest.raises(Slow) as slow:
        list(watched(numbers(0, 5), 10, 0.1))
    assert (slow.value.seconds, slow.value.begun) == (0.1, True)


def test_a_consumer_that_takes_its_time_is_not_the_servers_fault() -> None:
    items = watched(numbers(0, 0, 0), 10, 0.1)
    assert next(item for item in items if item is not None) == 0
    time.sleep(0.3)
    assert next(item for item in items if item is not None) == 1


def test_what_the_source_raises_is_raised() -> None:
    def broken() -> Generator[int, None, None]:
        yield 1
        raise KeyError("x")

    with pytest.raises(KeyError):
        list(watched(broken(), 10, 10))


def test_closing_closes_the_source_at_its_next_item() -> None:
    closed = threading.Event()

    def endless() -> Generator[int, None, None]:
        try:
            while True:
                time.sleep(0.01)
                yield 1
        finally:
            closed.set()

    items = watched(endless(), 10, 10)
    next(items)
    items.close()
    assert closed.wait(30)


def test_a_pause_before_another_try_can_be_left() -> None:
    def refuse() -> Generator[int, None, None]:
        raise ConnectionError
        yield 1

    stream = retried(refuse, lambda _: Busy("busy", 20))
    started = time.monotonic()
    assert isinstance(next(stream), Retry)
    assert next(stream) is None
    stream.close()
    assert time.monotonic() - started < 15  # the pause is 20


def test_an_error_that_no_other_try_would_mend_is_raised_at_once() -> None:
    tries: list[int] = []

    def refuse() -> Iterator[int]:
        tries.append(1)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        list(retried(lambda: watched((item for item in refuse()), 1, 1), lambda _: None))
    assert len(tries) == 1
