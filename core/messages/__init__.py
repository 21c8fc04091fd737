"""Messages: their types, the chat templates that write them as one text, and who owns each character of
it."""

from core.messages.pairing import Problem, check_pairing
from core.messages.parts import Part
from core.messages.render import Owner, Rendered, Span, render
from core.messages.reply import TokenChoice, Usage
from core.messages.templates import TEMPLATES, template_text
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)

__all__ = [
    "TEMPLATES",
    "AssistantMessage",
    "Message",
    "Owner",
    "Part",
    "Problem",
    "Rendered",
    "Span",
    "SystemMessage",
    "TokenChoice",
    "ToolCall",
    "ToolResultMessage",
    "ToolSchema",
    "Usage",
    "UserMessage",
    "check_pairing",
    "render",
    "template_text",
]
