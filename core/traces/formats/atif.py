"""ATIF, the trajectory format of Harbor: steps of system, user and agent, with observations in the agent's.

Source: Harbor's documentation, "Agent Trajectory Format". Results name their call by `source_call_id`; by the
letter of the format one without belongs to no call, but harnesses leave it out where a step has one result.
Subagents are embedded, and become runs of their own, or are referred to.
"""

from collections.abc import Iterator
from typing import Any

from core.messages.types import AssistantMessage, Message, SystemMessage, ToolResultMessage, UserMessage
from core.traces.conversation import read_call, read_message, read_tools
from core.traces.run import Notices, Run, Said
from core.traces.shape import first_text, is_whole, mapping, objects, text, usage_of

NAME = "ATIF"
MOST_LEVELS = 8
"""Of subagents in subagents."""


def matches(value: Any) -> bool:
    """Whether the value names this format's version."""
    return text(mapping(value).get("schema_version")).startswith("ATIF")


def read(value: Any, level: int = 0) -> Iterator[Run]:
    """The run, and after it those of embedded subagents."""
    notices = Notices()
    agent = mapping(value.get("agent"))
    said = [one for step in objects(value.get("steps")) if is_whole(step) for one in _step(step, notices)]
    models = (first_text(step, "model_name") for step in reversed(objects(value.get("steps"))))
    yield Run(
        said,
        title=" · ".join(filter(None, (first_text(agent, "name"), first_text(value, "session_id")))),
        model=first_text(agent, "model_name") or next(filter(None, models), None),
        tools=read_tools(agent.get("tool_definitions"), notices),
        notices=tuple(notices),
    )
    if level < MOST_LEVELS:
        for subagent in objects(value.get("subagent_trajectories")):
            yield from read(subagent, level + 1)


def _step(told: dict[str, Any], notices: Notices) -> Iterator[Said]:
    if told.get("is_copied_context") is True:
        notices.add("Some steps were copied from another trajectory as context.")
    content = _text(told.get("message"), notices)
    calls = objects(told.get("tool_calls"))
    match told.get("source"):
        case "user":
            yield Said(UserMessage(content=content))
        case "system":
            yield Said(SystemMessage(content=content))
        case "agent":
            reply = AssistantMessage(
                content=content,
                thinking=first_text(told, "reasoning_content") or None,
                tool_calls=tuple(read_call(call) for call in calls),
            )
            yield Said(reply, usage=usage_of(told.get("metrics")))
        case other:
            notices.add(f"A step with the source {other!r:.40} was left out.")
    for result in objects(mapping(told.get("observation")).get("results")):
        message = _result(result, bool(calls), notices)
        if message is not None:
            yield Said(message)


def _result(told: dict[str, Any], follows_calls: bool, notices: Notices) -> Message | None:
    call_id = first_text(told, "source_call_id")
    if told.get("subagent_trajectory_ref"):
        notices.add("A subagent's trajectory is referred to; what it did is not part of this run.")
    content = _text(told.get("content"), notices)
    if call_id or follows_calls:
        return ToolResultMessage(tool_call_id=call_id, content=content)
    if not content:
        return None
    notices.add("An observation belongs to no call; it is shown as input.")  # what the environment showed
    return UserMessage(content=content)


def _text(content: Any, notices: Notices) -> str:
    return read_message({"role": "user", "content": content}, notices)[0].message.content
