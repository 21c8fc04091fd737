"""Whether any text under a constraint can ever end, so that a model is not sent on a way without one.

An expression always can, and so can a choice. A schema or a grammar cannot where a part requires itself: its
least fixed point is empty. What cannot be told here counts as something that can end.
"""

import re
from functools import lru_cache
from typing import Any

import llguidance

_STRING, _REGEX = r'"(?:\\.|[^"\\])*"i?', r"/(?:\\.|[^/\\])+/[imslux]*"
_TERMINAL = re.compile(rf"(?://|#)[^\n]*|({_STRING}(?:\s*\.\.\s*{_STRING})?|{_REGEX})")
"""A comment, or what stands for characters (llguidance 1.9, parser/src/lark/lexer.rs)."""

_DIRECTIVE = re.compile(r"^%(?:ignore|llguidance)\b.*$", re.MULTILINE)
_BEYOND = re.compile(r"[&~%<\[]")
"""In what is left: intersections, complements, other languages, special tokens and attributes."""


@lru_cache(maxsize=64)
def grammar_never_ends(lark: str) -> bool:
    """Whether no text of a grammar is finite.

    A rule has a finite text exactly if it has the empty one once every terminal is made empty; so the
    library's own parser tells.
    """
    emptied = _TERMINAL.sub(lambda found: '""' if found[1] else "", _DIRECTIVE.sub("", lark))
    if _BEYOND.search(emptied):
        return False
    state = llguidance.LLMatcher(_bytes(), llguidance.LLMatcher.grammar_from_lark(emptied), log_level=0)
    return not state.is_error() and not state.is_accepting()


def schema_never_ends(schema: Any) -> bool:
    """Whether no value of a checked JSON schema is finite."""
    finite: set[int] = set()
    parts = objects_in(schema)
    while fresh := {id(part) for part in parts if id(part) not in finite and _ends(part, schema, finite)}:
        finite |= fresh
    return isinstance(schema, dict) and id(schema) not in finite


def objects_in(value: Any) -> list[dict[str, Any]]:
    """All objects in a JSON value, itself included."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    here = [value] if isinstance(value, dict) else []
    return here + [part for entry in inner for part in objects_in(entry)]


def _ends(part: dict[str, Any], root: Any, finite: set[int]) -> bool:
    """Whether a part has a finite value if those in `finite` have one. It may be no schema: data, say."""

    def known(other: Any) -> bool:
        return not isinstance(other, dict) or id(other) in finite

    if not all(map(known, [_target(part.get("$ref"), root), *_list(part, "allOf")])):
        return False
    for choices in (_list(part, "anyOf"), _list(part, "oneOf")):
        if choices and not any(map(known, choices)):
            return False
    needed = {"object": _least_members, "array": _least_items}
    kinds = _list(part, "type") or [part.get("type")]
    return any(kind not in needed or all(map(known, needed[kind](part))) for kind in map(str, kinds))


def _least_members(part: dict[str, Any]) -> list[Any]:
    """The schemas that the members of the smallest object have to fit."""
    named = part.get("properties")
    return [named.get(str(key)) for key in _list(part, "required")] if isinstance(named, dict) else []


def _least_items(part: dict[str, Any]) -> list[Any]:
    """The schemas that the items of the shortest list have to fit."""
    least, first = part.get("minItems"), _list(part, "prefixItems")
    if not isinstance(least, int | float):
        return []
    return [*first[: int(least)], *([part.get("items")] if least > len(first) else [])]


def _list(part: dict[str, Any], key: str) -> list[Any]:
    value = part.get(key)
    return value if isinstance(value, list) else []


def _target(reference: Any, root: Any) -> Any:
    """What a local reference names (RFC 6901); `None` for another one, or none."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    place = root
    for step in filter(None, reference[1:].split("/")):
        key = step.replace("~1", "/").replace("~0", "~")
        place = place.get(key) if isinstance(place, dict) else None
    return place


@lru_cache(maxsize=1)
def _bytes() -> llguidance.LLTokenizer:
    return llguidance.LLTokenizer("byte")
