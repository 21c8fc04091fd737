"""What a strict server would answer to a history, message by message.

The words are the servers' own, as users have reported them up to August 2026. A server names only the first
breach that it meets; here all are named. Ollama is not strict: it takes every history as it is, and the model
sees a result without its call.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from core.messages.chat_dialect import MessageLike, as_messages
from core.messages.dialects import anthropic
from core.messages.pairing import check_pairing
from core.messages.types import AssistantMessage, Message, SystemMessage, ToolCall, ToolResultMessage
from core.messages.wire import checked_dialect
from core.values import Value

CHAT_NO_RESULT = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
)
CHAT_NO_CALL = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'."
)
CHAT_SECOND_RESULT = (
    "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{first}] and "
    "messages[{index}]."
)
RESPONSES_NO_RESULT = "No tool output found for function call {id}."
RESPONSES_NO_CALL = "No tool call found for function call output with call_id {id}."
ANTHROPIC_NO_RESULT = (
    "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
    "`tool_use` block must have a corresponding `tool_result` block in the next message."
)
ANTHROPIC_NO_CALL = (
    "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must "
    "have a corresponding `tool_use` block in the previous message."
)
ANTHROPIC_SECOND_RESULT = (
    "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
)
ANTHROPIC_REPEATED_ID = "{place}: `tool_use` ids must be unique"
ANTHROPIC_BAD_ID = "{place}: String should match pattern '^[a-zA-Z0-9_-]+$'"
ANTHROPIC_EMPTY = (
    "{place}: all messages must have non-empty content except for the optional final assistant message"
)


class Refusal(Value):
    """An answer with status 400.

    `index` is the message that is at fault, `call_ids` are its calls that are; `place` is where the server
    says that the fault is in the JSON, and `words` is what it says.
    """

    index: int
    call_ids: tuple[str, ...] = ()
    place: str
    words: str

    def __str__(self) -> str:
        return f"400 invalid_request_error: {self.words}"


def refusals(messages: Iterable[MessageLike], dialect: str) -> list[Refusal]:
    """What the server of a dialect would object to, by message; empty where it takes the history.

    Raises:
        InputError: a message that cannot be read, or a dialect that is not known.
    """
    checked_dialect(dialect)
    typed = as_messages(messages)
    rules = {"openai-chat": _chat, "openai-responses": _responses, "anthropic": _anthropic}
    found = rules[dialect](typed) if dialect in rules else ()
    return sorted(found, key=lambda refusal: refusal.index)


def _refusal(index: int, place: str, words: str, *ids: str, **facts: int) -> Refusal:
    id_ = ids[0] if ids else ""
    said = words.format(place=place, id=id_, ids=", ".join(ids), index=index, **facts)
    return Refusal(index=index, call_ids=ids, place=place, words=said)


def _chat(messages: Sequence[Message]) -> Iterator[Refusal]:
    """OpenAI, Chat Completions: the results of a message stand behind it."""
    for index, ids in _unanswered(messages):
        yield _refusal(index, f"messages.[{index}].role", CHAT_NO_RESULT, *ids)
    for problem in check_pairing(messages):
        if problem.kind == "no call":
            yield _refusal(problem.index, f"messages.[{problem.index}].role", CHAT_NO_CALL, problem.call_id)
        elif problem.kind == "second result":
            place = f"messages.[{problem.index}].tool_call_id"
            first = _first_result(messages, problem.index, problem.call_id)
            yield _refusal(problem.index, place, CHAT_SECOND_RESULT, problem.call_id, first=first)


def _first_result(messages: Sequence[Message], index: int, id_: str) -> int:
    """The result that answered the call before this one."""
    return next(
        earlier
        for earlier in range(index - 1, -1, -1)
        if isinstance(result := messages[earlier], ToolResultMessage) and result.tool_call_id == id_
    )


def _responses(messages: Sequence[Message]) -> Iterator[Refusal]:
    """OpenAI, Responses: a call is sought in all of the input."""
    asked = {call.id for message in messages for call in _calls(message)}
    answered = {message.tool_call_id for message in messages if isinstance(message, ToolResultMessage)}
    for index, message in enumerate(messages):
        for call in _calls(message):
            if call.id not in answered:
                yield _refusal(index, "input", RESPONSES_NO_RESULT, call.id)
        if isinstance(message, ToolResultMessage) and message.tool_call_id not in asked:
            yield _refusal(index, "input", RESPONSES_NO_CALL, message.tool_call_id)


def _anthropic(messages: Sequence[Message]) -> Iterator[Refusal]:
    """Anthropic: results stand in the next message, ids occur once in a request, no content is empty."""
    indices = [index for index, message in enumerate(messages) if not isinstance(message, SystemMessage)]
    sent = [messages[index] for index in indices]
    places = {
        index: (f"messages.{number}", block)
        for number, group in enumerate(anthropic.groups(sent))
        for block, index in enumerate(group)
    }
    found = [
        *(_refusal(at, places[at][0], ANTHROPIC_NO_RESULT, *ids) for at, ids in _unanswered(sent)),
        *_anthropic_results(sent, places),
        *_anthropic_blocks(sent, places),
    ]
    for refusal in found:
        yield refusal.model_copy(update={"index": indices[refusal.index]})


_Places = dict[int, tuple[str, int]]
"""The message in the JSON, and the block in it, of each message."""


def _anthropic_results(sent: Sequence[Message], places: _Places) -> Iterator[Refusal]:
    for problem in check_pairing(sent):
        words = {"no call": ANTHROPIC_NO_CALL, "second result": ANTHROPIC_SECOND_RESULT}.get(problem.kind)
        if words:
            message, block = places[problem.index]
            yield _refusal(problem.index, f"{message}.content.{block}", words, problem.call_id)


def _anthropic_blocks(sent: Sequence[Message], places: _Places) -> Iterator[Refusal]:
    seen: set[str] = set()
    for index, message in enumerate(sent):
        place = places[index][0]
        last_reply = index == len(sent) - 1 and isinstance(message, AssistantMessage)
        thinking = isinstance(message, AssistantMessage) and message.thinking
        empty = not (message.content or thinking or _calls(message))
        if empty and not isinstance(message, ToolResultMessage) and not last_reply:
            yield _refusal(index, place, ANTHROPIC_EMPTY)
        if not isinstance(message, AssistantMessage):
            continue
        for block, call in enumerate(
            message.tool_calls, start=bool(message.thinking) + bool(message.content)
        ):
            if call.id in seen:
                yield _refusal(index, f"{place}.content.{block}", ANTHROPIC_REPEATED_ID, call.id)
            if not re.fullmatch("[a-zA-Z0-9_-]+", call.id):
                yield _refusal(index, f"{place}.content.{block}.tool_use.id", ANTHROPIC_BAD_ID, call.id)
            seen.add(call.id)


def _unanswered(messages: Sequence[Message]) -> list[tuple[int, tuple[str, ...]]]:
    """The ids of calls without a result, by message."""
    ids: dict[int, tuple[str, ...]] = {}
    for problem in check_pairing(messages):
        if problem.kind == "no result":
            ids[problem.index] = (*ids.get(problem.index, ()), problem.call_id)
    return list(ids.items())


def _calls(message: Message) -> Sequence[ToolCall]:
    return message.tool_calls if isinstance(message, AssistantMessage) else ()
