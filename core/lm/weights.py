"""The model's weights on disk: read once from their source, written as plain float32, opened memory-mapped.

The file: 8 bytes of magic, the length and the CRC-32 of a header (4 bytes each, little endian), the header as
JSON, and from byte 65,536 on the tensors one after another. The header holds the format's version, the
SHA-256 of the source, the length of the whole file and one checksum per block of 1 MiB, by which
`open_weights` notices an old, a short and a corrupted file. The checksum is the sum of the block's 64-bit
words modulo 2^64: it finds every flipped bit and every lost page, and at memory speed, so that each start can
afford to check all of the file.
"""

import json
import mmap
import os
import zlib
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.lm.llama import Floats, Layer, Shape, Weights

MAGIC = b"LOOPSCPW"
VERSION = 1
DATA_START = 65_536
BLOCK = 1 << 20

_STACKS = {  # our matrix: the GGUF's tensors, stacked
    "attention_norm": ("attn_norm",),
    "qkv": ("attn_q", "attn_k", "attn_v"),
    "attention_output": ("attn_output",),
    "mlp_norm": ("ffn_norm",),
    "gate_up": ("ffn_gate", "ffn_up"),
    "down": ("ffn_down",),
}
_TOP = {"embedding": "token_embd", "output_norm": "output_norm"}


class BadWeights(Exception):
    """A file of weights that must not be used; the message says why."""


def tensor_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Name and shape of each tensor, in the order of the file."""
    attention, kv = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    layer = {
        "attention_norm": (shape.width,),
        "qkv": (attention + 2 * kv, shape.width),
        "attention_output": (shape.width, attention),
        "mlp_norm": (shape.width,),
        "gate_up": (2 * shape.mlp_width, shape.width),
        "down": (shape.width, shape.mlp_width),
    }
    return {
        "embedding": (shape.vocab_size, shape.width),
        **{f"{index}.{name}": size for index in range(shape.layers) for name, size in layer.items()},
        "output_norm": (shape.width,),
    }


def file_length(shape: Shape) -> int:
    """Length in bytes of the file for a model of this shape."""
    return DATA_START + 4 * sum(int(np.prod(size)) for size in tensor_shapes(shape).values())


def gguf_weights(reader: Any) -> tuple[Shape, Callable[[str], Floats]]:
    """The architecture that a GGUF describes, and its tensors by name, without ".weight".

    Args:
        reader: a `gguf.GGUFReader`; it takes seconds to make one.

    Raises:
        KeyError: the GGUF does not say one of the numbers, or (later) has no such tensor.
    """
    from gguf import dequantize  # imported here: only the conversion needs it

    def value(key: str) -> Any:
        return reader.fields[f"llama.{key}"].contents()

    tensors = {tensor.name.removesuffix(".weight"): tensor for tensor in reader.tensors}
    shape = Shape(
        vocab_size=value("vocab_size"),
        context_length=value("context_length"),
        layers=value("block_count"),
        width=value("embedding_length"),
        heads=value("attention.head_count"),
        kv_heads=value("attention.head_count_kv"),
        head_width=value("rope.dimension_count"),
        mlp_width=value("feed_forward_length"),
        rope_base=value("rope.freq_base"),
        norm_epsilon=value("attention.layer_norm_rms_epsilon"),
    )
    return shape, lambda name: dequantize(tensors[name].data, tensors[name].tensor_type)


def convert(gguf_path: Path, source_sha256: str, target: BinaryIO, progress: Callable[[float], None]) -> None:
    """Write the weights of a GGUF, as `write` does."""
    from gguf import GGUFReader

    shape, tensor = gguf_weights(GGUFReader(gguf_path))
    write(shape, tensor, source_sha256, target, progress)


def write(
    shape: Shape,
    tensor: Callable[[str], Floats],
    source_sha256: str,
    target: BinaryIO,
    progress: Callable[[float], None],
) -> None:
    """Write weights to an empty file opened for reading and writing, holding one tensor at a time.

    Args:
        tensor: gives a tensor by its GGUF name without ".weight": in the layout of a GGUF, and in float32.
        source_sha256: of the file or files that they come from.
        progress: called with the share that is written, 0 to 1.

    Raises:
        BadWeights: a tensor has not the shape that the architecture asks for.
    """
    length = file_length(shape)
    target.write(b"\0" * DATA_START)
    for name, size in tensor_shapes(shape).items():
        index, _, part = name.rpartition(".")
        rows = 0
        for source in [f"blk.{index}.{source}" for source in _STACKS[part]] if index else [_TOP[part]]:
            values = tensor(source)
            rows += len(values)
            if values.shape[1:] != size[1:] or rows > size[0]:
                raise BadWeights(f"tensor {source} of the model file has the shape {values.shape}")
            target.write(np.ascontiguousarray(values, "<f4").data)
        if rows != size[0]:
            raise BadWeights(f"tensor {name} of the model file has {rows} rows, not {size[0]}")
        progress(target.tell() / length)

    sums: list[int] = []
    target.seek(DATA_START)
    while block := target.read(BLOCK):
        sums += _sums(np.frombuffer(block, np.uint8))
    header = json.dumps(
        {
            "version": VERSION,
            "source_sha256": source_sha256,
            "length": length,
            "shape": asdict(shape),
            "sums": sums,
        }
    ).encode()
    target.seek(0)
    target.write(
        MAGIC + len(header).to_bytes(4, "little") + zlib.crc32(header).to_bytes(4, "little") + header
    )
    target.flush()
    os.fsync(target.fileno())
    progress(1.0)


def _sums(data: NDArray[np.uint8]) -> list[int]:
    """The checksum of each block of 1 MiB, the last one possibly shorter."""
    words = data.view("<u8")
    step = BLOCK // 8
    return [int(words[at : at + step].sum(dtype=np.uint64)) for at in range(0, len(words), step)]


def read_header(path: Path, source_sha256: str) -> dict[str, Any]:
    """The header of a file of weights.

    Raises:
        BadWeights: it is not one, is of another version or from another source, or has not its own length.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(16)
        size, crc = int.from_bytes(start[8:12], "little"), int.from_bytes(start[12:16], "little")
        header = file.read(min(size, DATA_START))
    if start[:8] != MAGIC or not header or zlib.crc32(header) != crc:
        raise BadWeights("its header is damaged")
    content: dict[str, Any] = json.loads(header)
    if content["version"] != VERSION or content["source_sha256"] != source_sha256:
        raise BadWeights("it was made by another version of Loopscope")
    if path.stat().st_size != content["length"]:
        raise BadWeights(f"it has {path.stat().st_size:,} bytes of {content['length']:,}")
    return content


def open_weights(path: Path, source_sha256: str) -> Weights:
    """Map the file into memory, check all of it, and give its tensors their names. Read-only.

    Raises:
        BadWeights: the file is old, short or corrupted.
        OSError: it cannot be read.
    """
    header = read_header(path, source_sha256)
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    data = np.frombuffer(mapped, np.uint8)[DATA_START:]
    if _sums(data) != header["sums"]:
        raise BadWeights("its content is damaged")
    shape = Shape(**header["shape"])
    tensors: dict[str, Floats] = {}
    at = 0
    for name, size in tensor_shapes(shape).items():
        length = 4 * int(np.prod(size))
        tensors[name] = data[at : at + length].view("<f4").reshape(size)
        at += length
    layers = tuple(
        Layer(**{field.name: tensors[f"{index}.{field.name}"] for field in fields(Layer)})
        for index in range(shape.layers)
    )

    def release() -> None:
        if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            mapped.madvise(mmap.MADV_DONTNEED)

    return Weights(shape, tensors["embedding"], layers, tensors["output_norm"], release)
