"""Careful reading of JSON that anybody may have written: every function takes any value."""

import json
from collections.abc import Mapping
from typing import Any

from core.messages.reply import Usage
from core.traces.lenient_json import INCOMPLETE

MOST_TOKENS = 2**53
"""Larger counts are not counts: JavaScript, which draws them, would round."""


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [item for item in items(value) if isinstance(item, dict)]


def is_whole(told: Mapping[str, Any]) -> bool:
    """Whether an object is not the one in which the file breaks off."""
    return INCOMPLETE not in told


def text(value: object) -> str:
    """A text as it stands, null as the empty text, everything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else as_json(value)


def as_json(value: object) -> str:
    """JSON text with its characters unescaped, as models write it."""
    return json.dumps(value, ensure_ascii=False)


def first_text(source: Mapping[str, Any], *keys: str) -> str:
    """The first of these keys that holds a text which is not empty; else the empty text."""
    return next((source[key] for key in keys if isinstance(source.get(key), str) and source[key]), "")


def count(value: object) -> int | None:
    """A number of tokens, also if it is written as a text (OTLP does so) or as a float."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 17:
        value = int(value)
    if isinstance(value, float) and 0 <= value < MOST_TOKENS and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS:
        return value
    return None


def usage_of(source: object) -> Usage:
    """Token counts under any of the names that servers and harnesses give them.

    Anthropic counts what the cache wrote and served beside `input_tokens`; the whole input is their sum.
    Inspect keeps each provider's own habit, but its `total_tokens` is always input + output.
    """
    told = mapping(source)
    found = [
        number
        for key in ("input_tokens", "prompt_tokens", "prompt_eval_count", "inputTokens", "promptTokens")
        if (number := count(told.get(key))) is not None
    ]
    written = [
        number
        for key in ("output_tokens", "completion_tokens", "eval_count", "outputTokens", "completionTokens")
        if (number := count(told.get(key))) is not None
    ]
    whole = found[0] if found else None
    output = written[0] if written else None
    if whole is not None:
        whole += count(told.get("cache_read_input_tokens")) or 0
        whole += count(told.get("cache_creation_input_tokens")) or 0
    total = count(told.get("total_tokens"))
    if total is not None and output is not None and "input_tokens_cache_read" in told and total >= output:
        whole = total - output
    return Usage(input_tokens=whole, output_tokens=output)
