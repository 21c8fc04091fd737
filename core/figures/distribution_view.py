"""What the sampling screen shows of a prompt and its next-token distribution, as plain data.

The picture itself follows the dials in the browser (sampler.js, the twin of core/sampling); what it needs
once per prompt is made here.
"""

import hashlib
from collections.abc import Callable, Sequence
from math import isfinite, sqrt
from typing import Any

import numpy as np

from core.lm import Tokenizer, visible
from core.sampling import ENGINES, Distribution, SortedLogits, tally

# Names beyond are sent when such a token is drawn: one among thousands.
NAMED = 500


def engines() -> dict[str, Any]:
    """The order of each engine's stages and its tie rule."""
    return {
        name: {"order": list(engine.order), "keepsTies": engine.keeps_ties}
        for name, engine in ENGINES.items()
    }


def logits_bytes(ranked: SortedLogits) -> bytes:
    """The logits in falling order for the browser: a key of 8 bytes, the size of a number, the numbers.

    float32 where that loses nothing, as for a model's logits, else float64. The size stands in byte 8 of 16.
    """
    exact = ranked.logits.astype(np.float32)
    numbers = exact if np.array_equal(exact, ranked.logits) else ranked.logits
    payload = numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()
    key = hashlib.blake2b(payload, digest_size=8).digest()
    return key + bytes([numbers.itemsize]) + bytes(7) + payload


def names_view(ranked: SortedLogits, name: Callable[[int], str]) -> dict[str, list[Any]]:
    """Name and id of the most probable tokens, by rank."""
    ids = ranked.order[:NAMED].tolist()
    return {"names": [name(token_id) for token_id in ids], "ids": ids}


def tally_view(distribution: Distribution, seed: int, count: int, rows: int) -> dict[str, Any]:
    """`count` draws beside what is expected: a mark for each of the first rows, and one for the tail.

    A mark has the share that was drawn, and the band of two standard deviations, sqrt(n p (1 - p)), around
    the expected share: about 19 of 20 marks lie in their bands.
    """
    counts = tally(distribution, seed, count)
    shares = [token.prob for token in distribution.top(rows)]
    drawn = [int(counts[rank]) if rank < len(counts) else 0 for rank in range(len(shares))]
    marks = [_mark(times, share, count) for times, share in zip(drawn, shares, strict=True)]
    tail = distribution.tail(rows)
    return {
        "marks": marks,
        "tail": _mark(count - sum(drawn), tail.mass, count) if tail.tokens else None,
        "summary": _spread_summary([*marks, _mark(count - sum(drawn), tail.mass, count)], count),
    }


def _mark(times: int, share: float, count: int) -> dict[str, Any]:
    spread = sqrt(count * share * (1 - share))
    return {
        "share": times / count,
        "low": max(share - 2 * spread / count, 0.0),
        "high": min(share + 2 * spread / count, 1.0),
        "possible": share > 0,
        "label": f"{times:,} drawn",
        "title": f"expected {count * share:,.1f} ± {spread:,.1f}",
    }


def _spread_summary(marks: list[dict[str, Any]], count: int) -> str:
    possible = [mark for mark in marks if mark["possible"]]
    inside = sum(mark["low"] <= mark["share"] <= mark["high"] for mark in possible)
    return (
        f"{count:,} draws: {inside} of {len(possible)} bars lie within two standard deviations of their "
        "expected number; about 19 of 20 should."
    )


def prompt_view(tokenizer: Tokenizer, token_ids: Sequence[int], added: int) -> dict[str, Any]:
    """The tokens that the model reads, as chips. The last `added` of them were picked here."""
    typed = len(token_ids) - added

    def kind(position: int, token_id: int) -> str:
        if position >= typed:
            return "drawn"
        return "special" if tokenizer.is_special(token_id) else ""

    return {
        "tokens": [
            {
                "text": visible(tokenizer.token_bytes(token_id)),
                "kind": kind(position, token_id),
                "title": f"token {token_id}",
            }
            for position, token_id in enumerate(token_ids)
        ],
        "count": f"{len(token_ids):,} token{'s' if len(token_ids) != 1 else ''} · exact",
    }


def token_table(
    distribution: Distribution,
    name: Callable[[int], str],
    raw: Callable[[int], bytes | None] | None,
    rows: int,
) -> dict[str, Any]:
    """The first `rows` tokens as a table: what each is, its logit, its probability before and after.

    `raw` gives the bytes of a token where they are known; `None` where the tokens are only names.
    """

    def hexadecimal(token_id: int) -> str:
        known = raw(token_id) if raw else None
        return "–" if known is None else known.hex(" ").upper()

    return {
        "columns": ["", "token", "id", "bytes", "logit z", "p (T = 1)", "p after", ""],
        "rows": [
            [
                f"{token.rank + 1:,}",
                name(token.token_id),
                str(token.token_id),
                hexadecimal(token.token_id),
                f"{token.logit:.4f}" if isfinite(token.logit) else "−∞",
                f"{token.model_prob:.6f}",
                f"{token.prob:.6f}" if token.cut_by is None else "0",
                "" if token.cut_by in (None, "mask") else f"cut by {token.cut_by}",
            ]
            for token in distribution.top(rows)
        ],
    }


def stage_table(distribution: Distribution) -> dict[str, Any]:
    """Every stage in numbers: kept tokens, mass removed, normaliser, entropy, and 2 to its power."""
    return {
        "columns": ["stage", "kept", "mass removed", "normaliser", "entropy", "like choosing from"],
        "rows": [
            [
                stage.name if stage.active else f"{stage.name} (off)",
                f"{stage.kept:,}",
                f"{stage.mass_removed:.6f}",
                f"{stage.normaliser:.6g}",
                f"{stage.entropy_bits:.4f} bit",
                f"{stage.effective_choices:,.2f}",
            ]
            for stage in distribution.stages
        ],
    }
