"""A provider's JSON of a conversation, line by line, and which message each line belongs to."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from core.figures.loop_timeline import slug
from core.messages import Message, Part, SystemMessage, ToolResultMessage, ToolSchema, to_wire
from core.messages.dialects import anthropic, openai_responses
from core.messages.dialects.ollama import in_call_order
from core.messages.dialects.reading import with_ids, with_names
from core.messages.parts import CONTENT_PARTS
from core.values import Value

SHORT = 36
"""Characters of a list or object that still stands in one line."""

TOOLS = "tools"
_TOOL_CALLS = ("tool_calls", "tool_use", "function_call")


class JsonLine(Value):
    """A line; `owner` is a message's number, `TOOLS`, or empty where it is the envelope's."""

    owner: str
    part: str
    indent: int
    text: str


def wire_lines(
    messages: Sequence[Message], tools: Sequence[ToolSchema], dialect: str
) -> tuple[JsonLine, ...]:
    """The lines of `to_wire`, as JSON is laid out for people; joined they are that JSON.

    Raises:
        InputError: the dialect cannot carry the conversation.
    """
    body = to_wire(messages, tools, dialect)
    owners = _owners(messages, dialect)
    lines = [JsonLine(owner="", part="", indent=0, text="{")]
    for number, (key, value) in enumerate(body.items()):
        end = "" if number == len(body) - 1 else ","
        opening = f"{json.dumps(key)}: "
        if key == "tools":
            lines += _value(value, opening, 1, end, TOOLS, slug(Part.TOOLS))
        elif key == "system":
            owner = next(str(at) for at, one in enumerate(messages) if isinstance(one, SystemMessage))
            lines += _value(value, opening, 1, end, owner, slug(Part.SYSTEM))
        else:
            lines.append(JsonLine(owner="", part="", indent=1, text=f"{opening}["))
            for place, (item, owned_by) in enumerate(zip(value, owners, strict=True)):
                comma = "," if place < len(value) - 1 else ""
                lines += _item(item, owned_by, messages, comma)
            lines.append(JsonLine(owner="", part="", indent=1, text=f"]{end}"))
    return (*lines, JsonLine(owner="", part="", indent=0, text="}"))


def _owners(messages: Sequence[Message], dialect: str) -> list[list[int]]:
    """For each item of the list that is sent, the messages in it."""
    if dialect == "anthropic":
        return anthropic.groups(messages)
    if dialect == "openai-responses":
        counts = [len(openai_responses.write([message], [])["input"]) for message in messages]
        return [[index] for index, count in enumerate(counts) for _ in range(count)]
    if dialect == "ollama":
        typed = with_names(with_ids(messages))
        places: dict[int, list[int]] = {}
        for index, message in enumerate(typed):
            places.setdefault(id(message), []).append(index)
        return [[places[id(message)].pop(0)] for message in in_call_order(typed)]
    return [[index] for index in range(len(messages))]


def _item(
    item: dict[str, Any], owners: Sequence[int], messages: Sequence[Message], end: str
) -> Iterator[JsonLine]:
    """A message or item of the list. Where it holds several messages, each block is one of them."""
    blocks = item.get("content")
    if len(owners) == 1 and not (
        isinstance(blocks, list) and isinstance(messages[owners[0]], ToolResultMessage)
    ):
        owner = owners[0]
        part = slug(CONTENT_PARTS[messages[owner].role])
        yield from _value(item, "", 2, end, str(owner), part, spread=True)
        return
    first = str(owners[0])
    yield JsonLine(owner=first, part="", indent=2, text="{")
    yield JsonLine(owner=first, part="", indent=3, text='"role": "user",')
    yield JsonLine(owner=first, part="", indent=3, text='"content": [')
    for place, (block, owner) in enumerate(zip(item["content"], owners, strict=True)):
        comma = "," if place < len(owners) - 1 else ""
        part = slug(CONTENT_PARTS[messages[owner].role])
        yield from _value(block, "", 4, comma, str(owner), part, spread=True)
    yield JsonLine(owner=first, part="", indent=3, text="]")
    yield JsonLine(owner=first, part="", indent=2, text=f"}}{end}")


def _value(
    value: Any, opening: str, indent: int, end: str, owner: str, part: str, *, spread: bool = False
) -> Iterator[JsonLine]:
    """A value behind its key; `spread` keeps it from standing in one line."""

    def line(text: str, part: str = part) -> JsonLine:
        return JsonLine(owner=owner, part=part, indent=indent, text=text)

    if isinstance(value, dict) and value.get("type") in _TOOL_CALLS and part == slug(Part.ASSISTANT):
        part = slug(Part.TOOL_CALL)
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or (not spread and len(opening + short) <= SHORT):
        yield line(f"{opening}{short}{end}", part)
        return
    brackets = "{}" if isinstance(value, dict) else "[]"
    yield line(f"{opening}{brackets[0]}", part)
    members = value.items() if isinstance(value, dict) else (("", member) for member in value)
    for place, (key, member) in enumerate(members):
        comma = "," if place < len(value) - 1 else ""
        name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(value, dict) else ""
        of_member = slug(Part.TOOL_CALL) if key in _TOOL_CALLS else part
        yield from _value(member, name, indent + 1, comma, owner, of_member)
    yield line(f"{brackets[1]}{end}", part)
