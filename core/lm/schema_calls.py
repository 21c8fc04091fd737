"""Tool calls through a JSON Schema: for servers that hold a reply to a schema and know no tools.

The reply is one object, a thought and then either one tool's call or the answer:

    {"thought": "...", "action": {"name": "weather", "arguments": {"city": "Oslo"}}}
    {"thought": "...", "action": {"answer": "..."}}

The root is a plain object because OpenAI's structured outputs take no other. Since such a server writes no
tools into its prompt, the tools, the form and earlier calls and results are written into the messages here.
"""

import json
from collections.abc import Sequence
from typing import Any

from core.messages import strict_json
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)

NAME = "thought_and_action"


def reply_schema(tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """The JSON Schema of a reply: the union of the tools' calls and of the answer."""
    # A reference inside a tool's schema counts from the root, which is another one here.
    definitions = {tool.name: _moved(tool.parameters, f"#/$defs/{_pointer(tool.name)}") for tool in tools}
    calls = [
        _object(name={"const": tool.name}, arguments={"$ref": f"#/$defs/{_pointer(tool.name)}"})
        for tool in tools
    ]
    schema = _object(
        thought={"type": "string"}, action={"anyOf": [*calls, _object(answer={"type": "string"})]}
    )
    return schema | ({"$defs": definitions} if definitions else {})


def as_text(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> tuple[Message, ...]:
    """The conversation without tools, calls and results as such: all of it as text of the other roles."""
    told = _instructions(tools)
    system = messages[0].content if messages and isinstance(messages[0], SystemMessage) else ""
    rest = messages[1:] if system else messages
    first = SystemMessage(content=f"{system}\n\n{told}" if system else told)
    return (first, *(_as_text(message) for message in rest))


def read_reply(text: str) -> AssistantMessage:
    """The message that a reply of this form stands for; the thought becomes the text beside the call.

    A text of another form, such as one that was cut off, stays the text that it is.
    """
    try:
        said = strict_json.parse(text)
    except strict_json.JSONFault:
        return AssistantMessage(content=text)
    match said:
        case {"thought": str(thought), "action": {"name": str(name), "arguments": arguments}}:
            call = ToolCall(id="", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
            return AssistantMessage(content=thought, tool_calls=(call,))
        case {"thought": str(thought), "action": {"answer": str(answer)}}:
            return AssistantMessage(content=answer, thinking=thought or None)
    return AssistantMessage(content=text)


def as_calls(reply: AssistantMessage) -> AssistantMessage:
    """The message that a whole reply of this form stands for; thinking that the server tells comes first."""
    said = read_reply(reply.content)
    return said.model_copy(update={"thinking": reply.thinking or said.thinking})


def _instructions(tools: Sequence[ToolSchema]) -> str:
    described = "\n".join(json.dumps(tool.model_dump(), ensure_ascii=False) for tool in tools)
    return (
        "Reply with one JSON object and nothing else. To call a tool: "
        '{"thought": "<why>", "action": {"name": "<tool>", "arguments": {...}}}. '
        'To answer: {"thought": "<why>", "action": {"answer": "<text>"}}. '
        'Where no thought is asked for, it is "". '
        f"The result of a call comes back in the next message.\nTools:\n{described or 'none'}"
    )


def _as_text(message: Message) -> Message:
    match message:
        case AssistantMessage(tool_calls=(_, *_) as calls):
            # One object for each call, for a history can hold several in one message.
            thought = message.content
            return AssistantMessage(content="\n".join(_written(thought, call) for call in calls))
        case ToolResultMessage():
            named = f" of {message.name}" if message.name else ""
            return UserMessage(content=f"Result{named}: {message.content}")
    return message


def _written(thought: str, call: ToolCall) -> str:
    # The arguments as they were sampled: they may be no JSON, and the model must see what it wrote.
    said, name = json.dumps(thought, ensure_ascii=False), json.dumps(call.name, ensure_ascii=False)
    return f'{{"thought": {said}, "action": {{"name": {name}, "arguments": {call.arguments or "{}"}}}}}'


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _moved(schema: Any, root: str) -> Any:
    """The schema with every local reference beginning at `root`."""
    if isinstance(schema, list):
        return [_moved(member, root) for member in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: root + value[1:]
        if key == "$ref" and isinstance(value, str) and value.startswith("#")
        else _moved(value, root)
        for key, value in schema.items()
    }


def _pointer(name: str) -> str:
    """A key as a part of a JSON pointer (RFC 6901, section 3)."""
    return name.replace("~", "~0").replace("/", "~1")
