"""A folder of Hugging Face is opened as the GGUF of the same weights is."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.lm.embedded import EmbeddedModel
from core.lm.weights import convert, open_weights

from .conftest import TinyGguf
from .hf_tiny import CONFIG, TOKENIZER, change, hf_tensors, opened, save, shard, write_folder

GOLDEN = Path(__file__).parents[2] / "goldens" / "tiny_llama_transformers.json"
PROMPT = [3, 1, 4, 1, 5, 9, 2, 6]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tiny_gguf: TinyGguf, tmp_path: Path) -> Path:
    return write_folder(tmp_path / "Mine-0.1B", tiny_gguf)


def test_its_logits_are_those_of_the_gguf(folder: Path, tiny_gguf: TinyGguf, tmp_path: Path) -> None:
    model = opened(folder)
    with (tmp_path / "tiny.f32").open("w+b") as file:
        convert(tiny_gguf.path, tiny_gguf.sha256, file, lambda _: None)
    same = EmbeddedModel(open_weights(tmp_path / "tiny.f32", tiny_gguf.sha256), model.tokenizer)
    np.testing.assert_array_equal(model.next_logits(PROMPT), same.next_logits(PROMPT))


def test_its_logits_are_those_of_transformers(folder: Path) -> None:
    golden = json.loads(GOLDEN.read_text("utf-8"))
    np.testing.assert_allclose(opened(folder).next_logits(golden["token_ids"]), golden["logits"], atol=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_computed_with_the_rounded_weights(
    folder: Path, tiny_gguf: TinyGguf, dtype: str
) -> None:
    rounded = {name: rounded_to(dtype, values) for name, values in hf_tensors(tiny_gguf).items()}
    save(folder / "model.safetensors", rounded)
    in_float32 = opened(folder).next_logits(PROMPT)
    save(folder / "model.safetensors", rounded, dtype)
    np.testing.assert_array_equal(opened(folder).next_logits(PROMPT), in_float32)


def rounded_to(dtype: str, values: np.ndarray) -> np.ndarray:
    """In float32. A bfloat16 has 8 significant bits."""
    if dtype == "float16":
        return values.astype(np.float16).astype(np.float32)
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * 256) / 256, exponent).astype(np.float32)


def test_shards_make_one_model(folder: Path, tiny_gguf: TinyGguf) -> None:
    whole = opened(folder).next_logits(PROMPT)
    shard(folder, hf_tensors(tiny_gguf))
    np.testing.assert_array_equal(opened(folder).next_logits(PROMPT), whole)


def test_positions_are_read_as_transformers_5_writes_them(folder: Path) -> None:
    usual = opened(folder).next_logits(PROMPT)
    config = {key: value for key, value in CONFIG.items() if not key.startswith("rope")}
    config["rope_parameters"] = {"rope_theta": 500.0, "rope_type": "default"}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    other = opened(folder)
    assert other._weights.shape.rope_base == 500
    assert not np.allclose(other.next_logits(PROMPT), usual)


def test_what_the_config_leaves_out_is_as_in_transformers(folder: Path, tiny_gguf: TinyGguf) -> None:
    left_out = ("num_key_value_heads", "rms_norm_eps", "rope_theta", "rope_scaling", "hidden_act")
    config = {key: value for key, value in CONFIG.items() if key not in left_out}
    tensors = hf_tensors(tiny_gguf)
    for layer in range(tiny_gguf.layers):
        for part in "kv":
            name = f"model.layers.{layer}.self_attn.{part}_proj.weight"
            tensors[name] = np.tile(tensors[name], (tiny_gguf.heads, 1))
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    save(folder / "model.safetensors", tensors)
    shape = opened(folder)._weights.shape
    assert (shape.kv_heads, shape.norm_epsilon, shape.rope_base) == (3, 1e-6, 10_000)


def test_it_is_named_after_its_folder(folder: Path) -> None:
    model = opened(folder)
    assert (model.name, model.tokenizer.name) == ("Mine-0.1B", "Mine-0.1B")


def test_in_the_cache_of_the_hub_it_is_named_after_its_repository(folder: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "models--someone--Theirs-1B" / "snapshots" / "0123abcd"
    shutil.copytree(folder, snapshot)
    assert opened(snapshot).name == "Theirs-1B"


def test_its_tokenizer_is_that_of_the_folder(folder: Path) -> None:
    tokenizer = opened(folder).tokenizer
    assert tokenizer.encode("<s>ab ba1") == [0, 29, 2, 4, 3, 31]
    assert (tokenizer.start_id, tokenizer.end_ids) == (0, {1})


def test_an_end_that_only_the_generation_config_names_is_one(folder: Path) -> None:
    (folder / "generation_config.json").write_text('{"eos_token_id": [1, 5]}', "utf-8")
    assert opened(folder).tokenizer.end_ids == {1, 5}


def test_every_row_of_a_padded_embedding_has_a_token(folder: Path) -> None:
    model = opened(folder)
    assert model.vocab_size == model.tokenizer.vocab_size == 50
    assert len({model.tokenizer.token_bytes(id_) for id_ in range(50)}) == 50


def test_a_marker_beyond_the_vocabulary_keeps_its_number(folder: Path) -> None:
    marker = TOKENIZER["added_tokens"][0] | {"id": 40, "content": "<tool_call>"}
    change(folder / "tokenizer.json", added_tokens=[*TOKENIZER["added_tokens"], marker])
    tokenizer = opened(folder).tokenizer
    assert tokenizer.encode("a<tool_call>") == [3, 40]
    assert (tokenizer.token_bytes(40), tokenizer.vocab_size) == (b"<tool_call>", 50)


def test_a_long_text_is_not_cut_as_in_training(folder: Path) -> None:
    cut = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
    change(folder / "tokenizer.json", truncation=cut)
    assert len(opened(folder).tokenizer.encode("cdefgh")) == 6


def test_frequencies_that_old_folders_hold_are_passed_over(folder: Path, tiny_gguf: TinyGguf) -> None:
    frequencies = {"model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(4, np.float32)}
    save(folder / "model.safetensors", hf_tensors(tiny_gguf) | frequencies)
    assert opened(folder).vocab_size == 50


def test_it_is_converted_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = opened(folder).next_logits(PROMPT)
    monkeypatch.setattr("core.lm.local.write", None)
    np.testing.assert_array_equal(opened(folder).next_logits(PROMPT), first)


@pytest.mark.parametrize(
    ("file", "values"),
    [
        ("config.json", {"rms_norm_eps": 0.1}),
        ("tokenizer.json", {"pre_tokenizer": None}),
        ("generation_config.json", {"eos_token_id": 7}),
    ],
)
def test_a_file_that_changed_makes_another_model(
    folder: Path, cache: Path, file: str, values: dict[str, Any]
) -> None:
    opened(folder)
    if file == "generation_config.json":
        (folder / file).write_text("{}", "utf-8")
    change(folder / file, **values)
    opened(folder)
    assert len(list(cache.glob("*.f32"))) == 2


def test_weights_that_changed_make_another_model(folder: Path, tiny_gguf: TinyGguf) -> None:
    before = opened(folder).next_logits(PROMPT)
    tensors = hf_tensors(tiny_gguf)
    save(folder / "model.safetensors", tensors | {"model.norm.weight": -tensors["model.norm.weight"]})
    np.testing.assert_allclose(opened(folder).next_logits(PROMPT), -before, atol=1e-5)
