"""What reading any provider's JSON needs: text out of parts, and names and ids that the wire leaves out."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.messages.types import AssistantMessage, Message, ToolCall, ToolResultMessage

Object = Mapping[str, Any]


def an_object(value: object, what: str) -> Object:
    """The value, if it is an object.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{what} must be an object, not {kind(value)}.")
    return value


def a_list(value: object, what: str) -> Sequence[Any]:
    """The value, if it is a list; an absent one is empty.

    Raises:
        InputError: it is something else.
    """
    if value is None:
        return ()
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        raise InputError(f"{what} must be a list, not {kind(value)}.")
    return value


def kind(value: object) -> str:
    """What a sentence calls the type of a value."""
    return "null" if value is None else type(value).__name__


def text_of(content: object, what: str) -> str:
    """Content that is text or a list of parts, as one text.

    The texts of parts are joined as they are. A part that is no text (an image, a file) leaves its kind in
    brackets, so that its place is seen.

    Raises:
        InputError: the content is neither, or null.
    """
    if isinstance(content, str):
        return content
    if content is None or not isinstance(content, list | tuple):
        raise InputError(f"{what} must be text or a list of parts, not {kind(content)}.")
    return "".join(part_text(part, what) for part in content)


def part_text(part: object, what: str) -> str:
    """The text of one part, or its kind in brackets."""
    if isinstance(part, str):
        return part
    described = an_object(part, f"A part of {what[0].lower()}{what[1:]}")
    for key in ("text", "refusal"):
        if isinstance(described.get(key), str):
            return str(described[key])
    return f"[{described.get('type', 'part')}]"


def arguments_text(arguments: object) -> str:
    """Arguments as the history keeps them: text stays, absent ones are empty, an object becomes JSON."""
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the arguments of a call cannot be written as JSON: {error}.") from error


def first_problem(error: ValidationError) -> str:
    """The first thing that a typed value finds wrong."""
    problem = error.errors()[0]
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"


def with_ids(messages: Iterable[Message]) -> list[Message]:
    """Calls without an id get one that occurs nowhere else, and results without one that of their call.

    Such a result belongs to the first open call of its turn with the same tool name or, if none has it, to
    the first open call. It keeps no id where no call is open.
    """
    typed = list(messages)
    taken = {
        call.id for message in typed if isinstance(message, AssistantMessage) for call in message.tool_calls
    }
    taken |= {message.tool_call_id for message in typed if isinstance(message, ToolResultMessage)}
    number = 1
    open_calls: list[ToolCall] = []
    paired: list[Message] = []
    for message in typed:
        if isinstance(message, AssistantMessage):
            calls = []
            for call in message.tool_calls:
                if not call.id:
                    while (id_ := f"call_{number}") in taken:
                        number += 1
                    taken.add(id_)
                    call = call.model_copy(update={"id": id_})
                calls.append(call)
            open_calls = list(calls)
            if tuple(calls) != message.tool_calls:
                message = message.model_copy(update={"tool_calls": tuple(calls)})
        elif isinstance(message, ToolResultMessage):
            answered = _answered(message, open_calls)
            if answered is not None:
                open_calls.remove(answered)
                if not message.tool_call_id:
                    message = message.model_copy(update={"tool_call_id": answered.id})
        paired.append(message)
    return paired


def _answered(result: ToolResultMessage, open_calls: Sequence[ToolCall]) -> ToolCall | None:
    if result.tool_call_id:
        return next((call for call in open_calls if call.id == result.tool_call_id), None)
    same_name = [call for call in open_calls if call.name == result.name]
    return next(iter(same_name or open_calls), None)


def with_names(messages: Iterable[Message]) -> list[Message]:
    """A result that names no tool gets the name from the nearest earlier call with its id."""
    names: dict[str, str] = {}
    named: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            names |= {call.id: call.name for call in message.tool_calls}
        elif isinstance(message, ToolResultMessage) and message.name is None and message.tool_call_id:
            name = names.get(message.tool_call_id)
            message = message.model_copy(update={"name": name}) if name else message
        named.append(message)
    return named
