"""What the sampling screen shows of a prompt and its next-token distribution, as plain data.

The picture itself follows the dials in the browser (sampler.js, the twin of core/sampling); what it needs
once per prompt is made here.
"""

import hashlib
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from core.lm import Tokenizer, visible
from core.sampling import ENGINES, Distribution, SortedLogits

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
    distribution: Distribution, name: Callable[[int], str], raw: Callable[[int], bytes] | None, rows: int
) -> dict[str, Any]:
    """The first `rows` tokens as a table: what each is, its logit, its probability before and after.

    `raw` gives the bytes of a token; `None` where the tokens are only names.
    """
    return {
        "columns": ["", "token", "id", "bytes", "logit z", "p (T = 1)", "p after", ""],
        "rows": [
            [
                f"{token.rank + 1:,}",
                name(token.token_id),
                str(token.token_id),
                raw(token.token_id).hex(" ").upper() if raw else "–",
                f"{token.logit:.4f}" if isfinite(token.logit) else "−∞",
                f"{token.model_prob:.6f}",
                f"{token.prob:.6f}" if token.cut_by is None else "0",
                f"cut by {token.cut_by}" if token.cut_by else "",
            ]
            for token in distribution.top(rows)
        ],
    }
