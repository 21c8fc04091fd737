"""Tensors in the safetensors format, read one at a time: the package's numpy half knows no bfloat16.

Format: safetensors, README.md, "Format". 8 bytes with the length of a header (little endian), the header as
JSON with the type, the shape and the place of each tensor, then the tensors.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from core.errors import InputError
from core.lm.llama import Floats

TYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}


@dataclass(frozen=True)
class Stored:
    """Where a tensor lies: `start` counts bytes from the beginning of the file."""

    file: Path
    type: str
    shape: tuple[int, ...]
    start: int

    def read(self) -> Floats:
        """Its values in float32; its type is one of `TYPES`."""
        count = int(np.prod(self.shape))
        values = np.fromfile(self.file, TYPES[self.type], count, offset=self.start).reshape(self.shape)
        if self.type != "BF16":
            return values.astype(np.float32, copy=False)
        bits = values.astype(np.uint32)
        bits <<= 16  # a bfloat16 is the upper half of a float32
        return bits.view(np.float32)


def stored_tensors(file: Path) -> dict[str, Stored]:
    """The tensors of a file by name; only its header is read.

    Raises:
        InputError: it is no safetensors file, or not a whole one.
        OSError: it cannot be read.
    """
    try:
        with safe_open(file, framework="np"):  # checks that the tensors cover the file, each by its size
            pass
    except SafetensorError:
        raise InputError(
            f"{file.name} is no safetensors file, or not a whole one: fetch it again; git alone does not, "
            "it needs git-lfs."
        ) from None
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        header = json.loads(opened.read(length))
    header.pop("__metadata__", None)
    return {
        name: Stored(file, entry["dtype"], tuple(entry["shape"]), 8 + length + entry["data_offsets"][0])
        for name, entry in header.items()
    }
