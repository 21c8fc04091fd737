"""A conversation that a person edits: read from a provider's JSON, changed message by message."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import InputError
from core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    from_wire,
    pairs,
    strict_json,
    tools_from_wire,
)
from core.trace import Trace
from core.traces.formats import anthropic, ollama, openai_responses
from core.values import Value

LONGEST = 400_000
"""Characters of pasted JSON."""

MOST_MESSAGES = 1_000

WEATHER = "get_weather"
"""What is called where the conversation tells of no tool."""

_MATCHES = {"openai-responses": openai_responses, "anthropic": anthropic, "ollama": ollama}
"""What is none of these is read as OpenAI's chat dialect."""


class Conversation(Value):
    """Messages with the tools that are advertised beside them."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()


class Read(Value):
    """A conversation that was pasted, and the dialect that it was written in."""

    conversation: Conversation
    dialect: str


def conversation_of(trace: Trace) -> Conversation:
    """The whole conversation of a run, its system prompt first."""
    system = () if trace.system is None else (SystemMessage(content=trace.system),)
    return Conversation(messages=(*system, *trace.messages), tools=trace.tools or ())


def read_conversation(text: str) -> Read:
    """The conversation in a provider's JSON: a request, a reply, or a list of messages.

    Raises:
        InputError: it is too long, no JSON, or holds no conversation.
    """
    if len(text) > LONGEST:
        raise InputError(f"The JSON has {len(text):,} characters; at most {LONGEST:,} can be pasted.")
    try:
        value = strict_json.parse(text)
    except strict_json.JSONFault as fault:
        raise InputError(f"This is not JSON: {fault}.") from None
    if not isinstance(value, dict | list):
        raise InputError("The JSON must be a request, a reply or a list of messages.")
    dialect = next((name for name, form in _MATCHES.items() if form.matches(value)), "openai-chat")
    messages = from_wire(value, dialect)
    if not messages:
        raise InputError("There is no message in this JSON.")
    if len(messages) > MOST_MESSAGES:
        raise InputError(f"There are {len(messages):,} messages; at most {MOST_MESSAGES:,} can be shown.")
    tools = tuple(tools_from_wire(value) or ())
    return Read(conversation=Conversation(messages=tuple(messages), tools=tools), dialect=dialect)


def fields(message: Message) -> dict[str, str]:
    """What can be written otherwise in a message: its texts, and the ids that pair."""
    match message:
        case AssistantMessage(tool_calls=calls):
            told = {"thinking": message.thinking} if message.thinking else {}
            for place, call in enumerate(calls):
                told |= {f"call {place} {key}": getattr(call, key) for key in ("id", "name", "arguments")}
            return {**told, "content": message.content}
        case ToolResultMessage():
            return {"tool_call_id": message.tool_call_id, "content": message.content}
        case _:
            return {"content": message.content}


def edited(conversation: Conversation, index: int, written: Mapping[str, str]) -> Conversation:
    """The conversation with the `fields` of a message written otherwise; other names are left out."""
    message = conversation.messages[index]
    known = {name: text for name, text in written.items() if name in fields(message)}
    changes: dict[str, Any] = {name: text for name, text in known.items() if not name.startswith("call ")}
    if "thinking" in changes:
        changes["thinking"] = changes["thinking"] or None
        if changes["thinking"] != getattr(message, "thinking", None):
            changes["signature"] = None  # it signs the thinking that it came with
    if isinstance(message, AssistantMessage):
        changes["tool_calls"] = tuple(
            call.model_copy(
                update={
                    key: known[f"call {place} {key}"]
                    for key in ("id", "name", "arguments")
                    if f"call {place} {key}" in known
                }
            )
            for place, call in enumerate(message.tool_calls)
        )
    return _replaced(conversation, index, message.model_copy(update=changes))


def with_user(conversation: Conversation, index: int) -> tuple[Conversation, int]:
    """With a message of the user behind one, and where it stands."""
    return _inserted(conversation, index + 1, UserMessage(content="And in Paris?"))


def with_answer(conversation: Conversation, index: int) -> tuple[Conversation, int]:
    """With a text of the model behind a message, and where it stands."""
    return _inserted(conversation, index + 1, AssistantMessage(content="Let me see."))


def with_call(conversation: Conversation, index: int) -> tuple[Conversation, int]:
    """With one more call: in this message where it is the model's, else in a new one behind it."""
    message = conversation.messages[index] if conversation.messages else None
    call = ToolCall(id=_free_id(conversation.messages), name=_tool_of(conversation), arguments="{}")
    if isinstance(message, AssistantMessage):
        grown = message.model_copy(update={"tool_calls": (*message.tool_calls, call)})
        return _replaced(conversation, index, grown), index
    return _inserted(conversation, index + 1, AssistantMessage(tool_calls=(call,)))


def with_result(conversation: Conversation, index: int) -> tuple[Conversation, int]:
    """With a result behind a message: of the nearest call above that waits for one, else of the last call.

    Where there is no call at all it is an orphan.
    """
    above = [pair for pair in pairs(conversation.messages) if pair.call <= index]
    waiting = [pair for pair in above if pair.result is None]
    pair = waiting[-1] if waiting else above[-1] if above else None
    asked = None if pair is None else conversation.messages[pair.call]
    name = asked.tool_calls[pair.place].name if pair and isinstance(asked, AssistantMessage) else None
    content = "12°C, rainy" if name in (None, WEATHER) else "done"  # what fits any tool
    result = ToolResultMessage(tool_call_id=pair.call_id if pair else "call_1", name=name, content=content)
    return _inserted(conversation, index + 1, result)


def without(conversation: Conversation, index: int) -> tuple[Conversation, int]:
    """Without a message, and the one that is nearest to its place."""
    messages = (*conversation.messages[:index], *conversation.messages[index + 1 :])
    left = conversation.model_copy(update={"messages": messages})
    return left, max(0, min(index, len(messages) - 1))


def _replaced(conversation: Conversation, index: int, message: Message) -> Conversation:
    messages = (*conversation.messages[:index], message, *conversation.messages[index + 1 :])
    return conversation.model_copy(update={"messages": messages})


def _inserted(conversation: Conversation, index: int, message: Message) -> tuple[Conversation, int]:
    messages = (*conversation.messages[:index], message, *conversation.messages[index:])
    return conversation.model_copy(update={"messages": messages}), min(index, len(messages) - 1)


def _tool_of(conversation: Conversation) -> str:
    """A tool of the conversation: one that is advertised, else the one that is called."""
    called = (
        call.name
        for message in reversed(conversation.messages)
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    )
    return conversation.tools[0].name if conversation.tools else next(called, WEATHER)


def _free_id(messages: Sequence[Message]) -> str:
    taken = {pair.call_id for pair in pairs(messages)}
    number = 1
    while f"call_{number}" in taken:
        number += 1
    return f"call_{number}"
