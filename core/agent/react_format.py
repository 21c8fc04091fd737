"""ReAct as text, by stop-and-parse: the model writes text, and the runtime reads its calls from it.

The history stays typed. A call sends it as text: what the model wrote as `Thought:`, `Action:` and `Action
Input:`, what the tools returned as `Observation:`. The tools are described in the system prompt
(`core.agent.settings`), for nothing else tells the model of them.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.agent.formats import Turn
from core.agent.react_text import Action, Finish, Malformed, Thought, observation_at, stop_and_parse
from core.messages import strict_json
from core.messages.types import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
)

OBSERVATION = "Observation: "


class TextFormat:
    """Text ReAct (Yao et al., 2023). A reply is cut where the model begins to write an observation itself."""

    def sent(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],  # noqa: ARG002
    ) -> tuple[tuple[Message, ...], tuple[ToolSchema, ...]]:
        return tuple(
            _as_text(message, after) for message, after in pairwise((*messages, None)) if message
        ), ()

    def read(self, reply: AssistantMessage, tools: Sequence[ToolSchema]) -> Turn:
        if reply.tool_calls:  # a server may find calls in the text by itself
            return Turn(message=reply)
        *before, end = stop_and_parse(reply.content)
        cut = reply.content[observation_at(reply.content) :].strip()
        thought = "\n\n".join(item.text for item in before if isinstance(item, Thought) and item.text)
        match end:
            case Action(name=name, input=written):
                call = ToolCall(id="", name=name, arguments=arguments_of(name, written, tools))
                message = AssistantMessage(content=thought, thinking=reply.thinking, tool_calls=(call,))
                return Turn(message=message, ignored=_joined(end.ignored, cut))
            case Finish(answer=answer):
                # The thought before an answer is marked as such, so that the answer alone is the text.
                message = AssistantMessage(content=answer, thinking=_joined(reply.thinking, thought) or None)
                return Turn(message=message, ignored=_joined(end.ignored, cut))
            case Malformed(problem=problem):
                kept = reply.content[: observation_at(reply.content)].strip()
                message = AssistantMessage(content=kept, thinking=reply.thinking)
                return Turn(message=message, problem=problem, ignored=cut)
        raise AssertionError(f"{end} ends no turn")

    def is_complete(self, text: str) -> bool:
        # In a code fence that is still open, the label may be an example.
        return observation_at(text) < len(text) and text.count("```") % 2 == 0


TEXT = TextFormat()


def arguments_of(name: str, written: str, tools: Sequence[ToolSchema]) -> str:
    """The arguments of a call as JSON text.

    An object is taken as it is, and nothing means no arguments. Anything else is the value of the first
    required argument, or of the first one: a string as it stands there, without the quotation marks of JSON;
    where no string is asked for, the JSON value. For an unknown tool, or one without arguments, it stays as
    written, and the checks will tell.
    """
    schema = next((tool.parameters for tool in tools if tool.name == name), {})
    properties = schema.get("properties")
    if not written or written.startswith("{") or not isinstance(properties, dict) or not properties:
        return written
    required = [key for key in schema.get("required", ()) if key in properties]
    key = required[0] if required else next(iter(properties))
    try:
        value = strict_json.parse(written)
    except strict_json.JSONFault:
        value = written
    takes_text = isinstance(properties[key], dict) and properties[key].get("type") == "string"
    if takes_text and not isinstance(value, str):
        value = written
    return json.dumps({key: value}, ensure_ascii=False)


def _as_text(message: Message, after: Message | None) -> Message:
    match message:
        case ToolResultMessage():
            return UserMessage(content=f"{OBSERVATION}{message.content}")
        case AssistantMessage():
            return AssistantMessage(content="\n".join(_lines(message, after)))
    return message


def _lines(message: AssistantMessage, after: Message | None) -> Iterator[str]:
    if message.tool_calls:
        if message.content:
            yield f"Thought: {message.content}"
        for call in message.tool_calls:
            yield f"Action: {call.name}\nAction Input: {call.arguments or '{}'}"
    elif isinstance(after, UserMessage) and after.content.startswith(OBSERVATION):
        yield message.content or "Thought:"  # a reply that could not be read goes back as it was
    elif isinstance(after, UserMessage):
        if message.thinking:
            yield f"Thought: {message.thinking}"
        yield f"Final Answer: {message.content}"
    else:  # a thought that was put there by hand, and the model goes on from it
        yield f"Thought: {message.content}"


def _joined(*texts: str | None) -> str:
    return "\n\n".join(text for text in texts if text and text.strip())
