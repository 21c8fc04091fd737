"""What of a conversation a provider's JSON has no place for."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from core.messages.chat_dialect import MessageLike, as_messages
from core.messages.dialects.arguments import decoded, keeps_spelling
from core.messages.dialects.ollama import in_call_order
from core.messages.dialects.openai_responses import joined
from core.messages.dialects.reading import with_names
from core.messages.types import AssistantMessage, Message, SystemMessage, ToolResultMessage
from core.messages.wire import checked_dialect
from core.values import Value


class Loss(Value):
    """Something of the message with this index that does not come back from the wire as it was."""

    field: Literal["arguments", "error flag", "tool name", "place", "boundary", "thought", "signature"]
    index: int
    call_id: str = ""
    reason: str

    def __str__(self) -> str:
        return f"Message {self.index}: {self.reason}"


def losses(messages: Iterable[MessageLike], dialect: str) -> list[Loss]:
    """What `to_wire` cannot carry in a dialect, by message; empty where `from_wire` gives the same again.

    Raises:
        InputError: a message that cannot be read, or a dialect that is not known.
    """
    checked_dialect(dialect)
    typed = as_messages(messages)
    found: list[Loss] = []
    if dialect in ("anthropic", "ollama"):
        found += _of_arguments(typed)
    if dialect != "anthropic":
        found += _of_error_flags(typed)
    if dialect in ("anthropic", "openai-responses"):
        found += _of_tool_names(typed)
    found += _of_thoughts(typed, dialect)
    if dialect == "anthropic":
        found += _of_system_prompts(typed)
    if dialect == "openai-responses":
        found += _of_boundaries(typed)
    if dialect == "ollama":
        found += _of_order(typed)
    return sorted(found, key=lambda loss: loss.index)


def _of_arguments(messages: Sequence[Message]) -> Iterator[Loss]:
    for index, message in enumerate(messages):
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            if decoded(call.arguments) is None:
                reason = f"the arguments of {call.name} are no JSON object, so the call cannot be sent."
            elif not keeps_spelling(call.arguments):
                reason = f"the arguments of {call.name} travel as an object; how they were spelt is lost."
            else:
                continue
            yield Loss(field="arguments", index=index, call_id=call.id, reason=reason)


def _of_error_flags(messages: Sequence[Message]) -> Iterator[Loss]:
    for index, message in enumerate(messages):
        if isinstance(message, ToolResultMessage) and message.is_error:
            reason = "there is no field that says that a result is an error; only its text can."
            yield Loss(field="error flag", index=index, call_id=message.tool_call_id, reason=reason)


def _of_tool_names(messages: Sequence[Message]) -> Iterator[Loss]:
    nameless = [
        message.model_copy(update={"name": None}) if isinstance(message, ToolResultMessage) else message
        for message in messages
    ]
    for index, (message, restored) in enumerate(zip(messages, with_names(nameless), strict=True)):
        if not isinstance(message, ToolResultMessage) or message.name is None:
            continue
        if isinstance(restored, ToolResultMessage) and restored.name != message.name:
            reason = f"a result carries no tool name, and no call with its id names {message.name}."
            yield Loss(field="tool name", index=index, call_id=message.tool_call_id, reason=reason)


def _of_thoughts(messages: Sequence[Message], dialect: str) -> Iterator[Loss]:
    for index, message in enumerate(messages):
        if not isinstance(message, AssistantMessage) or not message.thinking:
            continue
        if dialect == "anthropic" and not message.signature:
            reason = "its thinking bears no signature of Anthropic's server, so it is sent as text."
            yield Loss(field="thought", index=index, reason=reason)
        if dialect != "anthropic" and message.signature:
            reason = "there is no field for the signature of its thinking."
            yield Loss(field="signature", index=index, reason=reason)


def _of_system_prompts(messages: Sequence[Message]) -> Iterator[Loss]:
    for index, message in enumerate(messages):
        if isinstance(message, SystemMessage) and index > 0:
            reason = "the system prompt is one text at the top of the request, and this joins it."
            yield Loss(field="place", index=index, reason=reason)


def _of_boundaries(messages: Sequence[Message]) -> Iterator[Loss]:
    for index in joined(messages):
        reason = "its items continue those of the message before, and become one message with them."
        yield Loss(field="boundary", index=index, reason=reason)


def _of_order(messages: Sequence[Message]) -> Iterator[Loss]:
    for index, (message, sent) in enumerate(zip(messages, in_call_order(messages), strict=True)):
        if message is not sent and isinstance(message, ToolResultMessage):
            reason = "results are sent in the order of their calls."
            yield Loss(field="place", index=index, call_id=message.tool_call_id, reason=reason)
