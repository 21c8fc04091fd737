"""Ollama's chat: arguments are objects, ids may be absent, results name their tool; thinking beside content.

Source: Ollama's docs/api.md. A streamed reply is a line for each piece; the pieces are joined.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from core.traces.calls import Call, runs_of
from core.traces.conversation import read_message, read_tools
from core.traces.formats.openai_chat import messages_in, model_of, request_of, response_of, title_of
from core.traces.run import Notices, Run, Said
from core.traces.shape import first_text, items, mapping, objects, text, usage_of

NAME = "Ollama"


def matches(value: Any) -> bool:
    """Whether calls, results, or what stands beside the messages, are of this protocol."""
    if _is_response(response_of(value)):
        return True
    messages = messages_in(value)
    if messages is None:
        return isinstance(value, list) and any(matches(item) for item in objects(value))
    listed = objects(messages)
    if any("tool_name" in message for message in listed):
        return True
    # Harnesses decode the arguments of OpenAI's protocol too, but keep the ids of its results.
    return any(map(_has_object, listed)) and not any(message.get("tool_call_id") for message in listed)


def read(value: Any) -> Iterator[Run]:
    """The runs of the value: calls that go on with each other's conversation are one."""
    if isinstance(value, list) and messages_in(value) is None:
        calls: list[Call] = []
        for item in _joined(objects(value)):
            if _is_response(response_of(item)) and messages_in(item) is not None:
                calls.append(_call(item))
            elif matches(item):
                yield from read(item)
        yield from runs_of(calls)
    else:
        yield from runs_of([_call(value)])


def _call(value: Any) -> Call:
    notices = Notices()
    response = response_of(value)
    reply = []
    if _is_response(response):
        reply = [
            Said(said.message, usage_of(response), text(response.get("done_reason")) or None)
            for said in read_message(response["message"], notices)
        ]
    return Call(
        messages_in(value) or (),
        reply,
        model=model_of(value),
        tools=read_tools(request_of(value).get("tools"), notices),
        title=title_of(value),
        notices=notices,
    )


def _joined(pieces: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The replies of a stream; everything else as it stands."""
    texts: dict[str, list[str]] = {"content": [], "thinking": []}
    calls: list[Any] = []
    for piece in pieces:
        if not _is_response(piece):
            yield piece
            continue
        message = piece["message"]
        for key, parts in texts.items():
            parts.append(first_text(message, key))
        calls += items(message.get("tool_calls"))
        if piece.get("done") is not False:
            whole = {key: "".join(parts) for key, parts in texts.items()}
            yield piece | {"message": message | whole | {"tool_calls": calls}}
            texts, calls = {"content": [], "thinking": []}, []
    if calls or any("".join(parts) for parts in texts.values()):  # the stream was cut off
        whole = {key: "".join(parts) for key, parts in texts.items()}
        yield {"message": {"role": "assistant", **whole, "tool_calls": calls}, "done": False}


def _is_response(value: Any) -> bool:
    told = mapping(value)
    return isinstance(told.get("message"), dict) and isinstance(told.get("done"), bool)


def _has_object(message: dict[str, Any]) -> bool:
    return any(
        isinstance(mapping(call.get("function")).get("arguments"), dict)
        for call in objects(message.get("tool_calls"))
    )
