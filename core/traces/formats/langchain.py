"""LangChain's messages, as its own functions write them, alone or under `messages`.

Three spellings of one thing: `messages_to_dict` writes `{"type": "ai", "data": {...}}`, `dumpd` writes
`{"lc": 1, "id": [..., "AIMessage"], "kwargs": {...}}`, and `model_dump` the fields with `type` among them.
Source: langchain_core, messages/base.py, messages/utils.py and load/dump.py.
"""

from collections.abc import Iterator
from typing import Any

from core.traces.formats import openai_chat
from core.traces.run import Run
from core.traces.shape import items, mapping, objects, text

NAME = "LangChain"
LISTS = ("messages", "chat_history")
ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}


def matches(value: Any) -> bool:
    """Whether the value is, holds, or is a list of, such messages."""
    if _messages(value):
        return True
    return isinstance(value, list) and any(_messages(item) for item in value)


def read(value: Any) -> Iterator[Run]:
    """A run for each list of messages."""
    for source in [value] if _messages(value) else items(value):
        if messages := _messages(source):
            yield from openai_chat.read({**mapping(source), "messages": messages, **_model(messages)})


def _messages(value: Any) -> list[dict[str, Any]]:
    """The messages as the chat dialect has them; none where there are none of LangChain's."""
    listed = value if isinstance(value, list) else next(filter(None, map(mapping(value).get, LISTS)), None)
    if isinstance(listed, list) and len(listed) == 1 and isinstance(listed[0], list):  # of a tracer: a batch
        listed = listed[0]
    found = [_message(item) for item in objects(listed)] if isinstance(listed, list) else []
    return [message for message in found if message]


def _message(item: dict[str, Any]) -> dict[str, Any]:
    kind, fields = item.get("type"), item
    if isinstance(item.get("kwargs"), dict) and items(item.get("id")):
        kind, fields = (
            text(item["id"][-1]).removesuffix("Chunk").removesuffix("Message").lower(),
            item["kwargs"],
        )
    elif isinstance(item.get("data"), dict):
        fields = item["data"]
    role = ROLES.get(text(kind).removesuffix("MessageChunk").lower())
    if role is None or "content" not in fields or "role" in item:
        return {}
    told = mapping(fields.get("response_metadata"))
    return {
        **{
            key: fields[key]
            for key in ("content", "tool_calls", "tool_call_id", "name", "status")
            if key in fields
        },
        "role": role,
        "usage": fields.get("usage_metadata"),
        "finish_reason": told.get("finish_reason") or told.get("stop_reason"),
        "model": told.get("model_name") or told.get("model"),
    }


def _model(messages: list[dict[str, Any]]) -> dict[str, str]:
    names = [text(message["model"]) for message in messages if message["model"]]
    return {"model": names[-1]} if names else {}
