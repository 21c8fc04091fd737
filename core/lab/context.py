"""The context screen as code: tokens by part and call, what is sent again, what is left."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from core.context.budget import budget_of
from core.errors import InputError
from core.lab.lab import Lab, lab
from core.lab.python import comment, given, packed
from core.trace import ModelCall, Part

MOST_TOKENS = 400_000
"""Of which a notebook holds the ids: some megabytes of text, before they are compressed."""


def context_lab(title: str, calls: Sequence[ModelCall], window: int | None) -> Lab:
    """The budget of some calls in a row.

    Args:
        title: of the run, for the reader.
        calls: what was sent, or what would be under a supposition.
        window: against which they are measured, in tokens.

    Raises:
        InputError: there is no call, or the tokens of one are not known.
    """
    segments = [call.segments for call in calls]
    if not segments or any(
        own is None or any(segment.token_ids is None for segment in own) for own in segments
    ):
        raise InputError("The tokens of this run are not known, so there is nothing to count.")
    budget = budget_of(calls)
    present = {part for call in budget.calls for part in call.parts}
    parts = [part for part in Part if part in present]
    lengths = [call.total or 0 for call in budget.calls]
    told = max(1, bisect_right(list(accumulate(lengths)), MOST_TOKENS))  # of the calls
    pieces = [segment for own in segments[:told] for segment in own or ()]
    ids = np.array([token for piece in pieces for token in piece.token_ids or ()], np.int32)
    of_piece = [parts.index(piece.part) if piece.part in parts else 0 for piece in pieces]
    owners = np.repeat(np.array(of_piece, np.uint8), [len(piece.token_ids or ()) for piece in pieces])
    state = "\n".join(
        [
            comment(title),
            given(parts=[str(part) for part in parts]),
            "# Tokens: a row for each call, a column for each part.",
            given(
                counts=np.array([[call.parts.get(part, 0) for part in parts] for call in budget.calls]),
            ),
            "# Of each call: the prefix that it shares with the call before.",
            given(resent=np.array([call.resent for call in budget.calls]), window=window),
        ]
    )
    return lab(
        "context",
        brief=state,
        whole=state,
        screen="\n".join(
            [
                "import base64",
                "import zlib",
                "",
                *([f"# The first {told} of {len(lengths)} calls."] if told < len(lengths) else []),
                f"ids = {packed(ids)}",
                f"owners = {packed(owners)}",
                given(
                    lengths=lengths[:told],
                    screen_sent=budget.sent,
                    screen_unique=budget.unique,
                ),
            ]
        ),
    )
