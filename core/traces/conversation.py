"""Messages as files hold them, of any chat dialect, read leniently.

One reader for all, because files mix the dialects: a log of OpenAI's protocol holds Anthropic's blocks, a
harness writes arguments as objects, a tracer calls the same field by another name. What cannot be read is
noted and left out, since a file that shows most of a run is worth more than a refusal. The formats know what
stands around the messages; the strict translation of a dialect is `core.messages`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import InputError
from core.messages.chat_dialect import as_tool_schema
from core.messages.reply import TokenChoice
from core.messages.types import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)
from core.traces.run import MOST_MESSAGES, Notices, Said
from core.traces.shape import as_json, first_text, is_whole, items, mapping, objects, text, usage_of

ROLES: Mapping[str, str] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
CALLS = ("tool_use", "tool_call", "tool-call", "server_tool_use", "mcp_tool_use")
RESULTS = ("tool_result", "tool_call_response", "tool-result", "mcp_tool_result", "web_search_tool_result")
THOUGHTS = ("thinking", "reasoning")
CALL_ID = ("id", "tool_call_id", "call_id", "toolCallId", "tool_use_id")
RESULT_ID = ("tool_call_id", "tool_use_id", "call_id", "toolCallId")
NAME = ("name", "function_name", "toolName", "tool_name", "function")
ARGUMENTS = ("arguments", "input", "args", "parameters")
OUTPUT = ("content", "output", "result", "response", "text", "value")


def read_messages(messages: Sequence[object], notices: Notices) -> list[Said]:
    """The messages of a list, in order; an item of the list can hold several, or none that can be read."""
    if len(messages) > MOST_MESSAGES:
        notices.add(f"Of {len(messages):,} messages the first {MOST_MESSAGES:,} were read.")
    listed = enumerate(messages[:MOST_MESSAGES], 1)
    return [said for number, item in listed for said in read_message(item, notices, number)]


def read_message(item: object, notices: Notices, number: int = 1) -> list[Said]:
    """The messages in one item: a message of tool results and text is one for each result, and one more."""
    told = mapping(item)
    if not is_whole(told):
        return []  # the file breaks off in this message
    role = ROLES.get(str(told.get("role", "")).lower())
    if role is None:
        what = f"has the role {told['role']!r:.40}" if "role" in told else "has no role"
        notices.add(f"Message {number} {what} and was left out.")
        return []
    if role == "tool":
        return [Said(result) for result in _results(told, notices)]
    content = told.get("parts") if "content" not in told else told["content"]
    if content is not None and not isinstance(content, str | list | dict):
        notices.add("The content of a message is neither text nor parts, and was left out.")
    parts = _Parts(content, notices)
    results = [Said(result) for result in parts.results]
    if role == "assistant":  # with the results of tools that the provider's server ran for it
        if told.get("tool_calls") is not None and not isinstance(told["tool_calls"], list):
            notices.add("The tool calls of a message are not a list, and were left out.")
        return [_reply(told, parts), *results]
    if results and not parts.text:
        return results
    message = SystemMessage(content=parts.text) if role == "system" else UserMessage(content=parts.text)
    return [*results, Said(message)]


def read_tools(tools: object, notices: Notices) -> tuple[ToolSchema, ...] | None:
    """Tool schemas of any dialect; `None` where there is no list."""
    if not isinstance(tools, list):
        if tools is not None:
            notices.add("The tools are not a list, and were left out.")
        return None
    schemas = []
    for tool in tools:
        flat = mapping(mapping(tool).get("function", tool))
        schema = flat.get("parameters") or flat.get("input_schema") or flat.get("inputSchema")
        if not _is_finite(schema):
            notices.add("A tool schema holds a number that is not one; its parameters were left out.")
            schema = None
        try:
            schemas.append(
                as_tool_schema(
                    {
                        "name": flat.get("name") or flat.get("type"),
                        "description": text(flat.get("description")),
                        "parameters": schema if isinstance(schema, dict) else None,
                    }
                )
            )
        except InputError:
            notices.add("A tool schema without a name was left out.")
    return tuple(schemas)


def _is_finite(schema: object) -> bool:
    try:
        json.dumps(schema, allow_nan=False)
    except ValueError:
        return False
    return True


def read_call(told: Mapping[str, Any]) -> ToolCall:
    """A tool call of any dialect; an id or a name that is not there is the empty text."""
    inner = mapping(told.get("tool_call")) or told  # OpenInference wraps it
    function = inner.get("function")
    source = function if isinstance(function, dict) else inner
    arguments = next((source[key] for key in ARGUMENTS if source.get(key) is not None), "")
    return ToolCall(
        id=first_text(inner, *CALL_ID),
        name=first_text(source, *NAME),
        arguments=arguments if isinstance(arguments, str) else as_json(arguments),
    )


def read_logprobs(choice: Mapping[str, Any]) -> tuple[TokenChoice, ...] | None:
    """The tokens of a reply with their alternatives, as OpenAI's chat protocol tells them.

    A probability is at most 1, so a logarithm above 0 is none.
    """
    told = objects(mapping(choice.get("logprobs")).get("content"))
    return tuple(_token(token) for token in told) or None


class _Parts:
    """The content of a message, whatever its form: its text, thoughts, calls and results."""

    def __init__(self, content: object, notices: Notices) -> None:
        self.calls: list[ToolCall] = []
        self.results: list[ToolResultMessage] = []
        self.signature: str | None = None
        texts: list[str] = []
        thoughts: list[str] = []
        signatures: list[str] = []
        listed = [content] if isinstance(content, str | dict) else items(content)
        if len(listed) > MOST_MESSAGES:
            notices.add(f"Of the {len(listed):,} parts of a message the first {MOST_MESSAGES:,} were read.")
        for part in listed[:MOST_MESSAGES]:
            told = mapping(part)
            kind = told.get("type")
            if kind in CALLS:
                self.calls.append(read_call(told))
            elif kind in RESULTS:
                self.results += _results(told, notices)
            elif kind == "redacted_thinking":
                notices.add("A block of redacted thinking is not kept: an export to Anthropic lacks it.")
            elif kind in THOUGHTS:
                signatures.append(first_text(told, "signature"))
                thoughts.append(first_text(told, "thinking", "reasoning", "content", "text", "summary"))
            else:
                texts.append(_text_of(part, notices))
        self.text = "".join(texts)  # as `core.messages.from_wire` joins them
        self.thinking = "\n\n".join(thought for thought in thoughts if thought) or None
        if len(signatures) == 1:
            self.signature = signatures[0] or None
        elif any(signatures):
            notices.add("The signatures of several thinking blocks in one message are not kept.")


def _text_of(part: object, notices: Notices) -> str:
    """The text of a part; its kind in brackets where it is none, as `core.messages.from_wire` writes it."""
    if not isinstance(part, dict):
        return text(part)
    for key in ("text", "content", "refusal"):
        if isinstance(part.get(key), str):
            return str(part[key])
    kind = part.get("type")
    if kind is None:
        return as_json(part)
    if kind in ("text", "json") and "value" in part:  # of a tool, as the AI SDK writes it
        return text(part["value"])
    notices.add(f"The content is more than text: {text(kind):.40} is not shown.")
    return f"[{text(kind):.40}]"


def _reply(told: Mapping[str, Any], parts: _Parts) -> Said:
    calls = [read_call(call) for call in objects(told.get("tool_calls"))]
    if isinstance(told.get("function_call"), dict):  # the older form, one call without an id
        calls.append(read_call(told["function_call"]))
    thinking = first_text(told, "reasoning_content", "thinking", "reasoning") or parts.thinking
    reason = first_text(told, "finish_reason", "stop_reason")
    return Said(
        AssistantMessage(
            content=parts.text,
            thinking=thinking or None,
            signature=parts.signature if thinking and thinking == parts.thinking else None,
            tool_calls=(*parts.calls, *calls),
        ),
        usage=usage_of(told.get("usage")),
        finish_reason=reason or None,
    )


def _results(told: Mapping[str, Any], notices: Notices) -> list[ToolResultMessage]:
    """The result that a tool message or a block of one is; several where its parts are blocks of results."""
    content = next((told[key] for key in OUTPUT if told.get(key) is not None), told.get("parts"))
    parts = _Parts(content if isinstance(content, str | list | dict) else text(content), notices)
    if parts.results:
        return parts.results
    written = parts.text
    error = told.get("error")
    if error and not written:
        written = text(mapping(error).get("message") or error)
    ids = [one for one in items(told.get("tool_call_ids")) if isinstance(one, str)]
    keys = RESULT_ID if "role" in told else (*RESULT_ID, "id")  # the id of a message is not that of a call
    return [
        ToolResultMessage(
            tool_call_id=ids[0] if ids else first_text(told, *keys),
            content=written,
            name=first_text(told, *NAME) or None,
            is_error=bool(error) or told.get("is_error") is True or told.get("status") == "error",
        )
    ]


def _token(told: Mapping[str, Any]) -> TokenChoice:
    logprob = told.get("logprob")
    return TokenChoice(
        text=text(told.get("token")),
        logprob=float(logprob) if isinstance(logprob, int | float) and logprob <= 0 else None,
        alternatives=tuple(_token(other) for other in objects(told.get("top_logprobs"))),
    )
