"""What the sampling screen shows of a server's next token, of which only the most probable are told.

Every probability after the sampler is an interval. Nothing is normalised over the told tokens alone.
"""

from typing import Any

import numpy as np

from core.figures.generation_view import percent, tokens
from core.lm.next_token import NextToken
from core.sampling import SamplerSettings
from core.sampling.bounded import Intervals

REASONS = {"kept": "", "cut": "cut", "unknown": "perhaps cut"}


def partial_view(told: NextToken, settings: SamplerSettings, u: float | None, greedy: bool) -> dict[str, Any]:
    """The told tokens and the tail under the settings, what is known of them, and which one is picked.

    `u` picks a token if it is not `None`; else the most probable is picked if `greedy`.
    """
    after = told.partial.after(settings)
    index = picked_index(told, settings, u, greedy)
    size, probs = told.partial.vocab_size, np.exp(told.logprobs)
    rows = [
        {
            "name": token.shown,
            "title": "" if token.id is None else f"token {token.id}",
            "before": before,
            "low": low,
            "high": high,
            "cut": membership == "cut",
            "label": between(low, high) if membership != "cut" else percent(before),
            "reason": "picked" if rank == index else REASONS[membership] or ("greedy" if not rank else ""),
            "picked": rank == index,
        }
        for rank, (token, before, low, high, membership) in enumerate(
            zip(
                told.tokens,
                probs.tolist(),
                after.low.tolist(),
                after.high.tolist(),
                after.membership,
                strict=True,
            )
        )
    ]
    return {
        "source": told.source_line,
        "note": told.note or "",
        "rows": rows,
        "tail": _tail(told, after) if size is None or size > len(rows) else None,
        "scale": max([share for row in rows for share in (row["before"], row["high"])], default=1.0),
        "badge": after.badge,
        "known": _known(told, after),
        "pick": _pick(told, index, u, greedy),
    }


def picked_index(told: NextToken, settings: SamplerSettings, u: float | None, greedy: bool) -> int | None:
    """The told token that is picked; `None` if none is, or it cannot be said which."""
    if u is not None:
        return told.partial.after(settings).picked(u)
    return 0 if greedy and told.tokens else None


def between(low: float, high: float) -> str:
    """An interval of probabilities; one number where the two read the same."""
    least, most = percent(low), percent(high)
    return least if least == most else f"{least.removesuffix(' %')}–{most}"


def _tail(told: NextToken, after: Intervals) -> dict[str, Any]:
    size = told.partial.vocab_size
    name = "an unknown number more" if size is None else f"{size - len(told.tokens):,} more"
    before = told.partial.hidden_mass
    cut = after.hidden == "cut"
    low, high = after.tail
    return {
        "name": name,
        "before": before,
        "low": low,
        "high": high,
        "cut": cut,
        "label": percent(before) if cut else between(low, high),
        "reason": "not told" + (", cut" if cut else ""),
    }


def _known(told: NextToken, after: Intervals) -> str:
    """The badge in a sentence."""
    if after.badge == "exact":
        return "Every probability here is exact."
    shown = tokens(len(told.tokens))
    if after.badge == "bounded":
        return (
            f"The server tells {shown}, so a probability lies between two bounds: the solid part of a bar is "
            f"certain, the pale part possible. {_way_to_exact(told)}"
        )
    if told.partial.vocab_size is None:
        return (
            f"The server tells {shown} and not how many there are, so above T = 1 the rest may have any "
            f"share. {_way_to_exact(told)}"
        )
    return "The server tells no probabilities."


def _way_to_exact(told: NextToken) -> str:
    return f"T = 1 without filters is exact, and so is any T with top-k below {len(told.tokens)}."


def _pick(told: NextToken, index: int | None, u: float | None, greedy: bool) -> str:
    if u is None:
        return "greedy: the most probable" if greedy and told.tokens else ""
    if index is None:
        return f"u = {u:.4f} falls where these numbers don't tell the token"
    return f"u = {u:.4f}"
