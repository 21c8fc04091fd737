"""SWE-agent's .traj: `history` is what the model was sent, `trajectory` what each step did.

Source: SWE-agent's documentation, "Trajectories". With function calling the history holds calls and tool
messages. Without, an action is text in the reply, and its observation a user message; the action's first word
is its command, and becomes the name of the call. Demonstrations may hold the history alone.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from core.messages.types import AssistantMessage, ToolCall, ToolResultMessage
from core.traces.conversation import read_message, read_messages
from core.traces.lenient_json import parsed
from core.traces.run import Notices, Run, Said
from core.traces.shape import first_text, is_whole, items, mapping, objects, text

NAME = "SWE-agent"


def matches(value: Any) -> bool:
    """Whether the value has such a trajectory or history."""
    told = mapping(value)
    steps, history = objects(told.get("trajectory")), objects(told.get("history"))
    if any("observation" in step and ("action" in step or "response" in step) for step in steps):
        return True
    return any("message_type" in message or "agent" in message for message in history)


def read(value: Any) -> Iterator[Run]:
    """One run."""
    notices = Notices()
    steps = list(filter(is_whole, objects(value.get("trajectory"))))
    history = list(filter(is_whole, objects(value.get("history"))))
    said = _of_history(history, notices)
    if steps and not said:
        said = _sent(steps[0], notices)
    replied = sum(isinstance(one.message, AssistantMessage) for one in said)
    if said and steps and isinstance(said[-1].message, AssistantMessage):
        said += _last_result(said[-1].message, steps[min(replied, len(steps)) - 1])
    for step in steps[replied:]:  # those of which the history does not tell
        said += _of_step(step)
    config = mapping(parsed(value.get("replay_config")))
    info = mapping(value.get("info"))
    yield Run(
        said,
        title=first_text(mapping(config.get("problem_statement")), "id") or first_text(value, "instance_id"),
        model=first_text(mapping(mapping(config.get("agent")).get("model")), "name") or None,
        stop=first_text(info, "exit_status"),
        notices=tuple(notices),
    )


def _of_history(history: Sequence[dict[str, Any]], notices: Notices) -> list[Said]:
    said: list[Said] = []
    for number, told in enumerate(history, 1):
        if told.get("is_demo") is True or told.get("message_type") == "demonstration":
            notices.add("The history begins with a demonstration, which the agent did not do itself.")
        last = said[-1].message if said else None
        acted = isinstance(last, AssistantMessage) and bool(last.tool_calls)
        if acted and told.get("message_type") == "observation" and told.get("role") == "user":
            said.append(Said(ToolResultMessage(tool_call_id="", content=_content(told, notices))))
        else:
            said += read_message(told, notices, number)
            last = said[-1].message if said else None
            action = first_text(told, "action")
            if action and isinstance(last, AssistantMessage) and not last.tool_calls:
                said[-1] = _acted(_content(told, notices), action)
    return said


def _sent(step: dict[str, Any], notices: Notices) -> list[Said]:
    """What the first step was sent, where the file keeps it."""
    sent = items(step.get("query")) or items(step.get("messages"))
    if not sent:
        notices.add("The file holds the steps alone: what the model was sent is not in it.")
    return read_messages(sent, notices)


def _of_step(step: dict[str, Any]) -> list[Said]:
    reply, action = first_text(step, "response", "thought"), first_text(step, "action")
    if not action:
        return [Said(AssistantMessage(content=reply))]
    observation = ToolResultMessage(tool_call_id="", content=text(step.get("observation")))
    return [_acted(reply, action), Said(observation)]


def _acted(reply: str, action: str) -> Said:
    name, _, arguments = action.strip().partition(" ")
    if "\n" in name:
        name, _, arguments = action.strip().partition("\n")
    call = ToolCall(id="", name=name, arguments=arguments)
    return Said(AssistantMessage(content=reply, tool_calls=(call,)))


def _last_result(reply: AssistantMessage, step: dict[str, Any]) -> list[Said]:
    """The observation of the last reply, before which the history ends."""
    observation = step.get("observation")
    if not reply.tool_calls or not isinstance(observation, str):
        return []
    return [Said(ToolResultMessage(tool_call_id=reply.tool_calls[0].id, content=observation))]


def _content(told: dict[str, Any], notices: Notices) -> str:
    read = read_message({"role": "user", "content": told.get("content")}, notices)
    return read[0].message.content if read else ""
