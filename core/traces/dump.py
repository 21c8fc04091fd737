"""A run as a file: our own, a provider's request, ReAct text, or a page that plays it.

None of them holds a secret: a trace has no place for keys, addresses or settings of a connection.
"""

import json
from collections.abc import Callable, Iterator, Mapping

from core.errors import InputError
from core.messages.dialects.arguments import decoded
from core.messages.types import AssistantMessage, Message, SystemMessage, ToolResultMessage, UserMessage
from core.messages.wire import to_wire
from core.trace import Trace
from core.traces.formats import own, react_text
from core.traces.page import page_of
from core.traces.shape import as_json

OBJECTS = ("anthropic", "ollama")


def dump(trace: Trace, format: str) -> bytes:
    """The file of a run, UTF-8.

    Args:
        trace: the run.
        format: one of `FORMATS`. `"loopscope"` is the run itself, whole: `load` gives an equal one. The
            providers' formats hold the messages, the tools and the model, as a request would send them;
            `core.messages.losses` tells what they cannot carry. Anthropic and Ollama take arguments as an
            object alone: others travel as `{"input": text}`. `"react-text"` writes one action after the
            other and has no escapes: a text with a line such as `Observation:` is read back otherwise.
            `"html"` is a page that opens without a server.

    Raises:
        InputError: a format that is not known, or a run that the format cannot express.
    """
    if not isinstance(trace, Trace):
        raise InputError(f"Only a trace can be exported, not {type(trace).__name__}.")
    if not isinstance(format, str) or format not in FORMATS:
        raise InputError(f"There is no format {format!r:.40}. Choose one of {', '.join(FORMATS)}.")
    return _WRITERS[format](trace).encode("utf-8")


def _messages(trace: Trace) -> list[Message]:
    system = [] if trace.system is None else [SystemMessage(content=trace.system)]
    return [*system, *trace.messages]


def _own(trace: Trace) -> str:
    return _json(own.to_json(trace))


def _request(dialect: str) -> Callable[[Trace], str]:
    def write(trace: Trace) -> str:
        model = {} if trace.model is None else {"model": trace.model}
        messages = _messages(trace)
        if dialect in OBJECTS:
            messages = [_with_objects(message) for message in messages]
        return _json(model | to_wire(messages, trace.tools, dialect))

    return write


def _with_objects(message: Message) -> Message:
    """The message with arguments that are JSON objects."""
    if not isinstance(message, AssistantMessage) or not message.tool_calls:
        return message
    calls = tuple(
        call
        if decoded(call.arguments) is not None
        else call.model_copy(update={"arguments": as_json({"input": call.arguments})})
        for call in message.tool_calls
    )
    return message.model_copy(update={"tool_calls": calls})


def _react(trace: Trace) -> str:
    questions = sum(isinstance(message, UserMessage) for message in trace.messages)
    above = [react_text.heading(questions)] if questions > 1 else []
    return "\n".join([*above, *_react_lines(_messages(trace))]) + "\n"


def _react_lines(messages: list[Message]) -> Iterator[str]:
    """Every result directly behind its call, as the text has no ids that could pair them."""
    waiting = list(messages)
    while waiting:
        message = waiting.pop(0)
        match message:
            case SystemMessage():
                yield message.content
            case UserMessage():
                yield f"Question: {message.content}"
            case AssistantMessage():
                thought = [message.thinking, message.content if message.tool_calls else None]
                yield from (f"Thought: {text}" for text in thought if text)
                for call in message.tool_calls:
                    yield f"Action: {call.name}"
                    yield f"Action Input: {call.arguments}"
                    result = _taken(waiting, call.id)
                    if result is not None:
                        yield f"Observation: {result.content}"
                if not message.tool_calls:
                    yield f"Final Answer: {message.content}"
            case ToolResultMessage():
                yield f"Observation: {message.content}"


def _taken(waiting: list[Message], call_id: str) -> ToolResultMessage | None:
    """Take the result of a call from those before the next reply."""
    for index, message in enumerate(waiting):
        if isinstance(message, AssistantMessage):
            return None
        if isinstance(message, ToolResultMessage) and message.tool_call_id == call_id:
            del waiting[index]
            return message
    return None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


_WRITERS: Mapping[str, Callable[[Trace], str]] = {
    "loopscope": _own,
    "openai-chat": _request("openai-chat"),
    "openai-responses": _request("openai-responses"),
    "anthropic": _request("anthropic"),
    "ollama": _request("ollama"),
    "react-text": _react,
    "html": page_of,
}
FORMATS: tuple[str, ...] = tuple(_WRITERS)
"""What a run can be exported as."""
