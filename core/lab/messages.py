"""The messages screen as code: the pairing of a conversation, and the text that a template makes of it."""

import json
from collections.abc import Sequence
from typing import Any

from core.context import TokenCounter, assemble
from core.context.assemble import Tokenizer
from core.lab.lab import Lab, lab
from core.lab.python import given
from core.messages import (
    AssistantMessage,
    Message,
    Part,
    ToolResultMessage,
    ToolSchema,
    check_pairing,
    to_wire,
)
from core.messages.templates import template_name
from core.trace import Segment

PAIRING = ("no result", "no call", "second result")  # the faults that the lesson looks for


def messages_lab(
    messages: Sequence[Message], tools: Sequence[ToolSchema], template: str, tokenizer: Tokenizer
) -> Lab:
    """A conversation and its text.

    Args:
        messages: the conversation.
        tools: what is advertised.
        template: a name or the text of a Jinja template; the code writes ChatML, and of the others it has
            the text.
        tokenizer: counts the tokens.

    Raises:
        InputError: the template refuses the conversation.
    """
    segments = assemble(messages, tools, TokenCounter(tokenizer, template))
    pieces = [(_owner(segment), segment.tokens, segment.text) for segment in segments if segment.text]
    schemas = to_wire([], tools, "openai-chat").get("tools", [])
    brief = given(
        messages=[_written(message) for message in messages], tools=schemas, template=template_name(template)
    )
    text = "# The text of the screen, in pieces: whose each is, its tokens, and the piece."
    return lab(
        "messages",
        brief=brief,
        whole=f"{brief}\n{text}\n{given(pieces=pieces)}",
        screen=given(
            screen_faults=[problem.index for problem in check_pairing(messages) if problem.kind in PAIRING],
            screen_tokens=sum(segment.tokens or 0 for segment in segments),
        ),
    )


def _owner(segment: Segment) -> str:
    if segment.message is not None:
        return f"message {segment.message}"
    return "tool schemas" if segment.part is Part.TOOLS else "template"


def _written(message: Message) -> dict[str, Any]:
    match message:
        case AssistantMessage(content=text, tool_calls=calls):
            asked = [
                {"id": call.id, "name": call.name, "arguments": _arguments(call.arguments)} for call in calls
            ]
            return {"role": "assistant", "content": text, **({"calls": asked} if asked else {})}
        case ToolResultMessage(tool_call_id=id_, content=text):
            return {"role": "tool", "id": id_, "content": text}
        case _:
            return {"role": message.role, "content": message.content}


def _arguments(text: str) -> Any:
    """The arguments as an object, where they are one."""
    try:
        value = json.loads(text.strip() or "{}")
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text
