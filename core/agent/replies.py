"""A reply on its way into the history, and what is read off it there."""

from collections.abc import Sequence
from itertools import count

from core.agent.tools import well_formed
from core.messages.types import AssistantMessage, Message, ToolCall, ToolResultMessage


def open_calls(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """The calls of the last reply that have no result yet."""
    answered = set()
    for message in reversed(messages):
        match message:
            case ToolResultMessage(tool_call_id=call_id):
                answered.add(call_id)
            case AssistantMessage(tool_calls=calls):
                return tuple(call for call in calls if call.id not in answered)
            case _:
                break
    return ()


def with_distinct_ids(message: AssistantMessage, history: Sequence[Message]) -> AssistantMessage:
    """The message as it enters the history: each call with an id that no other call of the message has.

    Without that, a result could not be paired with its call. The first holder keeps an id; a call that
    repeats it, or has none, gets the first of `call_1`, `call_2`, … that the history does not have either.
    """
    earlier = (said for said in history if isinstance(said, AssistantMessage))
    taken = {call.id for said in (*earlier, message) for call in said.tool_calls}
    numbered = (f"call_{number}" for number in count(1))
    seen: set[str] = set()
    calls = []
    for call in message.tool_calls:
        if not call.id or call.id in seen:
            call = call.model_copy(update={"id": next(id_ for id_ in numbered if id_ not in taken)})
        seen.add(call.id)
        calls.append(call)
    return message.model_copy(update={"tool_calls": tuple(calls)})


def well_formed_message(message: AssistantMessage) -> AssistantMessage:
    """The message as UTF-8 can express it, for it is sent again, and written to files."""
    calls = tuple(
        ToolCall(id=well_formed(call.id), name=well_formed(call.name), arguments=well_formed(call.arguments))
        for call in message.tool_calls
    )
    thinking = None if message.thinking is None else well_formed(message.thinking)
    return message.model_copy(
        update={"content": well_formed(message.content), "thinking": thinking, "tool_calls": calls}
    )


def thought_of(response: AssistantMessage) -> str:
    """Text that neither acts nor answers: a thinking span, and text beside tool calls."""
    beside = response.content if response.tool_calls else ""
    return "\n\n".join(text for text in (response.thinking, beside) if text and text.strip())
