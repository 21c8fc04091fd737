"""Ids of calls as Mistral's templates and servers want them: nine letters or digits.

Source: mistral-common, protocol/instruct/validator.py.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from itertools import count
from string import ascii_letters, digits

from core.messages.chat_dialect import MessageLike, as_messages
from core.messages.dialects.reading import with_ids
from core.messages.types import AssistantMessage, Message, ToolResultMessage

_ALPHABET = digits + ascii_letters


def is_nine_characters(call_id: str) -> bool:
    """Whether Mistral takes the id."""
    return re.fullmatch("[A-Za-z0-9]{9}", call_id) is not None


def with_nine_character_ids(messages: Iterable[MessageLike]) -> list[Message]:
    """The conversation with every id that Mistral refuses rewritten.

    A call and its result get the same new id, and two ids never become one: cutting ids short would do that.

    Raises:
        InputError: a message that cannot be read.
    """
    typed = with_ids(as_messages(messages))
    ids = dict.fromkeys(id_ for message in typed for id_ in _ids(message))
    taken = {id_ for id_ in ids if is_nine_characters(id_)}
    new: dict[str, str] = {id_: id_ for id_ in taken}
    for id_ in ids:
        if id_ not in new:
            new[id_] = next(short for number in count() if (short := _short(id_, number)) not in taken)
            taken.add(new[id_])
    return [_renamed(message, new) for message in typed]


def _ids(message: Message) -> list[str]:
    if isinstance(message, AssistantMessage):
        return [call.id for call in message.tool_calls]
    return [message.tool_call_id] if isinstance(message, ToolResultMessage) else []


def _short(id_: str, number: int) -> str:
    """Nine characters that depend on the id alone, so that the same conversation is the same text again."""
    value = int.from_bytes(sha256(f"{number}:{id_}".encode("utf-8", "surrogatepass")).digest())
    return "".join(_ALPHABET[value // len(_ALPHABET) ** place % len(_ALPHABET)] for place in range(9))


def _renamed(message: Message, new: dict[str, str]) -> Message:
    if isinstance(message, AssistantMessage) and message.tool_calls:
        calls = tuple(call.model_copy(update={"id": new[call.id]}) for call in message.tool_calls)
        return message.model_copy(update={"tool_calls": calls})
    if isinstance(message, ToolResultMessage):
        return message.model_copy(update={"tool_call_id": new[message.tool_call_id]})
    return message
