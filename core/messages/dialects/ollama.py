"""Ollama's `POST /api/chat`: arguments are an object, and ids are there since 0.12.10 only.

Servers without ids, and many templates, pair results with calls by their order. So the results of a turn are
written in the order of its calls, each with the name of its tool. Source: Ollama,
docs/api.md and api/types.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.messages.chat_dialect import as_messages
from core.messages.dialects.arguments import as_object
from core.messages.dialects.openai_chat import write_tool as as_ollama_tool
from core.messages.dialects.reading import Object, a_list, an_object, with_ids, with_names
from core.messages.types import AssistantMessage, Message, ToolCall, ToolResultMessage, ToolSchema


def write(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """`messages` and, where there are any, `tools`.

    Raises:
        InputError: the arguments of a call are no JSON object, and Ollama takes nothing else.
    """
    body: dict[str, Any] = {"messages": as_ollama_messages(messages)}
    return body | ({"tools": [as_ollama_tool(tool) for tool in tools]} if tools else {})


def as_ollama_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """A conversation, with the results of a turn in the order of its calls.

    Raises:
        InputError: the arguments of a call are no JSON object, and Ollama takes nothing else.
    """
    return [as_ollama(message) for message in in_call_order(with_names(with_ids(messages)))]


def as_ollama(message: Message) -> dict[str, Any]:
    """One message.

    Raises:
        InputError: the arguments of a call are no JSON object, and Ollama takes nothing else.
    """
    written: dict[str, Any] = {"role": message.role, "content": message.content}
    match message:
        case AssistantMessage(thinking=thinking, tool_calls=calls):
            if thinking:
                written["thinking"] = thinking
            if calls:
                written["tool_calls"] = [_call(call) for call in calls]
        case ToolResultMessage(tool_call_id=id_, name=name):
            written |= {"tool_call_id": id_} if id_ else {}
            written |= {"tool_name": name} if name else {}
    return written


def read(body: Object | Sequence[Any]) -> list[Message]:
    """A request, a reply (`message`), a message, or a list of messages."""
    return list(as_messages(_messages(body)))


def in_call_order(messages: Sequence[Message]) -> list[Message]:
    """The results behind an assistant message in the order of its calls; others stay behind them."""
    ordered: list[Message] = []
    places: dict[str, int] = {}
    results: list[ToolResultMessage] = []

    def place(result: ToolResultMessage) -> int:
        return places.get(result.tool_call_id, len(places))

    def close() -> None:
        in_order = sorted(results, key=place)
        ordered.extend(in_order)
        results.clear()

    for message in messages:
        if isinstance(message, ToolResultMessage):
            results.append(message)
            continue
        close()
        ordered.append(message)
        if isinstance(message, AssistantMessage):
            places = {call.id: place for place, call in enumerate(message.tool_calls)}
        else:
            places = {}
    close()
    return ordered


def _messages(body: Object | Sequence[Any]) -> Sequence[Any]:
    if not isinstance(body, Mapping):
        return a_list(body, "A conversation")
    if "messages" in body:
        return a_list(body["messages"], "The messages")
    message = an_object(body.get("message", body), "The message")
    return [{"role": "assistant", **message} if "tool_calls" in message else message]


def _call(call: ToolCall) -> dict[str, Any]:
    written = {"function": {"name": call.name, "arguments": as_object(call, "Ollama")}}
    return {"id": call.id, **written} if call.id else written
