"""A model of six tokens whose next token depends on the last one alone, by a table of probabilities."""

from types import SimpleNamespace

import numpy as np

END = 5
TABLE = np.array(
    [
        [0.0, 0.5, 0.3, 0.2, 0.0, 0.0],
        [0.1, 0.1, 0.6, 0.1, 0.1, 0.0],
        [0.0, 0.0, 0.1, 0.9, 0.0, 0.0],
        [0.6, 0.0, 0.0, 0.1, 0.0, 0.3],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)


class ToyModel:
    def __init__(self, context_length: int = 100, table: np.ndarray = TABLE) -> None:
        self.tokenizer = SimpleNamespace(end_ids=frozenset({END}), start_id=0)
        self.context_length = context_length
        self.table = table

    def start(self, ids):
        return list(ids) or [self.tokenizer.start_id]

    def all_logits(self, ids, start=0):
        with np.errstate(divide="ignore"):
            return np.log(self.table[list(ids)[start:]])

    def next_logits(self, ids):
        return self.all_logits(ids, len(ids) - 1)[0]
