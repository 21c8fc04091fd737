"""OpenAI's Chat Completions, `POST /v1/chat/completions`, and the servers that speak it.

Source: OpenAI API reference, "Create chat completion"; for `reasoning_content`, which OpenAI's own models do
not give, the servers of llama.cpp and DeepSeek.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.messages.chat_dialect import as_messages
from core.messages.dialects.reading import Object, a_list, an_object
from core.messages.types import AssistantMessage, Message, ToolResultMessage, ToolSchema


def write(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """`messages` and, where there are any, `tools`."""
    body: dict[str, Any] = {"messages": [_message(message) for message in messages]}
    return body | ({"tools": [write_tool(tool) for tool in tools]} if tools else {})


def write_tool(tool: ToolSchema) -> dict[str, Any]:
    """A tool schema in the nested form."""
    described = {"description": tool.description} if tool.description else {}
    return {
        "type": "function",
        "function": {"name": tool.name, **described, "parameters": tool.parameters},
    }


def read(body: Object | Sequence[Any]) -> list[Message]:
    """A request, a reply (`choices`, of which the first counts), a message, or a list of messages."""
    return list(as_messages(_messages(body)))


def _messages(body: Object | Sequence[Any]) -> Sequence[Any]:
    if not isinstance(body, Mapping):
        return a_list(body, "A conversation")
    if "choices" in body:
        choices = a_list(body["choices"], "The choices")
        choice = an_object(choices[0] if choices else None, "The first choice")
        return [{"role": "assistant", **an_object(choice.get("message"), "The message of a choice")}]
    if "messages" in body:
        return a_list(body["messages"], "The messages")
    return [{"role": "assistant", **body} if "tool_calls" in body else body]


def _message(message: Message) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "content": message.content}
    match message:
        case AssistantMessage(thinking=thinking, tool_calls=calls):
            if thinking:
                written["reasoning_content"] = thinking
            if calls:
                written["content"] = message.content or None
                written["tool_calls"] = [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments},
                    }
                    for call in calls
                ]
        case ToolResultMessage(tool_call_id=id_, name=name):
            written = {"role": "tool", "tool_call_id": id_, **({"name": name} if name else {})}
            written["content"] = message.content
    return written
