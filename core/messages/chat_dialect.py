"""From the OpenAI chat dialect to typed messages.

Whoever hands over conversations (a test, a file, a student in a notebook) has them as dicts of this dialect.
Typed values pass through unchanged, so every public function takes either. The way back, and the other
dialects, are in `core.messages.dialects`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.messages.dialects.reading import a_list, an_object, arguments_text, first_problem, kind, text_of
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)

MessageLike = Message | Mapping[str, Any]
ToolLike = ToolSchema | Mapping[str, Any]

ROLES = ("system", "user", "assistant", "tool")
_OTHER_NAMES = {"developer": "system", "function": "tool"}
_TYPED = (SystemMessage, UserMessage, AssistantMessage, ToolResultMessage)
_TYPED_SET = set(_TYPED)
_THINKING = ("reasoning_content", "reasoning", "thinking")
"""Where servers put the thinking, which OpenAI's own API does not give: llama.cpp, DeepSeek and older vLLM;
OpenRouter and newer vLLM; Ollama."""


def as_messages(messages: Iterable[MessageLike]) -> tuple[Message, ...]:
    """Typed messages, in order.

    Raises:
        InputError: naming the index of the message that cannot be read.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InputError(f"A conversation must be a list of messages, not {kind(messages)}.")
    if isinstance(messages, tuple) and set(map(type, messages)) <= _TYPED_SET:
        return messages  # one that is long is asked about again and again
    typed = []
    for index, message in enumerate(messages):
        try:
            typed.append(as_message(message))
        except InputError as error:
            raise InputError(f"Message {index}: {error}") from error
    return tuple(typed)


def as_message(message: MessageLike) -> Message:
    """One typed message; `content` may be null only beside tool calls, thinking or a refusal.

    Raises:
        InputError: on an unknown role, a missing field, or content that is not text.
    """
    if isinstance(message, _TYPED):
        return message
    written = an_object(message, "a message")
    role = written.get("role")
    role = _OTHER_NAMES.get(role, role) if isinstance(role, str) else role
    if role not in ROLES:
        raise InputError(f"the role is {role!r}; it must be one of {', '.join(ROLES)}.")
    try:
        if role == "assistant":
            return _assistant(written)
        content = text_of(written.get("content"), f"the content of a message with role {role!r}")
        if role == "system":
            return SystemMessage(content=content)
        if role == "user":
            return UserMessage(content=content)
        return ToolResultMessage(
            tool_call_id=written.get("tool_call_id") or "",
            content=content,
            name=written.get("name") or written.get("tool_name"),
        )
    except ValidationError as error:
        raise InputError(first_problem(error)) from error


def _assistant(message: Mapping[str, Any]) -> AssistantMessage:
    calls = list(a_list(message.get("tool_calls"), "the tool calls of a message"))
    if message.get("function_call"):  # before November 2023: one call, without an id
        calls.append({"function": message["function_call"]})
    thinking = next((message[key] for key in _THINKING if message.get(key)), None)
    content = message.get("content")
    if content is None:
        content = message.get("refusal")
    if content is None and (calls or thinking):
        content = ""
    return AssistantMessage(
        content=text_of(content, "the content of a message with role 'assistant'"),
        thinking=thinking,
        tool_calls=tuple(map(as_tool_call, calls)),
    )


def as_tool_call(call: ToolCall | Mapping[str, Any]) -> ToolCall:
    """One typed tool call. Absent or null arguments become the empty string, an object becomes JSON text.

    Raises:
        InputError: where id or name is not text.
    """
    if isinstance(call, ToolCall):
        return call
    written = an_object(call, "a tool call")
    described = written.get("function") or written.get("custom") or written
    function = an_object(described, "the function of a tool call")
    arguments = function.get("arguments", function.get("input"))
    try:
        return ToolCall(
            id=written.get("id") or "", name=function.get("name"), arguments=arguments_text(arguments)
        )
    except ValidationError as error:
        raise InputError(first_problem(error)) from error


def as_tool_schema(tool: ToolLike) -> ToolSchema:
    """One typed tool schema, from the nested form (`{"type": "function", "function": ...}`), the flat one, or
    Anthropic's (`input_schema`).

    Raises:
        InputError: where the tool has no name or its parameters are not an object.
    """
    if isinstance(tool, ToolSchema):
        return tool
    written = an_object(tool, "a tool")
    function = an_object(written.get("function") or written, "the function of a tool")
    known = {
        key: function[key] for key in ("name", "description", "parameters") if function.get(key) is not None
    }
    if "parameters" not in known and function.get("input_schema") is not None:
        known["parameters"] = function["input_schema"]
    try:
        return ToolSchema(**known)
    except ValidationError as error:
        raise InputError(f"A tool cannot be read: {first_problem(error)}") from error


def as_tool_schemas(tools: Iterable[ToolLike] | None) -> tuple[ToolSchema, ...]:
    """Typed tool schemas, in order; `None` is no tools.

    Raises:
        InputError: it is no list, or one of them cannot be read.
    """
    if tools is None:
        return ()
    if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Iterable):
        raise InputError(f"The tools must be a list, not {kind(tools)}.")
    return tuple(map(as_tool_schema, tools))
