"""The parts of a context. The one list that rendering, counting and drawing share."""

from collections.abc import Mapping
from enum import StrEnum


class Part(StrEnum):
    """What a stretch of the context belongs to, in the order in which screens list the parts."""

    SYSTEM = "system prompt"
    TOOLS = "tool schemas"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL_CALL = "tool call"
    TOOL_RESULT = "tool result"
    RETRIEVED = "retrieved"
    MEMORY = "memory"
    TEMPLATE = "template"


CONTENT_PARTS: Mapping[str, Part] = {
    "system": Part.SYSTEM,
    "user": Part.USER,
    "assistant": Part.ASSISTANT,
    "tool": Part.TOOL_RESULT,
}
"""Whose the content of a message is, by its role."""
