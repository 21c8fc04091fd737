"""Messages as Ollama's chat API takes them: tool arguments as an object, where OpenAI has a string."""

import json
from typing import Any

from core.errors import InputError
from core.messages.types import AssistantMessage, Message, ToolCall, ToolResultMessage


def as_ollama(message: Message) -> dict[str, Any]:
    """One message of `/api/chat`.

    Raises:
        InputError: the arguments of a tool call are no JSON object, and Ollama takes nothing else.
    """
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    match message:
        case AssistantMessage(tool_calls=calls) if calls:
            return plain | {"tool_calls": [_call(call) for call in calls]}
        case ToolResultMessage(tool_call_id=id_, name=name):
            return plain | {"tool_call_id": id_} | ({"tool_name": name} if name else {})
    return plain


def _call(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise InputError(
            f"Ollama takes a tool call's arguments only as a JSON object, and those of {call.name} are none: "
            "mend them, or leave the call out."
        )
    return {"id": call.id, "function": {"name": call.name, "arguments": arguments}}
