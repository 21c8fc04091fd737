"""Messages: their types, the chat templates that write them as one text, and who owns each character of
it."""

from core.messages.call_ids import is_nine_characters, with_nine_character_ids
from core.messages.markers import Marker, Piece, find_markers, read_by_owner, read_by_text, template_markers
from core.messages.pairing import Pair, Problem, check_pairing, pairs, repaired
from core.messages.parts import Part
from core.messages.react import DialectLoss, Line, dialect_losses, react_lines
from core.messages.refusals import Refusal, refusals
from core.messages.render import render
from core.messages.rendered import Owner, Rendered, Span
from core.messages.reply import TokenChoice, Usage
from core.messages.template_files import template_of
from core.messages.templates import TEMPLATES, TemplateRefusal, template_text
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
    "DialectLoss",
    "Line",
    "Loss",
    "Marker",
    "Message",
    "Owner",
    "Pair",
    "Part",
    "Piece",
    "Problem",
    "Refusal",
    "Rendered",
    "Span",
    "SystemMessage",
    "TemplateRefusal",
    "TokenChoice",
    "ToolCall",
    "ToolResultMessage",
    "ToolSchema",
    "Usage",
    "UserMessage",
    "check_pairing",
    "dialect_losses",
    "find_markers",
    "from_wire",
    "is_nine_characters",
    "losses",
    "pairs",
    "react_lines",
    "read_by_owner",
    "read_by_text",
    "refusals",
    "render",
    "repaired",
    "template_markers",
    "template_of",
    "template_text",
    "to_wire",
    "tools_from_wire",
    "with_nine_character_ids",
]
