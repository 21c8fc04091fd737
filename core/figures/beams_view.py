"""The beams of a search as chips, and what the search has found, as plain values."""

import math
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from core.decoding.beams import Beam
from core.figures.generation_view import chip, percent, signed, tokens
from core.lm import Tokenizer


def beam_lane(tokenizer: Tokenizer, beam: Beam, place: int) -> dict[str, Any]:
    """One beam, the `place`-th best from 0, as one of the texts side by side."""
    return {
        "title": f"Beam {place + 1}",
        "text": {
            "chips": [
                _chip(tokenizer, token, prob) for token, prob in zip(beam.path, beam.probs, strict=True)
            ],
            "cycle": None,
            "ending": "",
        },
        "note": f"{tokens(len(beam.path))} · log P = {signed(beam.log_prob)}" if beam.path else "",
        "best": place == 0 and bool(beam.path),
    }


def search_line(beams: Sequence[Beam], greedy: Beam) -> str:
    """How much better the best beam is than the greedy text, and how alike the beams are."""
    if not beams or not beams[0].path:
        return ""
    best, shared = beams[0], _shared([beam.path for beam in beams])
    if best.path == greedy.path:
        said = "So far the greedy text is the best beam."
    else:
        more = "more" if best.log_prob > greedy.log_prob else "less"
        said = (
            f"Best: log P = {signed(best.log_prob)}, {more} than greedy's {signed(greedy.log_prob)} "
            f"after {tokens(len(greedy.path))}."
        )
    return f"{said} All beams share their first {tokens(shared)}." if shared else said


def _chip(tokenizer: Tokenizer, token: int, prob: float) -> dict[str, Any]:
    bits = -math.log2(prob) if prob else math.inf
    return chip(tokenizer, token, prob, bits, title=f"{percent(prob)} in the model")


def _shared(paths: Sequence[Sequence[int]]) -> int:
    return sum(1 for _ in takewhile(lambda row: len(set(row)) == 1, zip(*paths, strict=False)))
