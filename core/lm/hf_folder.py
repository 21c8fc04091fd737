"""A model of the Llama family in a folder of Hugging Face: config.json, tokenizer.json and safetensors.

References:
    shards             transformers, utils/hub.py, `get_checkpoint_shard_files`
    the rows' order    llama.cpp, conversion/llama.py, `LlamaModel.permute`
"""

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.lm.hf_config import read_config
from core.lm.hf_tensors import TYPES, Stored, stored_tensors
from core.lm.hf_tokenizer import read_tokenizer
from core.lm.llama import Floats, Shape
from core.lm.not_computed import NotComputed, wants_a_token
from core.lm.tokenizer import Tokenizer

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
OPTIONAL = ("generation_config.json", "tokenizer_config.json")
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"


class HfFolder:
    """The files of a model, found and their JSON read.

    Raises:
        InputError: one is missing, or damaged.
        OSError: one cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.name = _name(path)
        self._path = path
        if not (path / CONFIG).is_file():
            raise InputError(
                f"LOOPSCOPE_MODEL names the folder {path}, which has no config.json and so is no model of "
                "Hugging Face: name the folder of one, or a GGUF file."
            )
        present = [file for file in OPTIONAL if (path / file).is_file()]
        self._json = {file: self._read_json(file) for file in (CONFIG, TOKENIZER, *present)}
        self._weights = self._weight_files()

    def sha256(self) -> str:
        """Of all that decides what the model computes: settings, tokenizer and weights."""
        total = hashlib.sha256()
        for name in (*self._json, *self._weights):
            with (self._path / name).open("rb") as file:
                total.update(f"{name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
        return total.hexdigest()

    def read(self) -> tuple[Shape, Callable[[str], Floats], Tokenizer]:
        """The architecture, the tensors by their GGUF name and in a GGUF's layout, and the tokenizer.

        Raises:
            InputError: Loopscope does not compute such a model, or a file is damaged.
        """
        config = read_config(self.name, self._json[CONFIG])
        shape = config.shape(self.name)
        generation, tokenizing = (self._json.get(file, {}) for file in OPTIONAL)
        if tokenizing.get("add_bos_token"):
            raise wants_a_token(self.name)
        ends = _ids(config.eos_token_id) | _ids(generation.get("eos_token_id"))
        tokenizer = read_tokenizer(
            self.name, self._json[TOKENIZER], shape.vocab_size, config.bos_token_id, ends
        )
        stored = self._checked_tensors(shape)

        def tensor(name: str) -> Floats:
            values = stored[name].read()
            heads = {"attn_q": shape.heads, "attn_k": shape.kv_heads}.get(name.rpartition(".")[2])
            return _interleaved(values, heads) if heads else values

        return shape, tensor, tokenizer

    def _read_json(self, file: str) -> dict[str, Any]:
        try:
            content = json.loads((self._path / file).read_text("utf-8"))
        except FileNotFoundError:
            raise self._lacks(file) from None
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise InputError(f"The {file} of {self.name} is no JSON object, or damaged: fetch it again.")
        return content

    def _lacks(self, file: str) -> InputError:
        return InputError(f"{self.name} is incomplete: its folder has no {file}. Fetch it again.")

    def _weight_files(self) -> list[str]:
        if (self._path / WEIGHTS).is_file():
            return [WEIGHTS]
        if not (self._path / INDEX).is_file():
            raise self._lacks(f"{WEIGHTS}, nor {INDEX}")
        places = self._read_json(INDEX).get("weight_map")
        files = sorted(set(map(str, places.values()))) if isinstance(places, dict) else []
        # A name of a file of this folder, and of no other.
        if not files or not all(re.fullmatch(r"[\w.-]+\.safetensors", file) for file in files):
            raise InputError(f"The {INDEX} of {self.name} names no files of weights: fetch it again.")
        for file in files:
            if not (self._path / file).is_file():
                raise self._lacks(file)
        return [INDEX, *files]

    def _checked_tensors(self, shape: Shape) -> dict[str, Stored]:
        """By their GGUF names, each there, of a type that is read, and of its shape."""
        found: dict[str, Stored] = {}
        for file in self._weights:
            if file != INDEX:
                found |= stored_tensors(self._path / file)
        expected = _tensors(shape)
        names = {name for name, _ in expected.values()}
        # Old files hold the frequencies of the rotation too, which follow from rope_theta.
        beyond = sorted(name for name in found.keys() - names if not name.endswith(".rotary_emb.inv_freq"))
        if beyond:
            raise NotComputed(f"{self.name} has a part that Loopscope does not compute with, {beyond[0]}")
        if missing := sorted(names - found.keys()):
            raise InputError(f"{self.name} is incomplete: its files of weights have no {missing[0]}.")
        for name, size in expected.values():
            if found[name].type not in TYPES:
                raise NotComputed(
                    f"{self.name} holds {name} as {found[name].type}, and Loopscope reads {', '.join(TYPES)}"
                )
            if found[name].shape != size:
                raise InputError(
                    f"{self.name} does not fit its config.json: {name} has the shape "
                    f"{list(found[name].shape)}, not {list(size)}. Fetch both again."
                )
        return {gguf: found[name] for gguf, (name, _) in expected.items()}


def _name(path: Path) -> str:
    """The folder's name; that of the repository in the cache of Hugging Face's hub."""
    absolute = Path(os.path.abspath(path))
    if absolute.parent.name == "snapshots":  # models--HuggingFaceTB--SmolLM2-135M/snapshots/<commit>
        return absolute.parent.parent.name.rpartition("--")[2]
    return absolute.name


def _ids(value: object) -> set[int]:
    values = value if isinstance(value, list) else [value]
    return {id_ for id_ in values if isinstance(id_, int)}


def _tensors(shape: Shape) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Hugging Face's name and the shape of each tensor, by its GGUF name."""
    width, mlp = shape.width, shape.mlp_width
    attention, kv = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    layer = {
        "attn_norm": ("input_layernorm", (width,)),
        "attn_q": ("self_attn.q_proj", (attention, width)),
        "attn_k": ("self_attn.k_proj", (kv, width)),
        "attn_v": ("self_attn.v_proj", (kv, width)),
        "attn_output": ("self_attn.o_proj", (width, attention)),
        "ffn_norm": ("post_attention_layernorm", (width,)),
        "ffn_gate": ("mlp.gate_proj", (mlp, width)),
        "ffn_up": ("mlp.up_proj", (mlp, width)),
        "ffn_down": ("mlp.down_proj", (width, mlp)),
    }
    return {
        "token_embd": ("model.embed_tokens.weight", (shape.vocab_size, width)),
        **{
            f"blk.{index}.{gguf}": (f"model.layers.{index}.{name}.weight", size)
            for index in range(shape.layers)
            for gguf, (name, size) in layer.items()
        },
        "output_norm": ("model.norm.weight", (width,)),
    }


def _interleaved(matrix: Floats, heads: int) -> Floats:
    """The rows i and i + E / 2 of each head, which turn together, side by side."""
    return matrix.reshape(heads, 2, -1, matrix.shape[1]).swapaxes(1, 2).reshape(matrix.shape)
