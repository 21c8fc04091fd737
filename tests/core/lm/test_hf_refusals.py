"""A folder of Hugging Face that is damaged, or that is not computed here, is refused with one sentence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import InputError

from .conftest import TinyGguf
from .hf_tiny import CONFIG, change, hf_tensors, opened, save, shard, write_folder


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tiny_gguf: TinyGguf, tmp_path: Path) -> Path:
    return write_folder(tmp_path / "Mine-0.1B", tiny_gguf)


def refused(path: Path) -> str:
    with pytest.raises(InputError) as refusal:
        opened(path)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]},
            "Mine-0.1B has the architecture Qwen2ForCausalLM, and Loopscope computes only LlamaForCausalLM",
        ),
        ({"model_type": "mistral"}, "has the architecture mistral"),
        (
            {"architectures": ["LlamaForSequenceClassification"]},
            "architecture LlamaForSequenceClassification",
        ),
        ({"architectures": 5}, "has the architecture 5"),
        ({"tie_word_embeddings": False}, "has an output matrix of its own, not tied to its embedding"),
        ({"attention_bias": True}, "adds biases, which Loopscope does not compute: serve it with Ollama"),
        ({"mlp_bias": True}, "adds biases"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 32.0}}, "scales its positions"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "scales its positions"),
        ({"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e4}}, "scales its positions"),
        ({"partial_rotary_factor": 0.5}, "turns only a part of each head"),
        ({"hidden_act": "gelu"}, "has the activation gelu, not silu"),
        ({"quantization_config": {"quant_method": "gptq"}}, "is quantised"),
        (
            {"hidden_size": "24"},
            "config.json of Mine-0.1B is not right: hidden_size should be a valid integer",
        ),
        ({"num_hidden_layers": 0}, "num_hidden_layers should be greater than 0"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers should be less than or equal to 1000"),
        ({"num_attention_heads": 5}, "24 components do not divide into 5 heads of an even width"),
        ({"num_key_value_heads": 2}, "3 heads cannot share 2 heads of keys and values"),
        ({"head_dim": 7}, "head_dim should be a multiple of 2"),
        ({"rope_theta": -1.0}, "rope_theta should be greater than 0"),
        ({"rope_parameters": {"rope_theta": "many"}}, "rope_theta is 'many'"),
        ({"bos_token_id": None}, "names no token that begins a text: set bos_token_id in its config.json"),
        ({"bos_token_id": 45}, "begins or ends its texts with token 45, which its tokenizer.json lacks"),
        ({"eos_token_id": [1, 400]}, "with token 400, which its tokenizer.json lacks"),
        (
            {"intermediate_size": 48},
            "does not fit its config.json: model.layers.0.mlp.gate_proj.weight has the shape "
            r"\[40, 24\], not \[48, 24\]",
        ),
        ({"vocab_size": 39}, "numbers its tokens up to 39, and its embedding has 39 rows"),
        ({"vocab_size": 51}, r"model.embed_tokens.weight has the shape \[50, 24\], not \[51, 24\]"),
        ({"num_hidden_layers": 3}, "its files of weights have no model.layers.2.input_layernorm.weight"),
        (
            {"num_hidden_layers": 1},
            "a part that Loopscope does not compute with, model.layers.1.input_layernorm",
        ),
    ],
)
def test_a_config_of_another_kind(folder: Path, values: dict[str, Any], sentence: str) -> None:
    change(folder / "config.json", **values)
    with pytest.raises(InputError, match=sentence):
        opened(folder)


def test_a_config_without_a_number(folder: Path) -> None:
    config = {key: value for key, value in CONFIG.items() if key != "hidden_size"}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    assert (
        refused(folder) == "The config.json of Mine-0.1B is not right: hidden_size required. Fetch it again."
    )


TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"post_processor": TEMPLATE},
            "wants a token of its own around every text, which Loopscope does not add",
        ),
        ({"decoder": {"type": "Fuse"}}, "The tokenizer of Mine-0.1B is no byte-level BPE"),
        ({"decoder": None}, "is no byte-level BPE"),
        (
            {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}},
            "is no byte-level BPE",
        ),
        ({"model": {"type": "BPE", "vocab": {"▁a": 2, "a": 3}, "merges": []}}, "is no byte-level BPE"),
        ({"model": {"type": "BPE"}}, "The tokenizer.json of Mine-0.1B cannot be read .Missing vocab/merges"),
        ({"model": None}, "The tokenizer.json of Mine-0.1B cannot be read"),
    ],
)
def test_a_tokenizer_of_another_kind(folder: Path, values: dict[str, Any], sentence: str) -> None:
    change(folder / "tokenizer.json", **values)
    with pytest.raises(InputError, match=sentence):
        opened(folder)


def test_a_beginning_that_the_tokenizer_config_asks_for(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text('{"add_bos_token": true}', "utf-8")
    assert "wants a token of its own around every text" in refused(folder)


@pytest.mark.parametrize(
    ("beside", "dtype", "sentence"),
    [
        ("lm_head.weight", "float32", "a part that Loopscope does not compute with, lm_head.weight"),
        (
            "model.layers.0.self_attn.q_proj.bias",
            "float32",
            "compute with, model.layers.0.self_attn.q_proj.bias",
        ),
        ("model.norm.weight", "float64", "holds model.layers.0.input_layernorm.weight as F64|as F64"),
    ],
)
def test_weights_of_another_kind(
    folder: Path, tiny_gguf: TinyGguf, beside: str, dtype: str, sentence: str
) -> None:
    save(folder / "model.safetensors", hf_tensors(tiny_gguf) | {beside: np.ones(24, np.float32)}, dtype)
    with pytest.raises(InputError, match=sentence):
        opened(folder)


@pytest.mark.parametrize("file", ["tokenizer.json", "model.safetensors"])
def test_a_file_that_is_missing(folder: Path, file: str) -> None:
    (folder / file).unlink()
    assert f"Mine-0.1B is incomplete: its folder has no {file}" in refused(folder)


def test_a_folder_of_another_kind(tmp_path: Path) -> None:
    assert (
        "has no config.json and so is no model of Hugging Face: name the folder of one, or a GGUF file"
        in (refused(tmp_path))
    )


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "generation_config.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff{}", b"[" * 100_000, b"null"])
def test_a_file_that_is_no_json(folder: Path, file: str, content: bytes) -> None:
    (folder / file).write_bytes(content)
    assert refused(folder) == f"The {file} of Mine-0.1B is no JSON object, or damaged: fetch it again."


@pytest.mark.parametrize("length", [0, 7, 100, -1])
def test_weights_that_were_cut_off(folder: Path, length: int) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:length])
    assert "model.safetensors is no safetensors file, or not a whole one: fetch it again" in refused(folder)


def test_the_pointer_that_git_leaves_in_place_of_weights(folder: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 269060552\n"
    (folder / "model.safetensors").write_text(pointer, "utf-8")
    assert "it needs git-lfs" in refused(folder)


def test_a_shard_that_is_missing(folder: Path, tiny_gguf: TinyGguf) -> None:
    shard(folder, hf_tensors(tiny_gguf))
    (folder / "model-00002-of-00002.safetensors").unlink()
    assert "its folder has no model-00002-of-00002.safetensors" in refused(folder)


@pytest.mark.parametrize(
    "places", [None, [], {}, {"a": 5}, {"a": "../a.safetensors"}, {"a": "/a.safetensors"}]
)
def test_an_index_that_names_no_files_of_the_folder(folder: Path, places: Any) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}), "utf-8")
    assert "model.safetensors.index.json of Mine-0.1B names no files of weights" in refused(folder)


def test_nothing_half_converted_is_left(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.lm.hf_tensors.Stored.read", fail)
    assert "No space left on device" in refused(folder)
    assert list(cache.iterdir()) == []
