"""Messages as the JSON that a provider takes, and back.

What a provider has no field for does not come back; `losses` names it. Beside that, three things are added or
made equal: a result that names no tool gets the name of its call, a call without an id gets one, and an empty
thinking is none.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

from core.errors import InputError
from core.messages.chat_dialect import MessageLike, ToolLike, as_messages, as_tool_schemas
from core.messages.dialects import anthropic, ollama, openai_chat, openai_responses
from core.messages.dialects.reading import Object, a_list, kind, with_ids, with_names
from core.messages.types import Message, ToolSchema

Dialect = Literal["openai-chat", "openai-responses", "anthropic", "ollama"]


class _Dialect(Protocol):
    def write(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]: ...
    def read(self, body: Object | Sequence[Any]) -> list[Message]: ...


_DIALECTS: dict[str, _Dialect] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "ollama": ollama,
}
DIALECTS: tuple[str, ...] = tuple(_DIALECTS)
"""The providers' JSON that is written and read."""


def to_wire(
    messages: Iterable[MessageLike], tools: Iterable[ToolLike] | None, dialect: str
) -> dict[str, Any]:
    """The part of a request's body that tells the conversation and the tools.

    Args:
        messages: typed messages, or dicts of the OpenAI chat dialect, including the system prompt.
        tools: the tools that are advertised.
        dialect: one of `DIALECTS`.

    Returns:
        `messages` (in the Responses API `input`), with `tools` where there are any, and in Anthropic's API
        with `system`. Model, sampling and the like are the caller's.

    Raises:
        InputError: a message or tool that cannot be read, a dialect that is not known, or, for Anthropic and
        Ollama, a call whose arguments are no JSON object.
    """
    return _DIALECTS[checked_dialect(dialect)].write(as_messages(messages), as_tool_schemas(tools))


def from_wire(obj: Mapping[str, Any] | Sequence[Any], dialect: str) -> list[Message]:
    """The typed messages in a provider's JSON.

    Args:
        obj: a request, a reply, a list of messages (or items), or a single one, decoded from JSON.
        dialect: one of `DIALECTS`.

    Returns:
        The messages, the system prompt first. A part of content that is no text leaves its kind in brackets.

    Raises:
        InputError: naming the message that cannot be read.
    """
    read = _DIALECTS[checked_dialect(dialect)].read
    if isinstance(obj, str | bytes) or not isinstance(obj, Mapping | Sequence):
        raise InputError(f"A conversation must be decoded JSON, an object or a list, not {kind(obj)}.")
    return with_names(with_ids(read(obj)))


def tools_from_wire(obj: Mapping[str, Any] | Sequence[Any]) -> list[ToolSchema] | None:
    """The tools that a request of any dialect advertises; `None` where it does not tell.

    Raises:
        InputError: a tool that cannot be read.
    """
    if not isinstance(obj, Mapping) or obj.get("tools") is None:
        return None
    return list(as_tool_schemas(a_list(obj["tools"], "The tools")))


def checked_dialect(dialect: str) -> str:
    """The name of a dialect.

    Raises:
        InputError: there is none of this name.
    """
    if not isinstance(dialect, str) or dialect not in _DIALECTS:
        raise InputError(f"There is no dialect {dialect!r}. Choose one of {', '.join(DIALECTS)}.")
    return dialect
