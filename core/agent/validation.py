"""The three checks of a tool call before any tool code runs: JSON, tool, schema.

Every verdict is a sentence that goes back to the model as the result of the call, so it says where the fault
is and what would be right.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import referencing.exceptions
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from referencing import Registry

from core.agent.repair import python_literal, unfenced
from core.agent.tools import Tool
from core.errors import InputError
from core.messages import strict_json
from core.messages.chat_dialect import ToolLike, as_tool_call, as_tool_schema
from core.messages.types import ToolCall, ToolSchema
from core.trace import Validation

CHECKS = {"json": "valid JSON", "tool": "tool exists", "schema": "conforms to its schema"}
"""The three checks by their stage, in order, as every screen calls them."""

MOST_PROBLEMS = 5
"""How many faults a verdict lists: enough to repair a call in one go, without flooding the context."""


def validate_call(
    call: ToolCall | Mapping[str, Any], tools: Sequence[Tool | ToolLike], *, repair: bool = False
) -> Validation:
    """Whether a tool call is well-formed. Whether it is permitted is another question: `core.agent.policy`.

    Empty arguments mean `{}`. Nothing is renamed or dropped: a null is a null, and `Search` is not `search`.
    A code fence around the arguments is taken off, which changes no character of them; the verdict says so.

    Args:
        call: a typed call, or a dict of the OpenAI chat dialect.
        tools: the tools that were advertised.
        repair: whether arguments that are no JSON are read as a Python literal, if they are a whole one. The
            verdict says so. A call that was cut off is none, and stays unreadable.

    Raises:
        InputError: what was given is no call or no tools; or a tool's own schema is not a JSON Schema (draft
            2020-12).
    """
    call, schemas = _as_call(call), _schemas(tools)
    arguments: Any = {}
    repaired = ""
    if call.arguments.strip():
        try:
            arguments, repaired = _parsed(call.arguments, repair)
        except strict_json.JSONFault as fault:
            return Validation(ok=False, stage="json", message=f"invalid JSON in the arguments: {fault}")
    if call.name not in schemas:
        available = ", ".join(sorted(schemas)) or "none"
        return Validation(
            ok=False, stage="tool", message=f"unknown tool '{call.name}', available: {available}"
        )
    if not isinstance(arguments, dict):
        found = f"the arguments must be a JSON object, not {_json(arguments)}"
        return Validation(ok=False, stage="schema", message=f"invalid arguments for {call.name}: {found}")
    problems = schema_problems(arguments, schemas[call.name])
    if problems:
        listed = "; ".join(problems[:MOST_PROBLEMS])
        more = f"; and {len(problems) - MOST_PROBLEMS} more" if len(problems) > MOST_PROBLEMS else ""
        return Validation(
            ok=False, stage="schema", message=f"invalid arguments for {call.name}: {listed}{more}"
        )
    return Validation(ok=True, arguments=arguments, repaired=repaired)


def _parsed(text: str, repair: bool) -> tuple[Any, str]:
    """The arguments, and what was done to read them. JSON comes first, so that nothing valid is changed."""
    try:
        return strict_json.parse(text), ""
    except strict_json.JSONFault as error:
        fault = error
    inside, done = unfenced(text), "A code fence was taken off."
    if inside is None:
        inside, done = text, ""
    elif not inside.strip():
        raise strict_json.JSONFault("nothing inside the code fence", text, 0)
    else:
        with suppress(strict_json.JSONFault):
            return strict_json.parse(inside), done
    if repair:
        literal = "A Python literal was read in place of JSON."
        with suppress(ValueError):
            return python_literal(inside), f"{done} {literal}".strip()
    raise fault


def schema_problems(arguments: Mapping[str, Any], schema: ToolSchema) -> list[str]:
    """What is wrong with the arguments, each with its path from the root `$`; empty if they conform.

    Raises:
        InputError: the tool's own schema is not a JSON Schema.
    """
    validator = _validator(json.dumps(schema.parameters), schema.name)
    try:
        errors = sorted(validator.iter_errors(arguments), key=lambda error: error.json_path)
    except (referencing.exceptions.Unresolvable, RecursionError) as error:
        raise InputError(
            f"The schema of the tool {schema.name!r} refers to something that is not there."
        ) from error
    # Of a failed anyOf only the innermost error says which field is wrong.
    return [problem for error in errors for problem in _sentences(best_match([error]) or error)]


@lru_cache(maxsize=256)
def _validator(parameters: str, name: str) -> Draft202012Validator:
    schema = json.loads(parameters)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise InputError(
            f"The parameters of the tool {name!r} are not a JSON Schema: {error.message}"
        ) from error
    # An empty registry: a reference to another document is never fetched.
    return Draft202012Validator(schema, registry=Registry())


def _sentences(error: ValidationError) -> Iterator[str]:
    path = error.json_path
    given: Any = error.instance
    demanded: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "required":
            for name in demanded:
                if name not in given:
                    yield f"{path}.{name} is missing"
        case "additionalProperties" if demanded is False:
            known = schema.get("properties", {})
            for name in given:
                if name not in known:
                    allowed = ", ".join(known) or "none"
                    yield f"{path}.{name} is not a known property, those are: {allowed}"
        case "enum":
            yield f"{path} is {_json(given)}, but must be one of {', '.join(map(_json, demanded))}"
        case "const":
            yield f"{path} is {_json(given)}, but must be {_json(demanded)}"
        case "type":
            types = demanded if isinstance(demanded, str) else " or ".join(demanded)
            yield f"{path} is {_json(given)}, but must be of type {types}"
        case _:
            yield f"{path}: {error.message}"


def _as_call(call: ToolCall | Mapping[str, Any]) -> ToolCall:
    if not isinstance(call, ToolCall | Mapping):
        raise InputError(f"A tool call must be a ToolCall or a dict, not {type(call).__name__}.")
    return as_tool_call(call)


def _schemas(tools: Sequence[Tool | ToolLike]) -> dict[str, ToolSchema]:
    if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Iterable):
        raise InputError(f"The tools must be a list of tools, not {type(tools).__name__}.")
    schemas = {}
    for tool in tools:
        if not isinstance(tool, Tool | ToolSchema | Mapping):
            raise InputError(f"A tool must be a Tool, a ToolSchema or a dict, not {type(tool).__name__}.")
        schema = tool.schema if isinstance(tool, Tool) else as_tool_schema(tool)
        schemas[schema.name] = schema
    return schemas


def _json(value: object) -> str:
    """The value as the model wrote it, shortened where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
