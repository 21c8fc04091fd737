"""SmolLM2-135M-Instruct in this process: the logits of the whole vocabulary at every position of a text."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.lm.cache import CachedSequence, PrefixCache
from core.lm.llama import Weights, forward, unembed
from core.lm.tokenizer import Tokenizer, load_tokenizer
from core.lm.weights import BadWeights, open_weights
from core.sampling.checks import whole_number

CACHE_BYTES = 80_000_000
"""Keys and values of some 1,700 positions in float32: two dozen prompts of a class."""

EXIT_CACHE_BYTES = CACHE_BYTES // 10
"""The same for a model that is stopped early: of few layers, and of use to one session at a time."""

LONG = 4096
"""Positions beyond which the keys and values of a text leave no room for all weights at once."""


class EmbeddedModel:
    """The embedded model. Threads can share it: their calls take turns, a block of positions at a time.

    What an earlier call has read, a later one need not read again, whoever made it: keys and values are kept
    by the longest common prefix. That changes the logits by rounding alone, since BLAS sums in another order
    for one position than for many: by less than 0.001.
    """

    def __init__(self, weights: Weights, tokenizer: Tokenizer) -> None:
        self.name = "SmolLM2-135M-Instruct"
        self.tokenizer = tokenizer
        self.context_length = weights.shape.context_length
        self.vocab_size = weights.shape.vocab_size
        self.layers = weights.shape.layers
        self.positions_computed = 0
        self._weights = weights
        self._cache = PrefixCache(weights.shape, CACHE_BYTES)
        # One worker computes for all: it serves blocks in the order of arrival, and what it allocates and
        # frees again comes from one arena of the allocator instead of one for each thread of the server.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="embedded-model")

    def start(self, ids: Sequence[int]) -> list[int]:
        """The tokens, or, if there are none, the token that begins a text: `<|im_start|>`.

        The model predicts what follows a token, so it has no distribution for an empty prompt. Call this
        before a generation, not before every step of it. (llama.cpp likewise adds nothing of its own to
        SmolLM2's prompts.)
        """
        return list(ids) or [self.tokenizer.start_id]

    def next_logits(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """The logits of the token after `ids`: float32 (V,), read-only.

        Raises:
            InputError: no tokens (see `start`), more than the context holds, or one that is not in the
            vocabulary.
        """
        logits: NDArray[np.float32] = self.all_logits(ids, start=len(ids) - 1)[0]
        return logits

    def all_logits(self, ids: Sequence[int], start: int = 0) -> NDArray[np.float32]:
        """The logits at each position from `start` on: float32 (n - start, V), read-only.

        Row i is the prediction of the token after `ids[: start + i + 1]`. A row takes V * 4 = 196,608 bytes,
        so a full context takes 1.6 GB: ask for a part of it with `start`.

        Raises:
            InputError: as `next_logits`.
        """
        tokens = self._checked(ids)
        if not 0 <= start < len(tokens):
            raise ValueError(f"position {start} of {len(tokens)}")
        rows = np.empty((len(tokens) - start, self.vocab_size), np.float32)
        for _ in self._blocks(tokens, start, rows):
            pass
        rows.flags.writeable = False
        return rows

    def unread(self, ids: Sequence[int]) -> int:
        """How many positions of a text an earlier call has not read."""
        tokens = self._checked(ids)
        return len(tokens) - self._cache.shared(tokens)

    def read(self, ids: Sequence[int]) -> Iterator[int]:
        """Read a text block by block, so that its logits are there at once afterwards.

        Yields how many positions have been read, after each block. Whoever stops asking stops the reading;
        what was read stays for later calls.

        Raises:
            InputError: as `next_logits`.
        """
        tokens = self._checked(ids)
        return self._blocks(tokens, len(tokens), np.empty((0, self.vocab_size), np.float32))

    def _blocks(self, tokens: list[int], start: int, rows: NDArray[np.float32]) -> Iterator[int]:
        """Compute a text in blocks, with the logits from `start` on, and yield the position after each."""
        sequence = self._cache.take(tokens, reusable=start)
        try:
            while (at := len(sequence.ids)) < len(tokens):
                block = tokens[at : at + _block_length(len(tokens))]
                wanted = rows[max(at - start, 0) : max(at + len(block) - start, 0)]
                self._worker.submit(self._compute, sequence, block, wanted).result()
                yield len(sequence.ids)
        finally:
            self._cache.give_back(sequence)

    @property
    def weights_per_token(self) -> int:
        """How many weights a pass reads for its layers and its logits: in proportion, what a token costs."""
        layers = sum(int(array.size) for layer in self._weights.layers for array in vars(layer).values())
        return layers + int(self._weights.embedding.size)

    def stopped_after(self, layers: int) -> "EmbeddedModel":
        """This model without the layers after the first `layers`: their state goes to the last norm at once.

        An early exit as it is, untrained: no layer but the last has learnt to be read by the output matrix
        (Elhoushi et al. 2024, "LayerSkip", arXiv:2404.16710, train that). It shares weights and worker with
        this model; its cache is small and its own, so that what it reads pushes out nothing here.

        Raises:
            InputError: there are not so many layers, or none.
        """
        shape = self._weights.shape
        if not 1 <= whole_number("The number of layers", layers) <= shape.layers:
            raise InputError(
                f"{self.name} has {shape.layers} layers: it can stop after 1 to {shape.layers} of them, "
                f"not after {layers}."
            )
        first = replace(
            self._weights, shape=replace(shape, layers=layers), layers=self._weights.layers[:layers]
        )
        model = EmbeddedModel(first, self.tokenizer)
        model.name = f"{self.name}, layers 1 to {layers}"
        model._worker = self._worker
        model._cache = PrefixCache(first.shape, EXIT_CACHE_BYTES)
        return model

    def _compute(self, sequence: CachedSequence, block: list[int], rows: NDArray[np.float32]) -> None:
        """Run the block after what the sequence holds, and write the logits of its last positions."""
        # The layers need 425 MB of weights and the output matrix 113 MB, but not at the same time.
        long = sequence.capacity > LONG
        if long:
            self._weights.release()
        states = forward(self._weights, block, len(sequence.ids), sequence)
        if len(rows):
            if long:
                self._weights.release()
            unembed(self._weights, states[-len(rows) :], rows)
        sequence.ids += block
        self.positions_computed += len(block)

    def _checked(self, ids: Sequence[int]) -> list[int]:
        tokens = [int(id_) for id_ in ids]
        if not tokens:
            raise InputError(
                "An empty prompt has no next token, because the model predicts what follows a token: "
                "type something, or begin with <|im_start|>."
            )
        if len(tokens) > self.context_length:
            raise InputError(
                f"The text has {len(tokens):,} tokens and {self.name} reads at most "
                f"{self.context_length:,}: take away {len(tokens) - self.context_length:,} or more."
            )
        for id_ in tokens:
            if not 0 <= id_ < self.vocab_size:
                raise InputError(
                    f"There is no token {id_}: {self.name} numbers its tokens 0 to {self.vocab_size - 1:,}."
                )
        return tokens


def _block_length(length: int) -> int:
    """Positions computed at once in a text of this length: the attention scores then take at most 13 MB."""
    return min(256, max(128, 2**20 // length))


_opened: EmbeddedModel | None = None
_opening = threading.Lock()


def embedded() -> EmbeddedModel:
    """The embedded model, opened at the first call and shared by all sessions of this process.

    Raises:
        InstallError: it is not installed, or its file is damaged; the sentence says how to install it.
    """
    global _opened
    # Imported here so that `python -m core.lm.install` does not find itself imported already.
    from core.lm.install import SHA256, InstallError, weights_path

    with _opening:
        if _opened is None:
            path = weights_path()
            try:
                weights = open_weights(path, SHA256)
            except FileNotFoundError:
                raise InstallError(
                    "The embedded model is not installed yet",
                    "install it on the sampling screen, or run `python -m core.lm.install`",
                ) from None
            except BadWeights as error:
                with contextlib.suppress(OSError):
                    path.unlink()  # so that `find` knows
                raise InstallError(
                    f"The file of the embedded model was not usable, because {error}, and was removed",
                    "install it again on the sampling screen, or run `python -m core.lm.install`",
                ) from None
            except OSError as error:
                raise InstallError(
                    f"The file of the embedded model, {path}, cannot be read ({error.strerror})",
                    "allow it, or name another folder in the environment variable LOOPSCOPE_CACHE",
                ) from None
            _opened = EmbeddedModel(weights, load_tokenizer())
        return _opened
