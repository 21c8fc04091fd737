from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.lm import weights
from core.lm.llama import forward
from core.lm.weights import BLOCK, DATA_START, BadWeights, convert, file_length, open_weights

from .conftest import TinyGguf


@pytest.fixture
def converted(tiny_gguf: TinyGguf, tmp_path: Path) -> Path:
    path = tmp_path / "tiny.f32"
    with path.open("w+b") as file:
        convert(tiny_gguf.path, tiny_gguf.sha256, file, lambda _: None)
    return path


def test_the_tensors_are_those_of_the_gguf(tiny_gguf: TinyGguf, converted: Path) -> None:
    opened = open_weights(converted, tiny_gguf.sha256)
    given = tiny_gguf.tensors
    np.testing.assert_array_equal(opened.embedding, given["token_embd"])
    np.testing.assert_array_equal(opened.output_norm, given["output_norm"])
    layer = opened.layers[1]
    np.testing.assert_array_equal(layer.qkv, np.concatenate([given[f"blk.1.attn_{part}"] for part in "qkv"]))
    np.testing.assert_array_equal(
        layer.gate_up, np.concatenate([given["blk.1.ffn_gate"], given["blk.1.ffn_up"]])
    )
    np.testing.assert_array_equal(layer.down, given["blk.1.ffn_down"])
    np.testing.assert_array_equal(layer.attention_output, given["blk.1.attn_output"])


def test_they_are_mapped_read_only(tiny_gguf: TinyGguf, converted: Path) -> None:
    assert not open_weights(converted, tiny_gguf.sha256).embedding.flags.writeable


def test_the_file_has_the_announced_length(tiny_gguf: TinyGguf, converted: Path) -> None:
    assert converted.stat().st_size == file_length(open_weights(converted, tiny_gguf.sha256).shape)


def test_progress_ends_at_one(tiny_gguf: TinyGguf, tmp_path: Path) -> None:
    shares: list[float] = []
    with (tmp_path / "again.f32").open("w+b") as file:
        convert(tiny_gguf.path, tiny_gguf.sha256, file, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize("at", [0, 40, DATA_START, DATA_START + 5000, -1])
def test_a_flipped_bit_anywhere_is_noticed(
    tiny_gguf: TinyGguf, converted: Path, flip_byte: Callable[[Path, int], None], at: int
) -> None:
    flip_byte(converted, at)
    with pytest.raises(BadWeights, match="damaged"):
        open_weights(converted, tiny_gguf.sha256)


@pytest.mark.parametrize("length", [0, 10, 1000, DATA_START, DATA_START + 100])
def test_a_short_file_is_noticed(tiny_gguf: TinyGguf, converted: Path, length: int) -> None:
    with converted.open("r+b") as file:
        file.truncate(length)
    with pytest.raises(BadWeights):
        open_weights(converted, tiny_gguf.sha256)


def test_a_file_of_another_version_is_noticed(
    tiny_gguf: TinyGguf, converted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "VERSION", weights.VERSION + 1)
    with pytest.raises(BadWeights, match="another version"):
        open_weights(converted, tiny_gguf.sha256)


def test_a_file_from_another_gguf_is_noticed(converted: Path) -> None:
    with pytest.raises(BadWeights, match="another version"):
        open_weights(converted, "0" * 64)


def test_checksums_cover_blocks_that_end_anywhere() -> None:
    data = np.random.default_rng(1).integers(0, 256, 2 * BLOCK + 80, np.uint8)
    sums = weights._sums(data)
    assert len(sums) == 3
    for at in (0, BLOCK - 1, BLOCK, len(data) - 1):
        changed = data.copy()
        changed[at] ^= 1
        assert sum(a != b for a, b in zip(sums, weights._sums(changed), strict=True)) == 1


class Kept:
    """Keys and values in plain lists."""

    def __init__(self) -> None:
        self.layers: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def extend(self, layer: int, start: int, keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
        if start:
            before = self.layers[layer]
            keys, values = (np.concatenate(pair, 1) for pair in zip(before, (keys, values), strict=True))
        self.layers[layer] = keys, values
        return keys, values


def test_a_text_in_two_parts_gives_the_states_of_the_whole(tiny_gguf: TinyGguf, converted: Path) -> None:
    opened = open_weights(converted, tiny_gguf.sha256)
    ids = [3, 1, 4, 1, 5, 9, 2, 6]
    kept = Kept()
    parts = np.concatenate([forward(opened, ids[:3], 0, kept), forward(opened, ids[3:], 3, kept)])
    np.testing.assert_allclose(parts, forward(opened, ids, 0, Kept()), atol=1e-4)
