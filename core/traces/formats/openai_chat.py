"""OpenAI's chat protocol: a list of messages, a request, a response, or both; also wrapped.

Source: the API reference of chat completions. Wrappers seen in the wild hold the list under `messages` or
`traj` (tau-bench), with `tools` beside it.
"""

from collections.abc import Iterator
from typing import Any

from core.messages.types import ToolSchema
from core.traces.calls import Call, runs_of
from core.traces.conversation import ROLES, read_logprobs, read_message, read_messages, read_tools
from core.traces.lenient_json import parsed
from core.traces.run import Notices, Run, Said
from core.traces.shape import first_text, items, mapping, objects, text, usage_of

NAME = "OpenAI chat"
LISTS = ("messages", "traj", "trajectory", "conversation", "history")


def messages_in(value: Any) -> list[Any] | None:
    """The list of messages that the value is, or holds; `None` if there is none."""
    if isinstance(value, list):
        return value if any(ROLES.get(str(item.get("role")).lower()) for item in objects(value)) else None
    for source in (mapping(value), request_of(value)):
        for key in LISTS:
            listed = parsed(source.get(key))  # data sets hold the list as a text
            if isinstance(listed, list) and messages_in(listed) is not None:
                return listed
    return None


def request_of(value: Any) -> dict[str, Any]:
    """The request in a log of request and response; else the value itself."""
    told = mapping(value)
    return mapping(told.get("request")) or mapping(told.get("body")) or told


def response_of(value: Any) -> dict[str, Any]:
    """The response in a log of request and response; else the value itself."""
    told = mapping(value)
    response = mapping(told.get("response")) or told
    return mapping(response.get("body")) or response


def choice_of(value: Any) -> dict[str, Any]:
    """The first choice of a response."""
    choices = objects(response_of(value).get("choices"))
    return choices[0] if choices and isinstance(choices[0].get("message"), dict) else {}


def matches(value: Any) -> bool:
    """Whether the value is of this format; a list may be one conversation or hold several."""
    if messages_in(value) is not None or choice_of(value):
        return True
    return isinstance(value, list) and any(matches(item) for item in objects(value))


def read(value: Any) -> Iterator[Run]:
    """The runs of the value: calls that go on with each other's conversation are one."""
    if isinstance(value, list) and messages_in(value) is None:
        calls: list[Call] = []
        for item in objects(value):
            if choice_of(item) and messages_in(item) is not None:
                calls.append(_call(item))
            elif matches(item):
                yield from read(item)
        yield from runs_of(calls)
        return
    notices = Notices()
    said = read_messages(messages_in(value) or (), notices)
    if choice_of(value):
        said += _reply(value, notices)
    elif mapping(value).get("usage"):
        notices.add("The token counts beside the messages are of no one call, so they are not shown.")
    yield Run(
        said,
        title=title_of(value),
        model=model_of(value),
        tools=_tools(value, notices),
        notices=tuple(notices),
    )


def model_of(value: Any) -> str | None:
    """The model that answered, else the one that was asked for."""
    names = (first_text(source, "model") for source in (response_of(value), request_of(value)))
    return next((name for name in names if name), None)


def title_of(value: Any) -> str:
    """What a wrapper calls its run."""
    told = mapping(value)
    name = first_text(told, "title", "name", "instance_id", "task_id")
    return name or (f"task {told['task_id']}" if isinstance(told.get("task_id"), int) else "")


def _call(value: Any) -> Call:
    notices = Notices()
    return Call(
        messages_in(value) or (),
        _reply(value, notices),
        model=model_of(value),
        tools=_tools(value, notices),
        title=title_of(value),
        notices=notices,
    )


def _reply(value: Any, notices: Notices) -> list[Said]:
    choice = choice_of(value)
    said = read_message({"role": "assistant", **choice["message"]}, notices)
    return [
        Said(
            one.message,
            usage=usage_of(response_of(value).get("usage")),
            finish_reason=text(choice.get("finish_reason")) or None,
            tokens=read_logprobs(choice),
        )
        for one in said
    ]


def _tools(value: Any, notices: Notices) -> tuple[ToolSchema, ...] | None:
    source = request_of(value)
    return read_tools(source.get("tools") or items(source.get("functions")) or None, notices)
