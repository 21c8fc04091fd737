"""The tiny model as a folder of Hugging Face.

The tensors of its GGUF get the names and the order of rows that transformers expects, and are written as it
writes a folder.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import TensorSpec, serialize_file

from core.lm.embedded import EmbeddedModel
from core.lm.local import open_local

from .conftest import TinyGguf

PARTS = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": TinyGguf.vocab_size,
    "hidden_size": TinyGguf.width,
    "intermediate_size": TinyGguf.mlp_width,
    "num_hidden_layers": TinyGguf.layers,
    "num_attention_heads": TinyGguf.heads,
    "num_key_value_heads": TinyGguf.kv_heads,
    "hidden_act": "silu",
    "max_position_embeddings": 256,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "rope_scaling": None,
    "tie_word_embeddings": True,
    "attention_bias": False,
    "mlp_bias": False,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "torch_dtype": "float32",
}
TOKENS = ["<s>", "<|im_end|>", "Ġ", *"abcdefghijklmnopqrstuvwxyz", "ab", *"0123456789"]
TOKENIZER = {
    "version": "1.0",
    "added_tokens": [
        {
            "id": id_,
            "content": TOKENS[id_],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for id_ in (0, 1)
    ],
    "normalizer": None,
    "pre_tokenizer": {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    },
    "post_processor": {
        "type": "ByteLevel",
        "add_prefix_space": True,
        "trim_offsets": False,
        "use_regex": True,
    },
    "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    "model": {"type": "BPE", "vocab": {token: id_ for id_, token in enumerate(TOKENS)}, "merges": ["a b"]},
}
"""The vocabulary has 40 tokens, and the embedding 50 rows, as padded embeddings have."""


def halved(matrix: np.ndarray, heads: int) -> np.ndarray:
    """Row 2i of a head goes to i, row 2i + 1 to i + E / 2."""
    width = len(matrix) // heads
    rows = np.empty_like(matrix)
    for head in range(heads):
        for pair in range(width // 2):
            rows[head * width + pair] = matrix[head * width + 2 * pair]
            rows[head * width + width // 2 + pair] = matrix[head * width + 2 * pair + 1]
    return rows


def hf_tensors(tiny: TinyGguf) -> dict[str, np.ndarray]:
    tensors = {}
    for name, values in tiny.tensors.items():
        if name == "token_embd":
            tensors["model.embed_tokens.weight"] = values
        elif name == "output_norm":
            tensors["model.norm.weight"] = values
        else:
            _, layer, part = name.split(".")
            heads = {"attn_q": tiny.heads, "attn_k": tiny.kv_heads}.get(part)
            tensors[f"model.layers.{layer}.{PARTS[part]}.weight"] = halved(values, heads) if heads else values
    return tensors


def save(path: Path, tensors: dict[str, np.ndarray], dtype: str = "float32") -> None:
    """As `safetensors` writes them; bfloat16 by cutting off the lower half of numbers that have none."""
    stored = {}
    for name, values in tensors.items():
        if dtype == "bfloat16":
            data = (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
        else:
            data = np.ascontiguousarray(values, dtype)
        stored[name] = (
            data,
            TensorSpec(
                dtype=dtype, shape=list(values.shape), data_ptr=data.ctypes.data, data_len=data.nbytes
            ),
        )
    serialize_file({name: spec for name, (_, spec) in stored.items()}, path, {"format": "pt"})


def write_folder(path: Path, tiny: TinyGguf) -> Path:
    """In float32."""
    path.mkdir()
    (path / "config.json").write_text(json.dumps(CONFIG), "utf-8")
    (path / "tokenizer.json").write_text(json.dumps(TOKENIZER), "utf-8")
    save(path / "model.safetensors", hf_tensors(tiny))
    return path


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | values), "utf-8")


def shard(folder: Path, tensors: dict[str, np.ndarray]) -> None:
    """Write the tensors to two files in turn, and the index."""
    places = {}
    for number in (1, 2):
        file = f"model-0000{number}-of-00002.safetensors"
        part = dict(list(tensors.items())[number - 1 :: 2])
        save(folder / file, part)
        places |= dict.fromkeys(part, file)
    (folder / "model.safetensors").unlink()
    index = {"metadata": {"total_size": 0}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")


def opened(path: Path) -> EmbeddedModel:
    return open_local(path, lambda *_: None)
