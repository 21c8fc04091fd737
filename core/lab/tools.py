"""The tool screen as code: a call and its three checks."""

from collections.abc import Iterator, Sequence
from typing import Any

from core.errors import InputError
from core.lab.lab import Lab, lab
from core.lab.python import given
from core.messages.types import ToolCall, ToolSchema
from core.trace import Validation

CHECKED = {"type", "enum", "minimum", "maximum", "required", "properties", "additionalProperties", "items"}
"""The keywords that the lesson's checker knows."""

REMARKS = {"title", "description", "default", "examples", "$schema", "$comment"}
"""Keywords that allow and forbid nothing."""


def tools_lab(call: ToolCall, tools: Sequence[ToolSchema], verdict: Validation, repair: bool) -> Lab:
    """A call on its way through the checks.

    Args:
        call: what the model asked for.
        tools: what was advertised.
        verdict: what the runtime made of the call.
        repair: whether Python literals are read as well.

    Raises:
        InputError: no check was made, since the reply was cut off, or the tool's schema says what the short
            checker does not know.
    """
    if not verdict.ok and verdict.stage is None:
        raise InputError("The reply was cut off, so no check is made, and there is nothing to compute.")
    called = [tool for tool in tools if tool.name == call.name]
    for tool in called:
        unknown = sorted(set(_keywords(tool.parameters)) - CHECKED - REMARKS)
        if unknown:
            raise InputError(
                f"The short checker knows {', '.join(sorted(CHECKED))}. "
                f"This schema has {', '.join(unknown)} too."
            )
    schemas = {tool.name: _bare(tool.parameters) if tool in called else {} for tool in tools}
    state = "\n".join(
        [
            given(name=call.name, arguments=call.arguments),
            "# What was advertised; the schemas of the tools that are not called are left out.",
            given(tools=schemas),
            f"read_python_too = {repair}",
        ]
    )
    return lab("tools", state, state, given(screen=None if verdict.ok else verdict.stage))


def _keywords(schema: Any) -> Iterator[str]:
    """The keywords of a schema and of those within it. A `type` of several types counts as one not known."""
    if not isinstance(schema, dict):
        return
    yield from schema
    if not isinstance(schema.get("type", ""), str):
        yield "several types"
    if isinstance(schema.get("additionalProperties"), dict):
        yield "additionalProperties as a schema"
    for inner in (*_values(schema.get("properties")), schema.get("items")):
        yield from _keywords(inner)


def _values(properties: Any) -> tuple[Any, ...]:
    return tuple(properties.values()) if isinstance(properties, dict) else ()


def _bare(schema: Any) -> Any:
    """The schema without its remarks."""
    if not isinstance(schema, dict):
        return schema
    bare = {key: value for key, value in schema.items() if key not in REMARKS}
    if "properties" in bare:
        bare["properties"] = {name: _bare(inner) for name, inner in bare["properties"].items()}
    if "items" in bare:
        bare["items"] = _bare(bare["items"])
    return bare
