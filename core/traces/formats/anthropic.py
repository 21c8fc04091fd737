"""Anthropic's messages: blocks of text, thinking, tool use and results; `system` and `tools` at the top.

Source: the API reference of the Messages API. The whole input of a call is input + cache read + cache
creation.
"""

from collections.abc import Iterator
from typing import Any

from core.traces.calls import Call, runs_of
from core.traces.conversation import read_message, read_tools
from core.traces.formats.openai_chat import messages_in, model_of, request_of, response_of, title_of
from core.traces.run import Notices, Run, Said
from core.traces.shape import items, mapping, objects, text, usage_of

NAME = "Anthropic"
BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")


def matches(value: Any) -> bool:
    """Whether blocks, or what stands beside the messages, are of this protocol."""
    if _is_response(response_of(value)):
        return True
    messages = messages_in(value)
    if messages is None:
        return isinstance(value, list) and any(matches(item) for item in objects(value))
    request = request_of(value)
    if "system" in request or any("input_schema" in tool for tool in objects(request.get("tools"))):
        return True
    return any(
        block.get("type") in BLOCKS
        for message in objects(messages)
        for block in objects(message.get("content"))
    )


def read(value: Any) -> Iterator[Run]:
    """The runs of the value: calls that go on with each other's conversation are one."""
    if isinstance(value, list) and messages_in(value) is None:
        calls: list[Call] = []
        for item in objects(value):
            if _is_response(response_of(item)) and messages_in(item) is not None:
                calls.append(_call(item))
            elif matches(item):
                yield from read(item)
        yield from runs_of(calls)
        return
    if isinstance(value, list) and all(_is_response(item) for item in value):
        value = {"messages": value}  # every message with its own usage
    yield from runs_of([_call(value)])


def _call(value: Any) -> Call:
    notices = Notices()
    request, response = request_of(value), response_of(value)
    system = [{"role": "system", "content": request["system"]}] if request.get("system") else []
    sent = [] if _is_response(value) else messages_in(value) or []
    reply = []
    if _is_response(response):
        reply = [
            Said(said.message, usage_of(response.get("usage")), text(response.get("stop_reason")) or None)
            for said in read_message(response, notices)
        ]
    return Call(
        [*system, *sent],
        reply,
        model=model_of(value),
        tools=read_tools(request.get("tools"), notices),
        title=title_of(value),
        notices=notices,
    )


def _is_response(value: Any) -> bool:
    told = mapping(value)
    return (
        told.get("type") == "message" and told.get("role") == "assistant" and bool(items(told.get("content")))
    )
