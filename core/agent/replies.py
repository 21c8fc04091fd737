"""A reply on its way into the history, and what is read off it there."""

from collections.abc import Sequence

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


def with_distinct_ids(message: AssistantMessage, turn: int) -> AssistantMessage:
    """The message as it enters the history: each call with an id that no other call of the message has.

    Without that, a result could not be paired with its call. The first holder keeps an id; a call that
    repeats it, or has none, gets `call_<turn>_<position>`, both counted from 1.
    """
    given = {call.id for call in message.tool_calls}
    seen: set[str] = set()
    calls = []
    for position, call in enumerate(message.tool_calls, start=1):
        if not call.id or call.id in seen:
            fresh = f"call_{turn}_{position}"
            while fresh in given | seen:
                fresh += "_"
            call = call.model_copy(update={"id": fresh})
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
