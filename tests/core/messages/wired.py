"""A conversation that every dialect can write, and what its calls are."""

import json

from core.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)

ARGUMENTS = '{"city": "Oslo"}'
CALL = ToolCall(id="x", name="temp", arguments=ARGUMENTS)
OTHER = ToolCall(id="y", name="temp", arguments='{"city": "Rome"}')
TEMP = ToolSchema(name="temp", description="Degrees now.", parameters={"type": "object", "properties": {}})
CONVERSATION = [
    SystemMessage(content="Be brief."),
    UserMessage(content="Oslo or Rome?"),
    AssistantMessage(content="Checking both.", thinking="Two calls.", tool_calls=(CALL, OTHER)),
    ToolResultMessage(tool_call_id="x", name="temp", content="5"),
    ToolResultMessage(tool_call_id="y", name="temp", content="30"),
    UserMessage(content="And?"),
    AssistantMessage(content="Rome."),
]


def calls(message):
    return [(call.id, call.name, json.loads(call.arguments)) for call in message.tool_calls]
