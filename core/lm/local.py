"""A model of one's own in place of the embedded one: a GGUF of the Llama family, named at the start.

    LOOPSCOPE_MODEL=/models/SmolLM2-360M-Instruct-Q8_0.gguf

It is computed by the same forward pass, so it must have the same parts: embedding and output tied, no biases,
no experts, no scaled positions. Reading a GGUF takes seconds, so weights and tokenizer are kept in the cache
folder, with four bytes for each weight. A folder of Hugging Face is not read: llama.cpp's
convert_hf_to_gguf.py makes a GGUF of it.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.lm.embedded import EmbeddedModel
from core.lm.gguf_tokenizer import read_tokenizer
from core.lm.install import Progress, cache_folder
from core.lm.tokenizer import Tokenizer
from core.lm.weights import BadWeights, convert, file_length, open_weights, read_shape

_TENSORS = {"token_embd.weight", "output_norm.weight"}
_LAYER_TENSORS = {
    f"{part}.weight"
    for part in (
        *("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output"),
        *("ffn_norm", "ffn_gate", "ffn_up", "ffn_down"),
    )
}


def local_path(settings: Mapping[str, Any] | None = None) -> Path | None:
    """The file that LOOPSCOPE_MODEL names in the settings, or in the environment if they are `None`."""
    value = str((os.environ if settings is None else settings).get("LOOPSCOPE_MODEL") or "").strip()
    return Path(value).expanduser() if value else None


def open_local(path: Path, progress: Progress) -> EmbeddedModel:
    """The model in a GGUF. The first time its weights are converted, which can take a minute.

    Raises:
        InputError: there is no such file, it is no whole GGUF, or of a kind that Loopscope does not compute;
        or the cache folder has no room.
    """
    _check_file(path)
    progress(None, f"Checking {path.stem}")
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    kept = cache_folder() / f"local-{sha256[:16]}.f32"
    try:
        weights, tokenizer = open_weights(kept, sha256), _kept_tokenizer(path.stem, kept)
    except (OSError, BadWeights, ValueError, LookupError):
        metadata = _checked_metadata(path)
        tokenizer = read_tokenizer(path.stem, metadata)
        _convert(path, sha256, kept, lambda share: progress(share, f"Converting {path.stem}, once"))
        _keep_tokenizer(tokenizer, kept)
        weights = open_weights(kept, sha256)
    model = EmbeddedModel(weights, tokenizer)
    model.name = path.stem
    return model


def _keep_tokenizer(tokenizer: Tokenizer, kept: Path) -> None:
    described = {"json": tokenizer.json, "start": tokenizer.start_id, "ends": sorted(tokenizer.end_ids)}
    kept.with_suffix(".json").write_text(json.dumps(described), "utf-8")


def _kept_tokenizer(name: str, kept: Path) -> Tokenizer:
    described = json.loads(kept.with_suffix(".json").read_text("utf-8"))
    return Tokenizer(name, described["json"], described["start"], described["ends"])


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise InputError(
            f"LOOPSCOPE_MODEL names the folder {path}, and Loopscope reads a GGUF file: llama.cpp's "
            "convert_hf_to_gguf.py makes one of a Hugging Face folder."
        )
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise InputError(f"LOOPSCOPE_MODEL names {path}, which cannot be read: {error.strerror}.") from None


def _checked_metadata(path: Path) -> dict[str, Any]:
    """Keys and values of a GGUF whose model Loopscope can compute."""
    from gguf import GGUFReader  # imported here: only the conversion needs it

    try:
        reader = GGUFReader(path)
        metadata = {key: field.contents() for key, field in reader.fields.items()}
        tensors = {tensor.name for tensor in reader.tensors}
    except (ValueError, IndexError, KeyError):
        raise InputError(f"{path} is no GGUF, or not a whole one: fetch it again.") from None
    _check_parts(path.stem, metadata, tensors)
    return metadata


def _check_parts(name: str, metadata: dict[str, Any], tensors: set[str]) -> None:
    instead = "serve it with Ollama or llama.cpp instead"
    architecture = metadata.get("general.architecture")
    if architecture != "llama":
        raise InputError(
            f"{name} has the architecture {architecture}, and Loopscope computes only llama: {instead}."
        )
    layers = range(metadata.get("llama.block_count", 0))
    known = _TENSORS | {f"blk.{layer}.{part}" for layer in layers for part in _LAYER_TENSORS}
    if beyond := sorted(tensors - known):
        raise InputError(f"{name} has a part that Loopscope does not compute with, {beyond[0]}: {instead}.")
    if missing := sorted(known - tensors):
        raise InputError(f"{name} is incomplete: its file has no {missing[0]}.")
    if metadata.get("llama.rope.scaling.type", "none") != "none":
        raise InputError(f"{name} scales its positions, which Loopscope does not compute: {instead}.")


def _convert(path: Path, sha256: str, target: Path, progress: Any) -> None:
    """Write under another name in the same folder, and rename only what is complete."""
    try:
        needed = file_length(read_shape(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(target.parent).free
        if free < needed:
            raise InputError(
                f"{path.stem} needs {needed / 1e6:,.0f} MB, and the disk of {target.parent} has "
                f"{free / 1e6:,.0f} MB: make room, or name another folder in LOOPSCOPE_CACHE."
            )
        with tempfile.NamedTemporaryFile("w+b", dir=target.parent, suffix=".part", delete=False) as file:
            part = Path(file.name)
            try:
                convert(path, sha256, file, progress)  # type: ignore[arg-type]
                file.close()
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"The folder {target.parent} cannot be written ({error.strerror}): allow it, or name another in "
            "LOOPSCOPE_CACHE."
        ) from None
    except KeyError as missing:
        raise InputError(f"{path.stem} is incomplete: its file has no {missing.args[0]}.") from None
    except (BadWeights, NotImplementedError) as error:
        raise InputError(f"{path.stem} cannot be converted: {error}.") from None
