"""Anthropic's Messages API: content blocks, the system prompt at the top, results in a user message.

Source: Anthropic API reference, "Messages", and "Tool use": all results of a turn stand in the user message
that follows it, before any text. A thinking block carries a signature of Anthropic's server, which refuses
one without: a thought that nobody signed is written as text.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.messages.dialects.arguments import as_object
from core.messages.dialects.reading import (
    Object,
    a_list,
    an_object,
    arguments_text,
    first_problem,
    kind,
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

_THINKING = ("thinking", "redacted_thinking")


def write(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """`messages` and, where there are any, `system` and `tools`.

    Raises:
        InputError: the arguments of a call are no JSON object, and Anthropic takes nothing else.
    """
    body: dict[str, Any] = {}
    system = [message.content for message in messages if isinstance(message, SystemMessage)]
    if system:
        body["system"] = "\n\n".join(system)
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
    return body | {"messages": [written for _, written in _written(messages)]}


def groups(messages: Sequence[Message]) -> list[list[int]]:
    """For each message that is written, the indices of the messages in it; system prompts are in none."""
    return [indices for indices, _ in _written(messages, with_content=False)]


def _written(
    messages: Sequence[Message], *, with_content: bool = True
) -> list[tuple[list[int], dict[str, Any]]]:
    written: list[tuple[list[int], dict[str, Any]]] = []
    results: list[dict[str, Any]] | None = None  # the blocks of the user message that is still open
    for index, message in enumerate(messages):
        match message:
            case SystemMessage():
                continue
            case ToolResultMessage():
                if results is None:
                    results = []
                    written.append(([], {"role": "user", "content": results}))
                results.append(_result(message))
                written[-1][0].append(index)
                continue
            case UserMessage(content=text) if results is not None and text:
                results.append({"type": "text", "text": text})
                written[-1][0].append(index)
            case UserMessage(content=text):
                written.append(([index], {"role": "user", "content": text}))
            case AssistantMessage():
                content = _assistant(message) if with_content else ""
                written.append(([index], {"role": "assistant", "content": content}))
        results = None
    return written


def read(body: Object | Sequence[Any]) -> list[Message]:
    """A request, a reply, a message, or a list of messages."""
    if not isinstance(body, Mapping):
        return list(_read_all(a_list(body, "A conversation")))
    if "messages" not in body:
        return list(_read_all([body]))
    system = body.get("system")
    first = [] if system is None else [SystemMessage(content=text_of(system, "The system prompt"))]
    return [*first, *_read_all(a_list(body["messages"], "The messages"))]


def _assistant(message: AssistantMessage) -> str | list[dict[str, Any]]:
    if not message.thinking and not message.tool_calls:
        return message.content
    blocks: list[dict[str, Any]] = []
    if message.thinking:
        signed = {"type": "thinking", "thinking": message.thinking, "signature": message.signature}
        blocks.append(signed if message.signature else {"type": "text", "text": message.thinking})
    if message.content:
        blocks.append({"type": "text", "text": message.content})
    for call in message.tool_calls:
        arguments = as_object(call, "Anthropic")
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments})
    return blocks


def _result(message: ToolResultMessage) -> dict[str, Any]:
    written = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content}
    return written | ({"is_error": True} if message.is_error else {})


def _tool(tool: ToolSchema) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": tool.parameters}


def _read_all(messages: Sequence[Any]) -> Iterator[Message]:
    for index, message in enumerate(messages):
        try:
            yield from _read(an_object(message, "a message"))
        except ValidationError as error:
            raise InputError(f"Message {index}: {first_problem(error)}") from error
        except InputError as error:
            raise InputError(f"Message {index}: {error}") from error


def _read(message: Object) -> Iterator[Message]:
    role, content = message.get("role"), message.get("content")
    what = f"the content of a message with role {role!r}"
    match role:
        case "system":
            yield SystemMessage(content=text_of(content, what))
        case "assistant":
            yield _read_assistant(_blocks(content, what))
        case "user":
            yield from _read_user(_blocks(content, what))
        case _:
            raise InputError(f"the role is {role!r}; it must be one of user, assistant.")


def _blocks(content: object, what: str) -> list[Object]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list | tuple):
        raise InputError(f"{what} must be text or a list of blocks, not {kind(content)}.")
    return [an_object(block, "a block") for block in content]


def _read_assistant(blocks: Sequence[Object]) -> AssistantMessage:
    thinking = [block for block in blocks if block.get("type") == "thinking"]
    thoughts = [block.get("thinking") for block in thinking]
    signature = thinking[0].get("signature") if len(thinking) == 1 else None  # of two no one text is signed
    calls = [_read_call(block) for block in blocks if block.get("type") == "tool_use"]
    rest = [block for block in blocks if block.get("type") not in (*_THINKING, "tool_use")]
    thought = "\n\n".join(thought for thought in thoughts if isinstance(thought, str)) or None
    return AssistantMessage(
        content="".join(part_text(block, "The content") for block in rest),
        thinking=thought,
        signature=signature if thought and isinstance(signature, str) and signature else None,
        tool_calls=tuple(calls),
    )


def _read_call(block: Object) -> ToolCall:
    return ToolCall(
        id=block.get("id") or "", name=block.get("name", ""), arguments=arguments_text(block.get("input"))
    )


def _read_user(blocks: Sequence[Object]) -> Iterator[Message]:
    """Results, and what the user says beside them, in the order in which they stand."""
    texts: list[str] = []
    for block in blocks:
        if block.get("type") != "tool_result":
            texts.append(part_text(block, "The content"))
            continue
        if texts:
            yield UserMessage(content="".join(texts))
            texts = []
        content = block.get("content")
        yield ToolResultMessage(
            tool_call_id=block.get("tool_use_id") or "",
            content="" if content is None else text_of(content, "The content of a result"),
            is_error=bool(block.get("is_error")),
        )
    if texts or not blocks:
        yield UserMessage(content="".join(texts))
