"""A model whose tokens are characters, and whose first choice a function of the text so far says."""

from types import SimpleNamespace

import numpy as np

END = "\0"


class CharacterModel:
    def __init__(self, says) -> None:
        self.says = says
        self.context_length = 10_000
        self.tokenizer = SimpleNamespace(
            encode=lambda text: [ord(character) for character in text],
            decode=lambda ids: "".join(map(chr, ids)),
            end_ids=frozenset({ord(END)}),
        )

    def start(self, ids):
        return list(ids)

    def all_logits(self, ids, start=0):
        rows = np.zeros((len(ids) - start, 128))
        for row, place in zip(rows, range(start, len(ids)), strict=True):
            row[ord(self.says("".join(map(chr, ids[: place + 1]))))] = 1.0
        return rows

    def next_logits(self, ids):
        return self.all_logits(ids, len(ids) - 1)[0]


def following(text: str):
    """Says how `text` goes on, wherever a prefix of it ends; else that it is over."""
    return lambda so_far: text[len(so_far)] if text.startswith(so_far) and len(so_far) < len(text) else END
