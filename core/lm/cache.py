"""Keys and values of earlier calls, so that a text is read once and goes on at one position a token.

A `CachedSequence` holds those of one text. The `PrefixCache` keeps a few, gives a call the one that shares
the longest prefix with its text, and stays within a budget of memory, forgetting the least recently used
first. Several sessions can share a prefix (in a class all do): the shared part is then copied, which takes
milliseconds, and nobody's text is lost.
"""

import threading

import numpy as np
from numpy.typing import NDArray

from core.lm.llama import Floats, Shape

STEP = 64
"""Positions by which a sequence's memory grows."""

FULL_PRECISION = 1024
"""Positions up to which a text is kept in float32. Longer ones are in float16, as llama.cpp keeps all: a full
context then takes 189 MB in place of 377, and log-probabilities change by about 0.01."""


class CachedSequence:
    """The keys and values of the positions of one text. `ids` are the tokens that they stand for."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self.ids: list[int] = []
        self.capacity = 0
        self._layers = self._allocate(0)

    def extend(self, layer: int, start: int, keys: Floats, values: Floats) -> tuple[Floats, Floats]:
        """See `core.lm.llama.KeyValues`."""
        stored, end = self._layers[layer], start + keys.shape[1]
        stored[0, :, start:end] = keys
        stored[1, :, start:end] = values
        # Without a copy when they are float32 already.
        read = stored[:, :, :end].astype(np.float32, copy=False)
        return read[0], read[1]

    def reserve(self, length: int) -> None:
        """Make room for a text of `length` tokens, layer by layer so that little is there twice."""
        capacity = capacity_for(length)
        if capacity == self.capacity:
            return
        for layer, empty in enumerate(self._allocate(capacity)):
            kept = min(len(self.ids), capacity)
            empty[:, :, :kept] = self._layers[layer][:, :, :kept]
            self._layers[layer] = empty
        self.capacity = capacity

    def copy(self, length: int, room: int) -> "CachedSequence":
        """A new sequence with the first `length` positions of this one and room for `room`."""
        twin = CachedSequence(self._shape)
        twin.capacity, twin.ids = capacity_for(room), self.ids[:length]
        twin._layers = self._allocate(twin.capacity)
        for mine, new in zip(self._layers, twin._layers, strict=True):
            new[:, :, :length] = mine[:, :, :length]
        return twin

    def _allocate(self, capacity: int) -> list[NDArray[np.floating]]:
        size = (2, self._shape.kv_heads, capacity, self._shape.head_width)
        return [np.empty(size, _kind(capacity)) for _ in range(self._shape.layers)]


def capacity_for(length: int) -> int:
    """The positions for which a text of `length` tokens gets memory."""
    return -(-length // STEP) * STEP


class PrefixCache:
    """The sequences of earlier calls, within a budget of bytes. Safe for threads.

    Args:
        shape: of the model.
        budget: bytes that all sequences together may take, in use or not; while a longer text is worked on,
            bytes that those beside it may take, so that nobody waits until it is done.
    """

    def __init__(self, shape: Shape, budget: int) -> None:
        self._shape = shape
        self._budget = budget
        self._idle: list[CachedSequence] = []  # the least recently used first
        self._busy: list[CachedSequence] = []
        self._changed = threading.Condition()

    def take(self, ids: list[int], reusable: int) -> CachedSequence:
        """A sequence with room for the text, for the caller alone until `give_back`.

        It holds the longest prefix that any earlier text shares with this one, but at most `reusable`
        positions. Waits while the texts that other threads are working on leave too little memory.
        """
        need = self._bytes(capacity_for(len(ids)))
        with self._changed:
            self._changed.wait_for(lambda: self._beside_the_largest(need) <= self._budget)
            limit = max(self._budget, self._size(self._busy) + need)
            best, shared = None, 0
            for candidate in [*self._idle, *self._busy]:
                length = min(reusable, common_prefix(candidate.ids, ids))
                if length > shared:
                    best, shared = candidate, length
            if best is None:
                self._forget(limit - need, spare=None)
                sequence = CachedSequence(self._shape)
                sequence.reserve(len(ids))
            elif best in self._idle and self._may_continue(best, ids, limit - need):
                self._idle.remove(best)
                self._forget(limit - need, spare=None)
                sequence = best
                del sequence.ids[shared:]
                sequence.reserve(len(ids))
            else:
                self._forget(limit - need, spare=best)
                sequence = best.copy(shared, len(ids))
            self._busy.append(sequence)
            return sequence

    def shared(self, ids: list[int]) -> int:
        """How many positions of the text any earlier text has in common with its beginning."""
        with self._changed:
            return max(
                (common_prefix(sequence.ids, ids) for sequence in [*self._idle, *self._busy]), default=0
            )

    def give_back(self, sequence: CachedSequence) -> None:
        """Let other calls use what `take` returned."""
        with self._changed:
            self._busy.remove(sequence)
            # A text that this one begins with is of no more use: all it holds is here too.
            self._idle = [idle for idle in self._idle if idle.ids != sequence.ids[: len(idle.ids)]]
            self._idle.append(sequence)
            self._changed.notify_all()

    def _may_continue(self, sequence: CachedSequence, ids: list[int], room: int) -> bool:
        """Whether to go on in its memory: the text begins with all of it, or there is no room for both."""
        return sequence.ids == ids[: len(sequence.ids)] or self._size([sequence, *self._busy]) > room

    def _forget(self, room: int, spare: CachedSequence | None) -> None:
        """Drop idle sequences, the least recently used first, until the rest takes at most `room` bytes."""
        while self._size(self._idle + self._busy) > room:
            self._idle.remove(next(sequence for sequence in self._idle if sequence is not spare))

    def _beside_the_largest(self, need: int) -> int:
        """The bytes of all texts in work and of one that needs `need`, but for the largest of them."""
        sizes = [need, *(self._bytes(sequence.capacity) for sequence in self._busy)]
        return sum(sizes) - max(sizes)

    def _size(self, sequences: list[CachedSequence]) -> int:
        return sum(self._bytes(sequence.capacity) for sequence in sequences)

    def _bytes(self, capacity: int) -> int:
        return capacity * bytes_per_position(self._shape, capacity)


def common_prefix(one: list[int], other: list[int]) -> int:
    """How many tokens two texts begin with in common."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def bytes_per_position(shape: Shape, capacity: int) -> int:
    """Memory of one position in a sequence of this capacity: a key and a value for each layer and head."""
    return 2 * shape.layers * shape.kv_heads * shape.head_width * _kind(capacity).itemsize


def _kind(capacity: int) -> np.dtype[np.floating]:
    return np.dtype(np.float32 if capacity <= FULL_PRECISION else np.float16)
