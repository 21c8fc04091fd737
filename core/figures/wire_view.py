"""One tool, one call and its result in the JSON of each provider, and what differs between them."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from core.agent.pasted import DIALECTS
from core.errors import InputError
from core.messages import AssistantMessage, Loss, ToolCall, ToolResultMessage, ToolSchema, losses, to_wire
from core.values import Value

SECTIONS = ("call", "result", "advertised")
SAME = "{ … the JSON Schema … }"
"""In place of the parameters, which all four write alike."""

Token = tuple[str, str]


class WirePiece(Value):
    """A stretch of a line; `lit` where the like does not stand in all forms."""

    text: str
    lit: bool


class WireLine(Value):
    """A line of JSON."""

    indent: int
    pieces: tuple[WirePiece, ...]


class WireSection(Value):
    """The call, the result or the tool: what to look at, its JSON, and what of it does not come back."""

    name: str
    about: str
    lines: tuple[WireLine, ...]
    lost: tuple[str, ...] = ()


class WireForm(Value):
    """The form of one provider. `problem` is why it cannot be written."""

    name: str
    sections: tuple[WireSection, ...]
    problem: str = ""


class WireView(Value):
    """The forms side by side."""

    forms: tuple[WireForm, ...]


def wire_view(schema: ToolSchema, call: ToolCall, result: ToolResultMessage) -> WireView:
    """A tool, a call of it and its result in every provider's form."""
    messages = (AssistantMessage(tool_calls=(call,)), result)
    bodies: dict[str, tuple[Any, ...] | str] = {}
    for dialect in DIALECTS:
        try:
            body = to_wire(messages, [schema], dialect)
        except InputError as error:
            bodies[dialect] = str(error)
            continue
        bodies[dialect] = (*(body.get("messages") or body["input"]), _advertised(body["tools"][0]))
    written = [body for body in bodies.values() if not isinstance(body, str)]
    common = [
        set.intersection(*(set(_tokens(body[index])) for body in written)) for index in range(len(SECTIONS))
    ]
    return WireView(
        forms=tuple(
            WireForm(name=DIALECTS[dialect], sections=(), problem=body)
            if isinstance(body, str)
            else _form(dialect, body, common, call, losses(messages, dialect))
            for dialect, body in bodies.items()
        )
    )


def _form(
    dialect: str, body: tuple[Any, ...], common: Sequence[set[Token]], call: ToolCall, lost: Sequence[Loss]
) -> WireForm:
    about = (_about_call(body[0], call), _about_result(body[1], call), _about_tool(body[2]))
    return WireForm(
        name=DIALECTS[dialect],
        sections=tuple(
            WireSection(
                name=name,
                about=about[index],
                lines=tuple(_lines(body[index], common[index], "", 0, "")),
                lost=tuple(_sentence(loss.reason) for loss in lost if loss.index == index),
            )
            for index, name in enumerate(SECTIONS)
        ),
    )


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}"


def _advertised(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool without what all forms write alike."""
    return {
        key: _advertised(value)
        if key == "function"
        else SAME
        if key in ("parameters", "input_schema")
        else value
        for key, value in tool.items()
    }


def _about_tool(tool: Any) -> str:
    return "in tools[0].function" if "function" in tool else "in tools[0]"


def _about_call(message: Any, call: ToolCall) -> str:
    place = _path_of(message, call.name, "name").rpartition(".")[0]
    holder = _at(message, place)
    kind = "a JSON string" if isinstance(holder.get("arguments", holder.get("input")), str) else "an object"
    return f"in {place}\narguments: {kind}" if place else f"an item of its own\narguments: {kind}"


def _about_result(message: Any, call: ToolCall) -> str:
    key = _path_of(message, call.id, "id").rpartition(".")[2]
    role = f"role {message['role']}" if "role" in message else "an item"
    return f"{role}, paired by {key}"


def _path_of(value: Any, wanted: str, key_end: str, path: str = "") -> str:
    """Where a text stands under a key with this end: `tool_calls[0].function.name`; empty if nowhere."""
    if isinstance(value, dict):
        members = [(f"{path}.{key}" if path else key, member) for key, member in value.items()]
    elif isinstance(value, list):
        members = [(f"{path}[{index}]", member) for index, member in enumerate(value)]
    else:
        return path if value == wanted and path.endswith(key_end) else ""
    return next(filter(None, (_path_of(member, wanted, key_end, place) for place, member in members)), "")


def _at(value: Any, path: str) -> Any:
    for step in path.replace("[", ".").replace("]", "").split("."):
        if step:
            value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _tokens(value: Any) -> Iterator[Token]:
    """Every key and every scalar of decoded JSON."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield "key", key
            yield from _tokens(member)
    elif isinstance(value, list):
        for member in value:
            yield from _tokens(member)
    else:
        yield "value", _scalar(value)


def _scalar(value: Any) -> str:
    return SAME if value == SAME else json.dumps(value, ensure_ascii=False)


def _lines(value: Any, common: set[Token], key: str, indent: int, end: str) -> Iterator[WireLine]:
    opening = [_piece("key", key, f'"{key}"', common), WirePiece(text=": ", lit=False)] if key else []
    before, after = "", ""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value, before, after = value[0], "[", "]"  # the only member shares the lines of its list
    if isinstance(value, dict | list) and value:
        brackets = "{}" if isinstance(value, dict) else "[]"
        members = list(value.items()) if isinstance(value, dict) else [("", member) for member in value]
        yield WireLine(indent=indent, pieces=(*opening, WirePiece(text=before + brackets[0], lit=False)))
        for index, (name, member) in enumerate(members):
            comma = "," if index < len(members) - 1 else ""
            yield from _lines(member, common, name, indent + 1, comma)
        yield WireLine(indent=indent, pieces=(WirePiece(text=brackets[1] + after + end, lit=False),))
        return
    text = _scalar(value)
    pieces = (*opening, _piece("value", text, text, common), WirePiece(text=after + end, lit=False))
    yield WireLine(indent=indent, pieces=pieces)


def _piece(kind: str, token: str, text: str, common: set[Token]) -> WirePiece:
    return WirePiece(text=text, lit=(kind, token) not in common)
