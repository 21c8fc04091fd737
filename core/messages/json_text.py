"""JSON text inside a rendered prompt: written as chat templates write it.

Hugging Face transformers replaces Jinja's `tojson` (which escapes < > & ' and sorts keys) by `json.dumps`
without ASCII escapes (transformers, utils/chat_template_utils.py). Ours writes the same text; in addition it
can enclose chosen values in marks, from which `render` learns who owns which character.
"""

import json
from collections.abc import Callable
from typing import Any

Mark = Callable[[object, str], str]
"""Given a value and its JSON text, the text to write."""


def dumps(
    value: Any,
    *,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
    mark: Mark | None = None,
) -> str:
    """`json.dumps` with the defaults of transformers' `tojson`, and with marks.

    Raises:
        TypeError: a value that JSON cannot express.
    """
    between, colon = separators or (", " if indent is None else ",", ": ")

    def scalar(value: object) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii)

    def key(name: object) -> str:
        # json.dumps decides how a key that is no string is spelt.
        return scalar(name) if isinstance(name, str) else scalar({name: 0})[1 : -len(": 0}")]

    def enclosed(opening: str, items: list[str], closing: str, level: int) -> str:
        if not items:
            return opening + closing
        if indent is None:
            return opening + between.join(items) + closing
        newline = "\n" + " " * indent * (level + 1)
        return opening + newline + (between + newline).join(items) + "\n" + " " * indent * level + closing

    def text(value: Any, level: int) -> str:
        if isinstance(value, dict):
            items = sorted(value.items()) if sort_keys else value.items()
            written = enclosed(
                "{", [key(name) + colon + text(member, level + 1) for name, member in items], "}", level
            )
        elif isinstance(value, list | tuple):
            written = enclosed("[", [text(member, level + 1) for member in value], "]", level)
        else:
            written = scalar(value)
        return mark(value, written) if mark else written

    return text(value, 0)
