"""A conversation as chat templates read it: the OpenAI chat dialect, with arguments as objects, and with
marks around what somebody wrote."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from core.messages import strict_json
from core.messages.json_text import dumps
from core.messages.marks import Marks
from core.messages.parts import Part
from core.messages.rendered import Owner
from core.messages.templates import run_template
from core.messages.types import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)

Writer = Callable[[int, bool], str]
"""Given how many messages to write and whether to add the generation prompt, the text."""


@dataclass(frozen=True)
class Conversation:
    """Messages, tools, and the text of the template that writes them.

    Most templates take the arguments of a call as an object. Some, as DeepSeek's, take the text: with an
    object they fail.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    template: str
    text_arguments: bool = False
    now: datetime = field(default_factory=datetime.now)  # one moment for all runs of the template

    @cached_property
    def slots(self) -> tuple[Owner, ...]:
        """Everything that is handed to the template and is not empty, ids of calls and results included: they
        are the template's, of their message."""
        owners = [owner for index, message in enumerate(self.messages) for owner in _slots(index, message)]
        return (*owners, *(Owner(part=Part.TOOLS, label=tool.name) for tool in self.tools))

    def writer(self, marks: Marks, *, with_tools: bool = True) -> Writer:
        """The template, ready to write the first messages with these marks."""
        read = _as_text if self.text_arguments else _arguments
        messages = [
            _message_object(index, message, marks, read) for index, message in enumerate(self.messages)
        ]
        tools = [_tool_object(tool, marks) for tool in self.tools] if with_tools else []

        def write(length: int, add_generation_prompt: bool) -> str:
            return run_template(
                self.template,
                lambda value, **options: dumps(value, mark=marks.around_json, **options),
                {
                    "messages": messages[:length],
                    "tools": tools or None,
                    "add_generation_prompt": add_generation_prompt,
                    "strftime_now": self.now.strftime,
                },
            )

        return write


def _slots(index: int, message: Message) -> list[Owner]:
    slots = []
    if isinstance(message, AssistantMessage) and message.thinking:
        slots.append(_thinking(index))
    if message.content:
        slots.append(_content(index, message))
    if isinstance(message, AssistantMessage):
        slots += [_call(index, call) for call in message.tool_calls]
        if message.tool_calls:
            slots.append(_ids(index))
    elif isinstance(message, ToolResultMessage):
        slots.append(_ids(index))
    return slots


def _content(index: int, message: Message) -> Owner:
    match message:
        case SystemMessage():
            return Owner(part=Part.SYSTEM, message=index)
        case UserMessage():
            return Owner(part=Part.USER, message=index)
        case AssistantMessage():
            return Owner(part=Part.ASSISTANT, message=index)
        case _:
            return Owner(part=Part.TOOL_RESULT, message=index, label=message.tool_call_id)


def _thinking(index: int) -> Owner:
    return Owner(part=Part.ASSISTANT, message=index, label="thinking")


def _call(index: int, call: ToolCall) -> Owner:
    return Owner(part=Part.TOOL_CALL, message=index, label=call.id)


def _ids(index: int) -> Owner:
    return Owner(part=Part.TEMPLATE, message=index)


def _tool_object(tool: ToolSchema, marks: Marks) -> dict[str, Any]:
    owner = Owner(part=Part.TOOLS, label=tool.name)
    function: dict[str, Any] = {"name": marks.around(owner, tool.name)}
    if tool.description:
        function["description"] = marks.around(owner, tool.description)
    function["parameters"] = deepcopy(tool.parameters)
    claimed: dict[str, Any] = marks.claim(owner, {"type": "function", "function": function})
    return claimed


_Arguments = Callable[[str], Any]


def _message_object(index: int, message: Message, marks: Marks, read: _Arguments) -> dict[str, Any]:
    written: dict[str, Any] = {
        "role": message.role,
        "content": marks.around(_content(index, message), message.content),
    }
    if isinstance(message, AssistantMessage):
        if message.thinking:
            # Qwen's and DeepSeek's templates read the first name, gpt-oss's the second.
            written["reasoning_content"] = marks.around(_thinking(index), message.thinking)
            written["thinking"] = written["reasoning_content"]
        if message.tool_calls:
            written["tool_calls"] = [_call_object(index, call, marks, read) for call in message.tool_calls]
    elif isinstance(message, ToolResultMessage):
        written["tool_call_id"] = marks.around(_ids(index), message.tool_call_id)
        if message.name is not None:
            written["name"] = message.name
    return written


def _call_object(index: int, call: ToolCall, marks: Marks, read: _Arguments) -> dict[str, Any]:
    owner = _call(index, call)
    arguments = read(call.arguments)
    if isinstance(arguments, str):
        arguments = marks.around(owner, arguments)
    function = {"name": marks.around(owner, call.name), "arguments": arguments}
    written = {"id": marks.around(_ids(index), call.id), "type": "function", "function": function}
    claimed: dict[str, Any] = marks.claim(owner, written)
    return claimed


def _arguments(text: str) -> Any:
    """The decoded arguments; no arguments are `{}`; what is not a JSON object stays the text that it is,
    which `tojson` quotes, as transformers does."""
    if not text.strip():
        return {}
    try:
        decoded = strict_json.parse(text)
    except strict_json.JSONFault:
        return text
    return decoded if isinstance(decoded, dict) else text


def _as_text(text: str) -> str:
    return (text.strip() and text) or "{}"
