"""OpenAI's Responses API: a flat list of items, in which one reply is several of them.

Source: OpenAI API reference, "Create a model response". A call is paired with its output by `call_id`; the
`id` of an item is only its name on the server. A reasoning item needs such an `id`, which our messages do not
hold, so OpenAI's own server refuses the thinking that is written here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.messages.chat_dialect import as_message
from core.messages.dialects.reading import (
    Object,
    a_list,
    an_object,
    arguments_text,
    first_problem,
    part_text,
    text_of,
)
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)

_CALLS = ("function_call", "custom_tool_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


def write(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """`input` and, where there are any, `tools`."""
    body: dict[str, Any] = {"input": [item for message in messages for item in _items(message)]}
    return body | ({"tools": [_tool(tool) for tool in tools]} if tools else {})


def read(body: Object | Sequence[Any]) -> list[Message]:
    """A request (`instructions`, `input`), a reply (`output`), both in one, an item, or a list of items."""
    reply = _Reply()
    for index, item in enumerate(_all_items(body)):
        try:
            reply.take(an_object(item, "an item"))
        except ValidationError as error:
            raise InputError(f"Item {index}: {first_problem(error)}") from error
        except InputError as error:
            raise InputError(f"Item {index}: {error}") from error
    return reply.messages


def _all_items(body: Object | Sequence[Any]) -> Sequence[Any]:
    if not isinstance(body, Mapping):
        return a_list(body, "A conversation")
    if not {"instructions", "input", "output"} & set(body) or body.get("type") in _OUTPUTS + _CALLS:
        return [body]
    instructions, sent = body.get("instructions"), body.get("input")
    system = [{"role": "system", "content": instructions}] if instructions else []
    asked = [{"role": "user", "content": sent}] if isinstance(sent, str) else a_list(sent, "The input")
    return [*system, *asked, *a_list(body.get("output"), "The output")]


def _items(message: Message) -> list[dict[str, Any]]:
    match message:
        case SystemMessage() | UserMessage():
            return [{"type": "message", "role": message.role, "content": message.content}]
        case ToolResultMessage():
            return [
                {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}
            ]
        case AssistantMessage():
            return _reply_items(message)


def _reply_items(message: AssistantMessage) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if message.thinking:
        summary = [{"type": "summary_text", "text": message.thinking}]
        items.append({"type": "reasoning", "summary": summary})
    if message.content or not message.tool_calls:
        items.append({"type": "message", "role": "assistant", "content": message.content})
    for call in message.tool_calls:
        items.append(
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        )
    return items


def _tool(tool: ToolSchema) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"type": "function", "name": tool.name, **described, "parameters": tool.parameters}


def joined(messages: Sequence[Message]) -> list[int]:
    """The indices of messages whose items are read as the end of the message before."""
    reply, found = _Reply(), []
    for index, message in enumerate(messages):
        before = len(reply.messages)
        for item in _items(message):
            reply.take(item)
        if len(reply.messages) == before:
            found.append(index)
    return found


class _Reply:
    """Items on their way to messages: what the model wrote in a row is one message.

    A new one begins at a reasoning item, and at a text behind a text or a call; but while a call waits for
    its output the model cannot have gone on, so everything up to there is one message.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._holds: set[str] = set()  # kinds of item in the last message; empty where it is not the model's
        self._open: set[str] = set()

    def take(self, item: Object) -> None:
        kind = item.get("type", "message")
        if kind == "response_item":  # as command-line agents keep them
            self.take(an_object(item.get("payload"), "the payload of an item"))
        elif kind in _CALLS:
            arguments = arguments_text(item.get("arguments", item.get("input")))
            call = ToolCall(id=item.get("call_id") or "", name=item.get("name", ""), arguments=arguments)
            self._extend("call", tool_calls=(call,))
            self._open.add(call.id)
        elif kind in _OUTPUTS:
            self._holds = set()
            id_, output = item.get("call_id") or "", item.get("output")
            text = "" if output is None else text_of(output, "the output of a call")
            self.messages.append(ToolResultMessage(tool_call_id=id_, content=text))
            self._open.discard(id_)
        elif kind == "reasoning":
            self._extend("thinking", thinking=_reasoning(item))
        elif kind == "message" and item.get("role") == "assistant":
            self._extend("text", content=text_of(item.get("content"), "the content of a message"))
        elif kind == "message":
            self._holds = set()
            self.messages.append(as_message(item))
        else:  # a tool that OpenAI runs itself, such as web search
            self._extend("text", content=part_text({"type": kind}, "an item"))

    def _extend(
        self, kind: str, content: str = "", thinking: str = "", tool_calls: tuple[ToolCall, ...] = ()
    ) -> None:
        ends = {"call": set(), "text": {"text", "call"}, "thinking": {"thinking", "text", "call"}}[kind]
        waiting = "call" in self._holds and self._open
        if not self._holds or (self._holds & ends and not waiting):
            self.messages.append(AssistantMessage())
            self._holds, self._open = set(), set()
        last = self.messages[-1]
        assert isinstance(last, AssistantMessage)
        thoughts = [thought for thought in (last.thinking, thinking) if thought]
        self.messages[-1] = AssistantMessage(
            content=last.content + content,
            thinking="\n\n".join(thoughts) or None,
            tool_calls=last.tool_calls + tool_calls,
        )
        self._holds.add(kind)


def _reasoning(item: Object) -> str:
    """The reasoning itself where a server gives it, else its summary; empty where it is encrypted."""
    written = item.get("content") or item.get("summary")
    parts = a_list(written, "the content of a reasoning item")
    return "\n\n".join(part_text(part, "the reasoning") for part in parts)
