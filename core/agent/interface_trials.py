"""Calls that are wrong in one place each, made from one that is right, and what a schema says of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.agent.validation import schema_problems
from core.messages.types import ToolSchema
from core.values import Value


class Trial(Value):
    """A call that is wrong in one place: whether the schema refuses it, and with which words."""

    fault: str
    refused: bool
    why: str


def trials(schema: ToolSchema, right: Mapping[str, Any]) -> Iterator[Trial]:
    """Try wrong calls.

    Args:
        schema: the tool.
        right: arguments that its schema takes.
    """
    required = schema.parameters.get("required") or []
    for name, value in right.items():
        if name in required:
            yield _trial(schema, f"{name} left out", {k: v for k, v in right.items() if k != name})
        for fault, wrong in _wrong(value):
            yield _trial(schema, f"{name} {fault}", {**right, name: wrong})
    yield _trial(schema, "a field too many", {**right, "made_up_by_the_model": True})


def _wrong(value: object) -> Iterator[tuple[str, object]]:
    yield "null", None
    match value:
        case bool():
            yield "a text", "yes"
        case int() | float():
            yield "a text", str(value)
            yield "minus a million", -1_000_000
        case str():
            yield "a number", 7
            yield "empty", ""
            yield "a question mark", "?"
        case _:
            yield "a text", "yes"


def _trial(schema: ToolSchema, fault: str, arguments: Mapping[str, Any]) -> Trial:
    problems = schema_problems(arguments, schema)
    return Trial(fault=fault, refused=bool(problems), why="; ".join(problems))
