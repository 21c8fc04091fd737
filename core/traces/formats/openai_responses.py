"""OpenAI's Responses: items of messages, reasoning, function calls and their outputs, paired by `call_id`.

Source: the API reference of Responses. Command-line agents wrap each item as a line
`{"type": "response_item", "payload": item}` between lines of other kinds; the usage of a call follows it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.messages.reply import Usage
from core.messages.types import AssistantMessage, ToolCall, ToolResultMessage
from core.traces.conversation import read_call, read_message, read_tools
from core.traces.formats.openai_chat import model_of, request_of, response_of, title_of
from core.traces.run import Notices, Run, Said
from core.traces.shape import first_text, is_whole, items, mapping, objects, text, usage_of

NAME = "OpenAI Responses"
ITEMS = ("reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")
WRAPPERS = ("response_item", "session_meta", "turn_context", "event_msg", "compacted")
HOSTED = ("web_search_call", "file_search_call", "code_interpreter_call", "computer_call", "local_shell_call")


def matches(value: Any) -> bool:
    """Whether the value holds such items."""
    if isinstance(value, list):
        listed = objects(value)
        return any(item.get("type") in ITEMS or _payload(item) or _is_response(item) for item in listed)
    told, request = mapping(value), request_of(value)
    listed = objects(request.get("input"))
    return _is_response(response_of(told)) or any(item.get("type") in (*ITEMS, "message") for item in listed)


def read(value: Any) -> Iterator[Run]:
    """One run: of a response, of a list of items, or of the lines of a session."""
    reader = _Items()
    if isinstance(value, list):
        for item in objects(value):
            if _is_response(response_of(item)):
                reader.request_and_response(item)
            else:
                reader.line(item)
    else:
        reader.request_and_response(mapping(value))
    yield reader.run(title_of(value))


@dataclass
class _Reply:
    """The items of one reply, until something comes that is no reply."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


class _Items:
    def __init__(self) -> None:
        self._said: list[Said] = []
        self._reply: _Reply | None = None
        self._notices = Notices()
        self._model: str | None = None
        self._system: str | None = None
        self._tools: Any = None
        self._responses: list[Any] = []

    def run(self, title: str) -> Run:
        self._close()
        return Run(
            self._said,
            title=title,
            model=self._model,
            system=self._system,
            tools=read_tools(self._tools, self._notices),
            notices=tuple(self._notices),
        )

    def request_and_response(self, told: dict[str, Any]) -> None:
        """A request, a response (which repeats what it was asked), or both."""
        request, response = request_of(told), response_of(told)
        self._about(request)
        if isinstance(request.get("input"), str):
            self.items([{"role": "user", "content": request["input"]}])
        else:
            sent = items(request.get("input"))
            # A request that goes on with the conversation sends all of it again.
            known = len(self._responses) if sent[: len(self._responses)] == self._responses else 0
            self.items(sent[known:])
            self._responses = sent
        self._close()
        if _is_response(response):
            self._about(response)
            self.items(items(response["output"]))
            self._responses = self._responses + items(response["output"])
            status = mapping(response.get("incomplete_details")).get("reason") or response.get("status")
            self._close(usage_of(response.get("usage")), text(status) or None)

    def line(self, told: dict[str, Any]) -> None:
        """A line of a session, or an item as it stands."""
        payload = _payload(told)
        match told.get("type") if payload else "response_item":
            case "response_item":
                self.items([payload or told])
            case "event_msg" if payload.get("type") == "token_count":
                used = mapping(mapping(payload.get("info")).get("last_token_usage"))
                self._used(usage_of(used))
            case "session_meta" | "turn_context":
                self._about(payload)
            case "compacted":
                self._notices.add("The conversation was compacted: later calls no longer saw all of it.")

    def items(self, told: Iterable[object]) -> None:
        for item in told:
            self._item(mapping(item))

    def _about(self, told: dict[str, Any]) -> None:
        self._model = model_of(told) or self._model
        instructions = told.get("instructions") or mapping(told.get("base_instructions")).get("text")
        if isinstance(instructions, str):
            self._system = instructions
        if isinstance(told.get("tools"), list):
            self._tools = told["tools"]

    def _item(self, told: dict[str, Any]) -> None:
        if not is_whole(told):
            return
        kind = text(told.get("type"))
        if kind == "reasoning":
            thoughts = [*objects(told.get("summary")), *objects(told.get("content"))]
            self._open().thoughts += [first_text(part, "text") for part in thoughts]
            if not thoughts and told.get("encrypted_content"):
                self._notices.add("The reasoning is encrypted in this file.")
        elif kind in ("function_call", "custom_tool_call"):
            call = read_call({**told, "id": told.get("call_id") or told.get("id")})
            self._open().calls.append(call)
        elif kind in HOSTED:
            self._notices.add(f"A tool that the server runs itself was called: {kind}.")
        elif kind in ("function_call_output", "custom_tool_call_output"):
            self._close()
            result = {
                **told,
                "role": "tool",
                "tool_call_id": told.get("call_id"),
                "content": told.get("output"),
            }
            self._said += read_message(result, self._notices)
        elif told.get("role") == "assistant":
            for said in read_message(told, self._notices):
                self._open().texts.append(said.message.content)
        elif "role" in told:
            self._close()
            self._said += read_message(told, self._notices, len(self._said) + 1)
        elif kind:
            self._notices.add(f"An item of the type {kind:.40} was left out.")

    def _open(self) -> _Reply:
        if self._reply is None:
            self._reply = _Reply()
        return self._reply

    def _used(self, usage: Usage) -> None:
        """The usage of the call before. It may come before the outputs of its calls, or after them."""
        if self._reply is not None:
            self._close(usage)
            return
        for index in range(len(self._said) - 1, -1, -1):
            said = self._said[index]
            if isinstance(said.message, AssistantMessage):
                if said.usage == Usage():
                    self._said[index] = Said(said.message, usage, said.finish_reason)
                return
            if not isinstance(said.message, ToolResultMessage):
                return

    def _close(self, usage: Usage | None = None, finish_reason: str | None = None) -> None:
        reply, self._reply = self._reply, None
        if reply is not None:
            message = AssistantMessage(
                content="\n".join(reply.texts),
                thinking="\n\n".join(filter(None, reply.thoughts)) or None,
                tool_calls=tuple(reply.calls),
            )
            self._said.append(Said(message, usage or Usage(), finish_reason))


def _payload(told: dict[str, Any]) -> dict[str, Any]:
    return mapping(told.get("payload")) if told.get("type") in WRAPPERS else {}


def _is_response(value: Any) -> bool:
    told = mapping(value)
    return isinstance(told.get("output"), list) and (
        told.get("object") == "response"
        or any(item.get("type") in (*ITEMS, "message") for item in objects(told["output"]))
    )
