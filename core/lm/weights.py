"""The model's weights on disk: read once from the GGUF, written as plain float32, opened memory-mapped.

The file: 8 bytes of magic, the length and the CRC-32 of a header (4 bytes each, little endian), the header as
JSON, and from byte 65,536 on the tensors one after another. The header holds the format's version, the
SHA-256 of the GGUF, the length of the whole file and one checksum per block of 1 MiB, so that `open_weights`
notices an old, a short and a corrupted file. The checksum is the sum of the block's 64-bit words modulo 2^64:
it finds every flipped bit and every lost page, and at memory speed, so that each start can afford to check
all of the file.
"""

import json
import mmap
import os
import zlib
from collections.abc import Callable, Iterator
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


def read_shape(gguf_path: Path) -> Shape:
    """The architecture that a GGUF describes."""
    from gguf import GGUFReader

    return _shape(GGUFReader(gguf_path))


def _shape(reader: Any) -> Shape:
    def value(key: str) -> Any:
        return reader.fields[f"llama.{key}"].contents()

    return Shape(
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


def convert(gguf_path: Path, source_sha256: str, target: BinaryIO, progress: Callable[[float], None]) -> None:
    """Write the weights of a GGUF to an empty file opened for reading and writing, one tensor at a time.

    Args:
        progress: called with the share that is written, 0 to 1.
    """
    from gguf import GGUFReader, dequantize  # imported here: only the conversion needs it

    reader = GGUFReader(gguf_path)
    tensors = {tensor.name.removesuffix(".weight"): tensor for tensor in reader.tensors}
    shape = _shape(reader)

    def values(name: str) -> Iterator[Floats]:
        index, _, part = name.rpartition(".")
        names = [f"blk.{index}.{source}" for source in _STACKS[part]] if index else [_TOP[part]]
        for source in names:
            yield dequantize(tensors[source].data, tensors[source].tensor_type)

    length = file_length(shape)
    sums: list[int] = []
    pending = b""
    target.write(b"\0" * DATA_START)
    for name, size in tensor_shapes(shape).items():
        stacked = np.concatenate(list(values(name)))
        if stacked.shape != size:
            raise BadWeights(f"tensor {name} of the model file has shape {stacked.shape}, not {size}")
        data = pending + stacked.astype("<f4", copy=False).tobytes()
        whole = len(data) // BLOCK * BLOCK
        sums += _sums(np.frombuffer(data, np.uint8, whole))
        pending = data[whole:]
        target.write(data[:whole])
        progress(target.tell() / length)
    sums += _sums(np.frombuffer(pending, np.uint8))
    target.write(pending)

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


_TOP = {"embedding": "token_embd", "output_norm": "output_norm"}


def _sums(data: NDArray[np.uint8]) -> list[int]:
    """The checksum of each block of 1 MiB, the last one possibly shorter."""
    words = data.view("<u8")
    step = BLOCK // 8
    return [int(words[at : at + step].sum(dtype=np.uint64)) for at in range(0, len(words), step)]


def read_header(path: Path, source_sha256: str) -> dict[str, Any]:
    """The header of a file of weights.

    Raises:
        BadWeights: it is not one, is of another version or from another GGUF, or has not its own length.
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
