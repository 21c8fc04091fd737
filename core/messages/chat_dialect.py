"""From the OpenAI chat dialect to typed messages.

Whoever hands over conversations (a test, a file, a student in a notebook) has them as dicts of this dialect.
Typed values pass through unchanged, so every public function takes either.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
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


def as_messages(messages: Iterable[MessageLike]) -> tuple[Message, ...]:
    """Typed messages, in order.

    Raises:
        InputError: naming the index of the message that cannot be read.
    """
    typed = []
    for index, message in enumerate(messages):
        try:
            typed.append(as_message(message))
        except InputError as error:
            raise InputError(f"Message {index}: {error}") from error
    return tuple(typed)


def as_message(message: MessageLike) -> Message:
    """One typed message; `content` may be null only beside tool calls.

    Raises:
        InputError: on an unknown role, a missing field, or content that is not text.
    """
    if not isinstance(message, Mapping):
        return message
    role = message.get("role")
    content = message.get("content")
    calls = message.get("tool_calls") or ()
    if role not in ROLES:
        raise InputError(f"the role is {role!r}; it must be one of {', '.join(ROLES)}.")
    if content is None and role == "assistant" and calls:
        content = ""
    if not isinstance(content, str):
        raise InputError(f"the content of a message with role {role!r} must be text, not {_kind(content)}.")
    try:
        match role:
            case "system":
                return SystemMessage(content=content)
            case "user":
                return UserMessage(content=content)
            case "assistant":
                return AssistantMessage(
                    content=content,
                    thinking=message.get("reasoning_content") or message.get("thinking"),
                    tool_calls=tuple(as_tool_call(call) for call in calls),
                )
            case _:
                return ToolResultMessage(
                    tool_call_id=message.get("tool_call_id", ""), content=content, name=message.get("name")
                )
    except ValidationError as error:
        raise InputError(_first_problem(error)) from error


def as_tool_call(call: ToolCall | Mapping[str, Any]) -> ToolCall:
    """One typed tool call. Absent or null arguments become the empty string, an object becomes JSON text.

    Raises:
        InputError: where id or name is not text.
    """
    if isinstance(call, ToolCall):
        return call
    function = call.get("function", call)
    arguments = function.get("arguments")
    if arguments is None:
        arguments = ""
    elif not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    try:
        return ToolCall(id=call.get("id") or "", name=function.get("name"), arguments=arguments)
    except ValidationError as error:
        raise InputError(_first_problem(error)) from error


def as_tool_schema(tool: ToolLike) -> ToolSchema:
    """One typed tool schema, from the nested form (`{"type": "function", "function": ...}`) or the flat one.

    Raises:
        InputError: where the tool has no name or its parameters are not an object.
    """
    if isinstance(tool, ToolSchema):
        return tool
    function = tool.get("function", tool)
    known = {
        key: function[key] for key in ("name", "description", "parameters") if function.get(key) is not None
    }
    try:
        return ToolSchema(**known)
    except ValidationError as error:
        raise InputError(f"A tool cannot be read: {_first_problem(error)}") from error


def _kind(value: object) -> str:
    return "null" if value is None else type(value).__name__


def _first_problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
