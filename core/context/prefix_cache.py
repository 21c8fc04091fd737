"""Prompt caching: what a server need not compute again, because a call begins as the one before did.

The keys and values of a token depend on all tokens before it, so they can be used again up to the first token
that differs and no further, even where the text behind it is the same. Servers keep them in blocks, and some
keep none of a short prompt; block and minimum are the server's and given here by the reader, as are prices
and speeds.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, dropwhile, islice, zip_longest

from core.context.tally import Tally, shared_tokens
from core.errors import InputError
from core.trace import ModelCall, Part, Segment
from core.values import Value

SHOWN = 40
"""Characters shown of a text from where it differs."""

MILLION = 1_000_000


class Server(Value):
    """What a server caches and asks for it.

    `block` and `minimum` are in tokens. Prices are for a million tokens read, `speed` is in tokens read in a
    second; they are `None` where the reader has entered none.
    """

    block: int = 1
    minimum: int = 0
    price: float | None = None
    cached_price: float | None = None
    speed: float | None = None


class Divergence(Value):
    """Where a call first differs from the one before: its part, its message, and both texts from there."""

    part: Part
    message: int | None
    label: str
    was: str
    now: str


class CachedCall(Value):
    """The tokens of one call: `shared` with the one before, of them `cached`, and `read` anew.

    `divergence` is `None` where the call only adds to the one before, and in the first call.
    """

    total: int
    shared: int
    cached: int
    read: int
    divergence: Divergence | None = None


class Bill(Value):
    """What reading costs, in the unit of the prices, and how long it takes, in seconds; with the cache and
    without. `None` where price or speed is not known. The replies are not in it: no cache changes them."""

    cost: float | None
    cost_uncached: float | None
    seconds: float | None
    seconds_uncached: float | None


def cached_calls(calls: Sequence[ModelCall], server: Server) -> tuple[CachedCall, ...]:
    """What a prefix cache holds for each of some calls in a row, each compared with the one before.

    Raises:
        InputError: the tokens of a call are not known, or a block or minimum that is none.
    """
    if server.block < 1 or server.minimum < 0:
        raise InputError("A cache has blocks of 1 token or more, and a minimum of 0 or more.")
    tally = Tally()
    return tuple(_cached(tally, _known(call), server) for call in calls)


def bill(calls: Iterable[CachedCall], server: Server) -> Bill:
    """What the reading of some calls costs and takes.

    Raises:
        InputError: a price below zero, or a speed that is none.
    """
    prices = [price for price in (server.price, server.cached_price) if price is not None]
    if any(price < 0 for price in prices) or (server.speed is not None and server.speed <= 0):
        raise InputError("A price is 0 or more, and a speed more than 0 tokens a second.")
    calls = tuple(calls)
    read, cached = sum(call.read for call in calls), sum(call.cached for call in calls)
    price, again, speed = server.price, server.cached_price, server.speed
    return Bill(
        cost=None if price is None or again is None else (read * price + cached * again) / MILLION,
        cost_uncached=None if price is None else (read + cached) * price / MILLION,
        seconds=None if speed is None else read / speed,
        seconds_uncached=None if speed is None else (read + cached) / speed,
    )


def _known(call: ModelCall) -> tuple[Segment, ...]:
    if call.segments is None or any(segment.token_ids is None for segment in call.segments):
        raise InputError("The tokens of this run are not known, so no prefix can be compared.")
    return call.segments


def _cached(tally: Tally, now: Sequence[Segment], server: Server) -> CachedCall:
    before, size = tally.segments, tally.total
    same, shared = tally.replace(now)
    was, new = before[same:], now[same:]
    here = shared_tokens(was, new)
    shared += here
    cached = shared // server.block * server.block if shared >= server.minimum else 0
    return CachedCall(
        total=tally.total,
        shared=shared,
        cached=cached,
        read=tally.total - cached,
        divergence=_divergence(was, new, here) if shared < size else None,
    )


def _divergence(before: Sequence[Segment], now: Sequence[Segment], shared: int) -> Divergence | None:
    """Where two stretches part, of which the first `shared` tokens are the same."""
    sides = [side for side in (_at(now, shared), _at(before, shared)) if side is not None]
    if not sides:
        return None
    # The template's own text comes up where somebody's has gone, and it is that one that has changed.
    changed = next((side for side in sides if side.part is not Part.TEMPLATE), sides[0])
    was, new = _texts_that_part(before, now)
    return Divergence(part=changed.part, message=changed.message, label=changed.label, was=was, now=new)


def _texts_that_part(before: Sequence[Segment], now: Sequence[Segment]) -> tuple[str, str]:
    """The beginnings of both texts from the first character that differs."""
    texts = [chain.from_iterable(segment.text for segment in segments) for segments in (before, now)]
    pairs = zip_longest(*texts, fillvalue="")
    differing = list(islice(dropwhile(lambda pair: pair[0] == pair[1], pairs), SHOWN))
    return "".join(old for old, _ in differing), "".join(new for _, new in differing)


def _at(segments: Sequence[Segment], token: int) -> Segment | None:
    """The segment that holds the token with this index."""
    end = 0
    for segment in segments:
        end += len(segment.token_ids or ())
        if token < end:
            return segment
    return None
