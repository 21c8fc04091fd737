"""Counted shares in words."""

from core.decoding.counts import Share
from core.figures.generation_view import percent


def with_interval(share: Share) -> str:
    """So many of so many, and the ends of the interval: "3 of 8 (13.7 % to 69.4 %)"."""
    return f"{share.count} of {share.total} ({percent(share.low)} to {percent(share.high)})"
