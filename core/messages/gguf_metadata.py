"""The keys and values at the head of a GGUF.

The `gguf` package reads them too, but makes arrays of every token of the vocabulary: 10 s for 49,000 tokens,
where this takes 0.1 s. Format: docs/gguf.md of ggml, "File Structure"; little-endian, versions 2 and 3.
"""

import mmap
import struct
from collections.abc import Container
from pathlib import Path
from typing import Any

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST_ITEMS = 2_000_000  # of an array; the largest vocabularies have 262,144 tokens


def read_gguf(path: Path, keys: Container[str]) -> dict[str, Any]:
    """The values of some keys; a key that the file lacks is left out.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no GGUF, or ends too early.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        cursor = _Cursor(data)
        magic, version = cursor.take("4s"), cursor.take("I")
        if magic != b"GGUF" or version not in (2, 3):
            raise ValueError("no GGUF of version 2 or 3")
        _tensors, count = cursor.take("Q"), cursor.take("Q")
        found = {}
        for _ in range(count):
            key = cursor.string()
            value = cursor.value(cursor.take("I"))
            if key in keys:
                found[key] = value
        return found


class _Cursor:
    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._place = 0

    def take(self, code: str) -> Any:
        try:
            (value,) = struct.unpack_from(f"<{code}", self._data, self._place)
        except struct.error:
            raise ValueError("it ends too early") from None
        self._place += struct.calcsize(f"<{code}")
        return value

    def string(self) -> str:
        length = self.take("Q")
        start, self._place = self._place, self._place + length
        if self._place > len(self._data):
            raise ValueError("it ends too early")
        return self._data[start : self._place].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind in _SCALARS:
            return self.take(_SCALARS[kind])
        if kind != _ARRAY:
            raise ValueError(f"a value of unknown type {kind}")
        item, count = self.take("I"), self.take("Q")
        if count > _MOST_ITEMS:
            raise ValueError(f"an array of {count} items")
        if item == _STRING:
            return [self.string() for _ in range(count)]
        if item in _SCALARS:
            size = struct.calcsize(f"<{_SCALARS[item]}")
            values = self._data[self._place : self._place + count * size]
            if len(values) < count * size:
                raise ValueError("it ends too early")
            self._place += count * size
            return list(struct.unpack(f"<{count}{_SCALARS[item]}", values))
        raise ValueError("an array of arrays")
