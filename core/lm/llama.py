"""The forward pass of a Llama-style transformer, in numpy: token ids in, logits of the whole vocabulary out.

References:
    architecture              Touvron et al. 2023, "LLaMA" (arXiv:2302.13971), section 2.2
    root-mean-square norm     Zhang & Sennrich 2019 (arXiv:1910.07467), equation 4
    rotary positions (RoPE)   Su et al. 2021 (arXiv:2104.09864), section 3.4.2
    grouped-query attention   Ainslie et al. 2023 (arXiv:2305.13245), section 2.2
    SwiGLU                    Shazeer 2020 (arXiv:2002.05202), equation 6
    layout of the weights     llama.cpp, src/models/llama.cpp and convert_hf_to_gguf.py (`LlamaModel.permute`)

Shapes: m new positions, n positions so far including them, D width, H query heads, G key-value heads, E head
width. Everything is float32.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.lm import cores

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    """The numbers that fix the architecture."""

    vocab_size: int
    context_length: int
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_width: int
    mlp_width: int
    rope_base: float
    norm_epsilon: float


@dataclass(frozen=True)
class Layer:
    """The weights of one layer. Matrices are (outputs, inputs); those with the same input are stacked."""

    attention_norm: Floats  # (D,)
    qkv: Floats  # (H E + 2 G E, D): queries, keys, values
    attention_output: Floats  # (D, H E)
    mlp_norm: Floats  # (D,)
    gate_up: Floats  # (2 F, D): gate, up
    down: Floats  # (D, F)


@dataclass(frozen=True)
class Weights:
    """All weights of the model. The embedding is also the output matrix (tied)."""

    shape: Shape
    embedding: Floats  # (V, D)
    layers: tuple[Layer, ...]
    output_norm: Floats  # (D,)
    release: Callable[[], None]  # give the memory of all of them back; the next use maps it again


class KeyValues(Protocol):
    """The keys and values of the positions of one text, layer by layer."""

    def extend(self, layer: int, start: int, keys: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Store those of positions `start`, `start + 1`, ... and return all up to there, (G, n, E) each."""


def forward(weights: Weights, ids: list[int], start: int, cache: KeyValues) -> Floats:
    """Run the tokens `ids` at positions `start`, `start + 1`, ... after those already in the cache.

    Returns:
        The state of each new position after the last layer and the last norm, (m, D).
    """
    shape = weights.shape
    x = weights.embedding[ids]
    rotation = _rotation(shape, start, len(ids))
    for index, layer in enumerate(weights.layers):
        normed = _norm(x, layer.attention_norm, shape.norm_epsilon)
        x += _attention(shape, layer, index, normed, rotation, start, cache)
        normed = _norm(x, layer.mlp_norm, shape.norm_epsilon)
        x += _mlp(layer, normed)
    return _norm(x, weights.output_norm, shape.norm_epsilon)


def unembed(weights: Weights, states: Floats, logits: Floats) -> None:
    """Write the logits (m, V) of the states (m, D) that `forward` returns."""
    cores.product(states, weights.embedding, out=logits)


def _norm(x: Floats, gain: Floats, epsilon: float) -> Floats:
    mean_square = np.einsum("md,md->m", x, x) / x.shape[1]
    normed: Floats = x * (1 / np.sqrt(mean_square + np.float32(epsilon)))[:, np.newaxis] * gain
    return normed


def _rotation(shape: Shape, start: int, count: int) -> NDArray[np.complex64]:
    """The turn of each pair of components at each position, (m, 1, E / 2): complex numbers of length 1."""
    frequencies = shape.rope_base ** (-np.arange(0, shape.head_width, 2) / shape.head_width)
    angles = np.arange(start, start + count)[:, np.newaxis] * frequencies
    rotation: NDArray[np.complex64] = np.exp(1j * angles).astype(np.complex64)[:, np.newaxis]
    return rotation


def _rotate(x: Floats, rotation: NDArray[np.complex64]) -> Floats:
    # GGUF orders the rows of the query and key matrices so that components 2i and 2i + 1 turn together: one
    # complex number. (The original checkpoint pairs component i with i + E / 2.)
    return (x.view(np.complex64) * rotation).view(np.float32)


def _attention(
    shape: Shape,
    layer: Layer,
    index: int,
    x: Floats,
    rotation: NDArray[np.complex64],
    start: int,
    cache: KeyValues,
) -> Floats:
    new, groups, width = len(x), shape.kv_heads, shape.head_width
    heads = _times(x, layer.qkv).reshape(new, shape.heads + 2 * groups, width)
    queries = _rotate(heads[:, : shape.heads], rotation) * np.float32(width**-0.5)
    keys = _rotate(heads[:, shape.heads : -groups], rotation)
    keys, values = cache.extend(index, start, keys.swapaxes(0, 1), heads[:, -groups:].swapaxes(0, 1))

    mixed = np.empty((new, groups, shape.heads // groups, width), np.float32)
    future = np.triu(
        np.full((new, new), -np.inf, np.float32), 1
    )  # a position sees itself and those before it
    by_group = queries.reshape(mixed.shape)

    def attend(some: slice) -> None:
        for group in range(groups)[some]:
            # The query heads that share these keys, at all new positions, are the rows of one matrix:
            # (H/G m, E).
            rows = by_group[:, group].swapaxes(0, 1).reshape(-1, width)
            scores = rows @ keys[group].T
            scores.reshape(-1, new, start + new)[..., start:] += future
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            # Dividing after the sum over positions is the same, on E numbers in place of n.
            summed = (scores @ values[group]) / scores.sum(axis=-1, keepdims=True)
            mixed[:, group] = summed.reshape(-1, new, width).swapaxes(0, 1)

    # Two groups at once at most, since the scores are the largest array of all; one position is not worth it.
    cores.each(attend, groups, parts=min(2, groups, cores.count()) if new > 1 else 1)
    return _times(mixed.reshape(new, -1), layer.attention_output)


def _mlp(layer: Layer, x: Floats) -> Floats:
    inner = layer.down.shape[1]
    gate, up = layer.gate_up[:inner], layer.gate_up[inner:]
    sums: dict[int, Floats] = {}

    def part_of_it(part: slice) -> None:
        gated = x @ gate[part].T
        # z sigmoid(z) as z (1 + tanh(z / 2)) / 2, which cannot overflow.
        half = np.tanh(gated * np.float32(0.5))
        half += 1
        half *= gated
        half *= np.float32(0.5)
        half *= x @ up[part].T
        sums[part.start] = half @ layer.down[:, part].T

    # All of it at once: a part waits for the other ones only in the end.
    cores.each(part_of_it, inner, cores.parts(inner, len(x) * (layer.gate_up.size + layer.down.size)))
    total: Floats = np.sum([sums[start] for start in sorted(sums)], axis=0)
    return total


def _times(x: Floats, matrix: Floats) -> Floats:
    product: Floats = np.empty((len(x), len(matrix)), np.float32)
    cores.product(x, matrix, out=product)
    return product
