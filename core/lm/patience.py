"""Waiting for a server without being held by it: a slow one is watched, a busy one is asked again.

What blocks runs in a thread, so that whoever waits can be told so several times a second, and can go: that
makes a stop button work also before the first token, while an Ollama reads a model from the disk.
"""

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

HEARTBEAT = 0.25  # seconds
ATTEMPTS = 3
LONGEST_WAIT = 20.0  # seconds; a server that asks for more is left to the person


class Slow(Exception):
    """Nothing came for `seconds`, before the first item or, if `begun`, after one."""

    def __init__(self, seconds: float, begun: bool) -> None:
        super().__init__(f"nothing for {seconds:g} seconds")
        self.seconds = seconds
        self.begun = begun


@dataclass(frozen=True)
class Busy:
    """A server that may answer the same request a little later, and how long it asks to wait, if it does."""

    sentence: str
    seconds: float | None = None


@dataclass(frozen=True)
class Retry:
    """Stands in a stream where a request is made again; the sentence says why and when."""

    sentence: str


def watched(
    source: Generator[T, None, None], first: float, between: float
) -> Generator[T | None, None, None]:
    """The items of a source that may block, and `None` several times a second while there is none.

    Closing it closes the source at its next item, or when its own timeout ends it.

    Args:
        first, between: seconds to wait for the first item, and for each later one.

    Raises:
        Slow: it took longer. Otherwise what the source raises.
    """
    arrived: queue.SimpleQueue[T | _End] = queue.SimpleQueue()
    left = threading.Event()

    def read() -> None:
        error: BaseException | None = None
        try:
            with closing(source):
                for item in source:
                    if left.is_set():
                        break
                    arrived.put(item)
        except BaseException as raised:
            error = raised
        arrived.put(_End(error))

    threading.Thread(target=read, name="model-server", daemon=True).start()
    limit, begun = first, False
    deadline = time.monotonic() + limit
    try:
        while True:
            try:
                item = arrived.get(timeout=HEARTBEAT)
            except queue.Empty:
                if time.monotonic() > deadline:
                    raise Slow(limit, begun) from None
                yield None
                continue
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
            limit, begun = between, True
            deadline = time.monotonic() + limit
    finally:
        left.set()


def retried(
    begin: Callable[[], Generator[T | None, None, None]], busy: Callable[[Exception], Busy | None]
) -> Generator[T | Retry | None, None, None]:
    """The items of a request that is made up to three times, as long as nothing has come of it.

    Args:
        begin: makes the request.
        busy: what an error says about another try; `None` if there is no point in it.
    """
    for attempt in range(1, ATTEMPTS + 1):
        begun = False
        try:
            with closing(begin()) as items:
                for item in items:
                    begun = begun or item is not None
                    yield item
            return
        except Exception as error:
            asked = None if begun or attempt == ATTEMPTS else busy(error)
            if asked is None or (asked.seconds or 0) > LONGEST_WAIT:
                raise
        seconds = float(2 ** (attempt - 1)) if asked.seconds is None else asked.seconds
        yield Retry(f"{asked.sentence}: asking again in {seconds:g} s, for the {_ORDINAL[attempt]} time.")
        yield from _pause(seconds)


_ORDINAL = {1: "second", 2: "third"}


def _pause(seconds: float) -> Iterator[None]:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(HEARTBEAT, left))
        yield None


@dataclass(frozen=True)
class _End:
    error: BaseException | None
