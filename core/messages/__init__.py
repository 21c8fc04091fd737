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
from core.messages.wire import DIALECTS, from_wire, to_wire, tools_from_wire
from core.messages.wire_losses import Loss, losses

__all__ = [
    "DIALECTS",
    "TEMPLATES",
    "AssistantMessage",
    "Loss",
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
    "from_wire",
    "losses",
    "render",
    "template_text",
    "to_wire",
    "tools_from_wire",
]
