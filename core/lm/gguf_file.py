"""A model of the Llama family in a GGUF, checked for what the forward pass computes.

Format: docs/gguf.md of ggml. The `gguf` package makes an array of every token of the vocabulary, which takes
seconds; so a file is read once, and only when it was not converted before.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.lm.gguf_tokenizer import read_tokenizer
from core.lm.llama import Floats, Shape
from core.lm.not_computed import NotComputed
from core.lm.tokenizer import Tokenizer
from core.lm.weights import gguf_weights

_TENSORS = {"token_embd.weight", "output_norm.weight"}
_LAYER_TENSORS = {
    f"{part}.weight"
    for part in (
        *("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output"),
        *("ffn_norm", "ffn_gate", "ffn_up", "ffn_down"),
    )
}


class GgufFile:
    """The file of a model, named after it."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self._path = path

    def sha256(self) -> str:
        """Of the file.

        Raises:
            OSError: it cannot be read.
        """
        with self._path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def read(self) -> tuple[Shape, Callable[[str], Floats], Tokenizer]:
        """The architecture, the tensors by their GGUF name, and the tokenizer.

        Raises:
            InputError: it is no GGUF, not a whole one, or Loopscope does not compute such a model.
        """
        from gguf import GGUFReader  # imported here: only the conversion needs it

        try:
            reader = GGUFReader(self._path)
            metadata = {key: field.contents() for key, field in reader.fields.items()}
            tensors = {tensor.name for tensor in reader.tensors}
        except (ValueError, IndexError, KeyError):
            raise InputError(f"{self._path} is no GGUF, or not a whole one: fetch it again.") from None
        _check_parts(self.name, metadata, tensors)
        tokenizer = read_tokenizer(self.name, metadata)
        try:
            return *gguf_weights(reader), tokenizer
        except KeyError as missing:
            raise InputError(f"{self.name} is incomplete: its file has no {missing.args[0]}.") from None


def _check_parts(name: str, metadata: dict[str, Any], tensors: set[str]) -> None:

    architecture = metadata.get("general.architecture")
    if architecture != "llama":
        raise NotComputed(f"{name} has the architecture {architecture}, and Loopscope computes only llama")
    layers = range(metadata.get("llama.block_count", 0))
    known = _TENSORS | {f"blk.{layer}.{part}" for layer in layers for part in _LAYER_TENSORS}
    if beyond := sorted(tensors - known):
        raise NotComputed(f"{name} has a part that Loopscope does not compute with, {beyond[0]}")
    if missing := sorted(known - tensors):
        raise InputError(f"{name} is incomplete: its file has no {missing[0]}.")
    if metadata.get("llama.rope.scaling.type", "none") != "none":
        raise NotComputed(f"{name} scales its positions, which Loopscope does not compute")
