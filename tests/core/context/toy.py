"""A tokenizer to count by hand: a control marker, new line, word or other character is one token."""

import re
from collections.abc import Sequence
from typing import NamedTuple

CONTROL = ("<|im_start|>", "<|im_end|>")


class Token(NamedTuple):
    id: int
    start: int
    end: int


class ToyTokenizer:
    """Blanks before a word belong to it, as in byte-level BPE; ids are given in the order of first sight."""

    name = "toy"

    def __init__(self) -> None:
        self._ids = {marker: index for index, marker in enumerate(CONTROL)}

    def encode_with_offsets(self, text: str, special: bool = True) -> Sequence[Token]:
        markers = "|".join(map(re.escape, CONTROL)) + "|" if special else ""
        pattern = markers + r"\n| *\w+| *[^\w\s]| +"
        return [
            # The same characters as ordinary text are another token than the marker, never a shared one.
            Token(self._ids.setdefault(found.group(), len(self._ids)), found.start(), found.end())
            for found in re.finditer(pattern, text)
        ]

    def is_special(self, id: int) -> bool:
        return id < len(CONTROL)

    def id_of(self, word: str) -> int:
        return self._ids[word]
