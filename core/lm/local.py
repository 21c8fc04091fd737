"""A model of one's own in place of the embedded one, of the Llama family, named at the start.

    LOOPSCOPE_MODEL=/models/SmolLM2-360M-Instruct-Q8_0.gguf
    LOOPSCOPE_MODEL=/models/SmolLM2-360M-Instruct               a folder of Hugging Face

It is computed by the same forward pass, so it must have the same parts: embedding and output tied, no biases,
no experts, no scaled positions. Converting takes seconds, so weights and tokenizer are kept in the cache
folder under the hash of what they were made from, with four bytes for each weight.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.lm.embedded import EmbeddedModel
from core.lm.gguf_file import GgufFile
from core.lm.hf_folder import HfFolder
from core.lm.install import Progress, cache_folder
from core.lm.llama import Floats, Shape
from core.lm.tokenizer import Tokenizer
from core.lm.weights import BadWeights, file_length, open_weights, write


def local_path(settings: Mapping[str, Any] | None = None) -> Path | None:
    """What LOOPSCOPE_MODEL names in the settings, or in the environment if they are `None`."""
    value = str((os.environ if settings is None else settings).get("LOOPSCOPE_MODEL") or "").strip()
    return Path(value).expanduser() if value else None


def open_local(path: Path, progress: Progress) -> EmbeddedModel:
    """The model in a GGUF or in a folder of Hugging Face. The first time it is converted, within a minute.

    Raises:
        InputError: there is no such file, it is not whole, or of a kind that Loopscope does not compute; or
        the cache folder has no room.
    """
    try:
        source = HfFolder(path) if path.is_dir() else GgufFile(path)
        progress(None, f"Checking {source.name}")
        sha256 = source.sha256()
    except OSError as error:
        raise InputError(f"LOOPSCOPE_MODEL names {path}, which cannot be read: {error.strerror}.") from None
    kept = cache_folder() / f"local-{sha256[:16]}.f32"
    try:
        weights, tokenizer = open_weights(kept, sha256), _kept_tokenizer(source.name, kept)
    except (OSError, BadWeights, ValueError, LookupError):
        shape, tensor, tokenizer = source.read()
        doing = f"Converting {source.name}, once"
        _convert(source.name, shape, tensor, sha256, kept, lambda share: progress(share, doing))
        _keep_tokenizer(tokenizer, kept)
        weights = open_weights(kept, sha256)
    model = EmbeddedModel(weights, tokenizer)
    model.name = source.name
    return model


def _keep_tokenizer(tokenizer: Tokenizer, kept: Path) -> None:
    described = {"json": tokenizer.json, "start": tokenizer.start_id, "ends": sorted(tokenizer.end_ids)}
    kept.with_suffix(".json").write_text(json.dumps(described), "utf-8")


def _kept_tokenizer(name: str, kept: Path) -> Tokenizer:
    described = json.loads(kept.with_suffix(".json").read_text("utf-8"))
    return Tokenizer(name, described["json"], described["start"], described["ends"])


def _convert(
    name: str,
    shape: Shape,
    tensor: Callable[[str], Floats],
    sha256: str,
    target: Path,
    progress: Callable[[float], None],
) -> None:
    """Write under another name in the same folder, and rename only what is complete."""
    try:
        needed = file_length(shape)
        target.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(target.parent).free
        if free < needed:
            raise InputError(
                f"{name} needs {needed / 1e6:,.0f} MB, and the disk of {target.parent} has "
                f"{free / 1e6:,.0f} MB: make room, or name another folder in LOOPSCOPE_CACHE."
            )
        with tempfile.NamedTemporaryFile("w+b", dir=target.parent, suffix=".part", delete=False) as file:
            part = Path(file.name)
            try:
                write(shape, tensor, sha256, file, progress)  # type: ignore[arg-type]
                file.close()
                part.replace(target)
            finally:
                file.close()
                part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"The folder {target.parent} cannot be written ({error.strerror}): allow it, or name another in "
            "LOOPSCOPE_CACHE."
        ) from None
    except (BadWeights, NotImplementedError) as error:
        raise InputError(f"{name} cannot be converted: {error}.") from None
