"""A tool's schema that a person writes into fields.

What can take for ever is refused, for on a class server everybody would wait.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.agent.tools import well_formed
from core.agent.validation import schema_problems
from core.errors import InputError
from core.messages import ToolSchema, strict_json

LONGEST = 8_000
"""Characters of the parameters."""

LONGEST_DESCRIPTION = 2_000
"""Characters."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""OpenAI API reference, "Create chat completion", the name of a function."""

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
"""Nested in each other, `jsonschema` needs exponential time for them."""

_FIXED = re.compile(r"\{\d+\}")
_VARIABLE = re.compile(r"[*+?|]|\{\d*,\d*\}")


def read_schema(name: str, description: str, parameters: str) -> ToolSchema:
    """The schema of a tool whose parameters are given as JSON text.

    Raises:
        InputError: an impossible name, text that is not JSON, or JSON that is no schema of arguments.
    """
    if not _NAME.fullmatch(name):
        raise InputError("A tool's name has 1 to 64 letters, digits, _ or -, and no spaces: get_weather.")
    if len(description) > LONGEST_DESCRIPTION:
        raise InputError(f"The description is longer than {LONGEST_DESCRIPTION:,} characters: shorten it.")
    if len(parameters) > LONGEST:
        raise InputError(f"The parameters are longer than {LONGEST:,} characters: shorten them.")
    try:
        value = strict_json.parse(parameters)
    except strict_json.JSONFault as fault:
        raise InputError(f"The parameters are not JSON: {fault}.") from fault
    if not isinstance(value, dict) or value.get("type") != "object":
        raise InputError('The parameters must describe an object: {"type": "object", "properties": {…}}.')
    for keyword, argument in _keywords(value):
        if keyword in _REFERENCES:
            raise InputError(f"References are not read here: write what {keyword} points to in its place.")
        if keyword in _UNEVALUATED:
            raise InputError(f"{keyword} is not read here: use additionalProperties, or prefixItems.")
        if keyword == "pattern" and isinstance(argument, str):
            _check_pattern(argument)
    schema = ToolSchema(name=name, description=well_formed(description), parameters=value)
    schema_problems({}, schema)  # raises where it is no JSON Schema
    return schema


def parameters_text(schema: ToolSchema) -> str:
    """The parameters of a tool as JSON that is read and edited easily; `read_schema` reads it."""
    return json.dumps(schema.parameters, indent=2, ensure_ascii=False)


def _keywords(schema: Any) -> Iterator[tuple[str, Any]]:
    """Every key of a schema with its value, properties that happen to be called so included."""
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            yield key, value
            if key == "patternProperties" and isinstance(value, Mapping):
                yield from (("pattern", pattern) for pattern in value)
            yield from _keywords(value)
    elif isinstance(schema, list):
        for member in schema:
            yield from _keywords(member)


def _check_pattern(pattern: str) -> None:
    """Refuse a pattern that is none, or that leaves the matcher more than one thing to try in several ways.

    Raises:
        InputError: it is one of these.
    """
    try:
        re.compile(pattern)
    except re.error as error:
        raise InputError(f"The pattern {pattern!r} is no regular expression: {error}.") from error
    variable = len(_VARIABLE.findall(pattern))
    if variable > 1 or (variable == 1 and _FIXED.search(pattern)):
        raise InputError(f"The pattern {pattern!r} could take very long: use one of * + ? | at most.")
