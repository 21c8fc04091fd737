"""A model that tells of every reading: long work so shows how far it is, and can be stopped between two."""

from collections.abc import Callable, Sequence
from typing import Any

from core.decoding import LanguageModel

Told = Callable[[], None]


class Watched:
    """`model`, which calls `told` before each reading. A run of the script that is stopped ends in `told`."""

    def __init__(self, model: LanguageModel, told: Told) -> None:
        self._model, self._told = model, told
        self.tokenizer, self.context_length = model.tokenizer, model.context_length

    def start(self, ids: Sequence[int]) -> list[int]:
        """As the model's."""
        return self._model.start(ids)

    def next_logits(self, ids: Sequence[int]) -> Any:
        """As the model's."""
        self._told()
        return self._model.next_logits(ids)

    def all_logits(self, ids: Sequence[int], start: int = 0) -> Any:
        """As the model's."""
        self._told()
        return self._model.all_logits(ids, start)
