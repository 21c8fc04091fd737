"""A vocabulary of a few tokens, and models over it whose logits are given."""

from collections.abc import Callable, Sequence

import numpy as np


class ToyVocabulary:
    """Tokens by their text; the last one ends a text, whatever it is called."""

    def __init__(self, tokens: Sequence[str | bytes]) -> None:
        self.tokens = [token.encode() if isinstance(token, str) else token for token in tokens]
        self.vocab_size = len(tokens)
        self.end_ids = frozenset({len(tokens) - 1})
        self.start_id = 0

    def token_bytes(self, id: int) -> bytes:
        return self.tokens[id]

    def is_special(self, id: int) -> bool:
        return id in self.end_ids

    def decode(self, ids: Sequence[int]) -> str:
        return b"".join(self.tokens[id] for id in ids).decode(errors="replace")

    def ids(self, *tokens: str) -> list[int]:
        return [self.tokens.index(token.encode()) for token in tokens]

    def texts(self, mask: np.ndarray) -> list[str]:
        return [self.tokens[id].decode() for id in np.flatnonzero(mask)]


class ToyModel:
    """Its logits are a function of how many tokens came before."""

    context_length = 10_000

    def __init__(self, vocabulary: ToyVocabulary, logits: Callable[[int], np.ndarray]) -> None:
        self.tokenizer = vocabulary
        self._logits = logits

    def start(self, ids):
        return list(ids) or [0]

    def next_logits(self, ids):
        return self._logits(len(ids))

    def all_logits(self, ids, start=0):
        return np.array([self._logits(count + 1) for count in range(start, len(ids))])


def always(logits: Sequence[float]) -> Callable[[int], np.ndarray]:
    """The same logits at every step."""
    return lambda _: np.array(logits, dtype=float)
