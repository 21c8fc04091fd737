"""A call's arguments where a provider takes an object instead of the text that the model sampled."""

from typing import Any

from core.errors import InputError
from core.messages import strict_json
from core.messages.dialects.reading import arguments_text
from core.messages.types import ToolCall


def as_object(call: ToolCall, provider: str) -> dict[str, Any]:
    """The decoded arguments; no arguments are an empty object.

    Raises:
        InputError: they are no JSON object, or one that names a key twice.
    """
    value = decoded(call.arguments)
    if value is None:
        raise InputError(
            f"{provider} takes a tool call's arguments only as a JSON object, and those of {call.name} are "
            "none: mend them, or leave the call out."
        )
    return value


def decoded(arguments: str) -> dict[str, Any] | None:
    """The object that arguments stand for, `None` where they stand for none."""
    if not arguments.strip():
        return {}
    try:
        value = strict_json.parse(arguments)
    except strict_json.JSONFault:
        return None
    return value if isinstance(value, dict) else None


def keeps_spelling(arguments: str) -> bool:
    """Whether the text comes back unchanged from the object that it stands for."""
    value = decoded(arguments)
    return value is not None and arguments_text(value) == arguments
