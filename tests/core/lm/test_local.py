"""A GGUF of one's own: opened as the embedded model is, or refused with what is different about it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gguf import GGUFWriter

from core.errors import InputError
from core.lm.embedded import EmbeddedModel
from core.lm.gguf_tokenizer import read_tokenizer
from core.lm.local import local_path, open_local
from core.lm.tokenizer import load_tokenizer
from core.lm.weights import convert, open_weights

from .conftest import GOLDENS, TinyGguf

TOKENS = ["<|im_start|>", "<|im_end|>", "Ġ", *"abcdefghijklmnopqrstuvwxyz", "ab", *"0123456789"]
TOKENS += [f"<unused{n}>" for n in range(TinyGguf.vocab_size - len(TOKENS))]
TYPES = [3, 3] + [1] * (len(TOKENS) - 2)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def write(tiny_gguf: TinyGguf, tmp_path: Path) -> Callable[..., Path]:
    """Write the tiny model with a tokenizer; `without` tensors, and with others `beside`."""

    def write(
        architecture: str = "llama",
        pre: str = "smollm",
        kind: str = "gpt2",
        bos: bool = False,
        scaling: str = "none",
        without: str = "",
        beside: str = "",
    ) -> Path:
        path = tmp_path / "Mine-1M.gguf"
        writer = GGUFWriter(path, architecture)
        writer.add_vocab_size(tiny_gguf.vocab_size)
        writer.add_context_length(256)
        writer.add_block_count(tiny_gguf.layers)
        writer.add_embedding_length(tiny_gguf.width)
        writer.add_head_count(tiny_gguf.heads)
        writer.add_head_count_kv(tiny_gguf.kv_heads)
        if without != "llama.rope.dimension_count":
            writer.add_rope_dimension_count(tiny_gguf.head_width)
        writer.add_feed_forward_length(tiny_gguf.mlp_width)
        writer.add_rope_freq_base(10000.0)
        writer.add_layer_norm_rms_eps(1e-5)
        writer.add_string("llama.rope.scaling.type", scaling)
        writer.add_tokenizer_model(kind)
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(TOKENS)
        writer.add_token_types(TYPES)
        if without != "tokenizer.ggml.merges":
            writer.add_token_merges(["a b"])
        writer.add_bos_token_id(0)
        writer.add_eos_token_id(1)
        writer.add_add_bos_token(bos)
        for name, tensor in tiny_gguf.tensors.items():
            if name != without:
                writer.add_tensor(f"{name}.weight", tensor)
        if beside:
            writer.add_tensor(beside, np.ones(4, np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return write


def opened(path: Path) -> EmbeddedModel:
    return open_local(path, lambda *_: None)


def refused(path: Path) -> str:
    with pytest.raises(InputError) as refusal:
        opened(path)
    return str(refusal.value)


# Opened


def test_its_logits_are_those_of_its_weights(write, tiny_gguf: TinyGguf, tmp_path: Path) -> None:
    model = opened(write())
    with (tmp_path / "tiny.f32").open("w+b") as file:
        convert(tiny_gguf.path, tiny_gguf.sha256, file, lambda _: None)
    same = EmbeddedModel(open_weights(tmp_path / "tiny.f32", tiny_gguf.sha256), model.tokenizer)
    np.testing.assert_array_equal(model.next_logits([3, 4, 5]), same.next_logits([3, 4, 5]))


def test_it_is_named_after_its_file(write) -> None:
    model = opened(write())
    assert (model.name, model.tokenizer.name) == ("Mine-1M", "Mine-1M")


def test_its_tokenizer_is_that_of_the_file(write) -> None:
    tokenizer = opened(write()).tokenizer
    words = ["<|im_start|>", "ab", "Ġ", "b", "a", "1", "2", "<|im_end|>"]
    assert tokenizer.encode("<|im_start|>ab ba12<|im_end|>") == [TOKENS.index(word) for word in words]
    assert (tokenizer.start_id, tokenizer.end_ids) == (0, {1})


def test_it_is_read_once(write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write()
    first = opened(path).next_logits([3, 4])
    monkeypatch.setattr("gguf.GGUFReader", None)
    again = opened(path)
    np.testing.assert_array_equal(again.next_logits([3, 4]), first)
    assert (again.tokenizer.encode("ab"), again.tokenizer.start_id) == ([TOKENS.index("ab")], 0)


def test_a_damaged_conversion_is_made_anew(write, cache: Path, flip_byte) -> None:
    path = write()
    opened(path)
    [converted] = cache.glob("*.f32")
    flip_byte(converted, -1)
    assert opened(path).next_logits([3]).shape == (TinyGguf.vocab_size,)


def test_a_tokenizer_that_was_kept_half_is_read_anew(write, cache: Path) -> None:
    path = write()
    opened(path)
    [kept] = cache.glob("*.json")
    kept.write_text(kept.read_text("utf-8")[:100], "utf-8")
    assert opened(path).tokenizer.encode("ab") == [TOKENS.index("ab")]


def test_the_metadata_of_the_embedded_model_make_the_tokenizer_of_llama_cpp() -> None:
    described = json.loads(load_tokenizer().json)
    tokens = sorted(described["model"]["vocab"], key=described["model"]["vocab"].get)
    control = {token["id"] for token in described["added_tokens"]}
    tokenizer = read_tokenizer(
        "SmolLM2",
        {
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "smollm",
            "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": [3 if id_ in control else 1 for id_ in range(len(tokens))],
            "tokenizer.ggml.merges": described["model"]["merges"],
            "tokenizer.ggml.bos_token_id": 1,
            "tokenizer.ggml.eos_token_id": 2,
        },
    )
    for golden in GOLDENS:
        assert tokenizer.encode(golden["text"]) == golden["token_ids"]
    assert (tokenizer.start_id, tokenizer.end_ids) == (1, {0, 2})


def test_the_file_is_named_by_the_settings() -> None:
    assert local_path({"LOOPSCOPE_MODEL": " /models/x.gguf "}) == Path("/models/x.gguf")


def test_without_a_setting_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOOPSCOPE_MODEL", raising=False)
    assert local_path() is None


# Refused, each with what is different


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"architecture": "qwen2"}, "Mine-1M has the architecture qwen2, and Loopscope computes only llama"),
        ({"beside": "output.weight"}, "a part that Loopscope does not compute with, output.weight"),
        ({"beside": "blk.0.attn_q.bias"}, "does not compute with, blk.0.attn_q.bias"),
        ({"without": "blk.1.ffn_up"}, "Mine-1M is incomplete: its file has no blk.1.ffn_up.weight"),
        ({"without": "llama.rope.dimension_count"}, "its file has no llama.rope.dimension_count"),
        ({"without": "tokenizer.ggml.merges"}, "its file has no tokenizer.ggml.merges"),
        ({"scaling": "yarn"}, "scales its positions"),
        ({"kind": "llama", "pre": "default"}, "The tokenizer of Mine-1M is llama with default"),
        (
            {"pre": "tekken"},
            r"gpt2 with tekken, and Loopscope knows byte-level BPE \(gpt2\) with gpt-2, smollm",
        ),
        ({"bos": True}, "wants a token of its own around every text"),
    ],
)
def test_a_model_of_another_kind(write, other: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        opened(write(**other))


def test_no_file(tmp_path: Path) -> None:
    assert "cannot be read: No such file or directory" in refused(tmp_path / "none.gguf")


@pytest.mark.parametrize("length", [0, 3, 200, -2000])
def test_a_file_that_was_cut_off(write, length: int) -> None:
    path = write()
    os.truncate(path, length % path.stat().st_size)
    assert "is no GGUF, or not a whole one: fetch it again" in refused(path)


def test_a_file_of_another_format(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"PK" * 5000)
    assert "is no GGUF" in refused(path)


def test_a_cache_that_cannot_be_written(write, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert f"The folder {cache} cannot be written" in refused(write())


def test_a_disk_without_room(write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    assert "Mine-1M needs" in refused(write())


def test_nothing_half_converted_is_left(write, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.lm.local.write", fail)
    assert "No space left on device" in refused(write())
    assert list(cache.iterdir()) == []
