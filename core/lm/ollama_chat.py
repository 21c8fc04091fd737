"""A model of an Ollama as the loop's model: `/api/chat`, streamed.

Protocol: Ollama, docs/api.md, server/routes.go and api/types.go, of August 2026. A tool call comes whole,
with an id from 0.12.10 on; `done_reason` is "stop" or "length", never a tool value; log-probabilities exist
from 0.12.11 on, and not for every token; an error in mid-stream is a line under status 200.
"""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import httpx

from core.errors import InputError
from core.lm import ollama_http
from core.lm.chat import Piece, Reply, drained
from core.lm.chat_options import Calls, ChatOptions, checked_calls, checked_name, checked_type
from core.lm.next_token import BadReply
from core.lm.ollama_http import busy, connect, lines, sentences
from core.lm.ollama_window import allocated_windows, truncation_note
from core.lm.patience import retried, watched
from core.lm.reported_tokens import read_choices
from core.lm.schema_calls import as_text, reply_schema
from core.lm.servers import OllamaServer
from core.lm.streamed_reply import StreamedReply
from core.lm.tokenizer import load_tokenizer
from core.messages.chat_dialect import as_messages, as_tool_call, as_tool_schemas
from core.messages.reply import Usage
from core.messages.types import Message, ToolCall, ToolSchema
from core.messages.wire import to_wire
from core.sampling.checks import whole_number

Think = bool | Literal["low", "medium", "high"] | None


class OllamaChat:
    """One model of one Ollama. Stateless but for what the last reply told of the window.

    Args:
        model: its name there.
        calls: how it calls tools.
        think: for thinking models: whether, or how hard; `None` leaves it to them, and they think.
        num_ctx: the window to allocate, in tokens; `None` leaves it to the server, which looks at its memory.
    """

    def __init__(
        self,
        server: OllamaServer,
        model: str,
        options: ChatOptions = ChatOptions(),  # noqa: B008 - frozen
        *,
        calls: Calls = "native",
        think: Think = None,
        num_ctx: int | None = None,
    ) -> None:
        checked_type("The server", server, OllamaServer)
        checked_type("The options", options, ChatOptions)
        checked_calls(calls)
        if think not in (None, True, False, "low", "medium", "high"):
            raise InputError(f"think is on, off, low, medium or high, not {think!r}.")
        if num_ctx is not None and whole_number("num_ctx", num_ctx) < 1:
            raise InputError(f"num_ctx is a number of tokens, at least 1; {num_ctx} is not.")
        self.name = checked_name(model)
        self._server = server
        self._options = options
        self._calls = calls
        self._think = think
        self._num_ctx = num_ctx
        self._allocated: int | None = None

    @property
    def window(self) -> int | None:
        """What the server has allocated, known after the first reply; before, what it was asked to."""
        return self._allocated or self._num_ctx

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """See `core.lm.chat.ChatModel`."""
        return drained(self.stream(messages, tools))

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> Generator[Piece, None, Reply]:
        """See `core.lm.chat.StreamingModel`. A call without an id, as before 0.12.10, keeps an empty one."""
        messages, tools = as_messages(messages), as_tool_schemas(tools)
        if self._calls == "schema":
            messages = as_text(messages, tools)
        body = self._body(messages, tools)
        reading = _Reading()
        with sentences(self._server, self.name):
            yield from reading.pieces(retried(lambda: self._lines(body), busy))
            reading.check_end()
        if note := self._look_at_window(body, reading.usage.input_tokens):
            yield reading.noted(note)
        return reading.whole(by_schema=self._calls == "schema")

    def _body(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
        options = self._options.given(
            temperature="temperature",
            top_k="top_k",
            top_p="top_p",
            min_p="min_p",
            seed="seed",
            num_predict="max_tokens",
            stop="stop",
        )
        if self._num_ctx is not None:
            options["num_ctx"] = self._num_ctx
        native = tools if self._calls == "native" else ()
        body = {
            "model": self.name,
            **to_wire(messages, native, "ollama"),
            "stream": True,
            "options": options,
        }
        if self._think is not None:
            body["think"] = self._think
        if self._options.alternatives:
            body |= {"logprobs": True, "top_logprobs": self._options.alternatives}
        if self._calls == "schema":
            body["format"] = reply_schema(tools)
        return body

    def _lines(self, body: dict[str, Any]) -> Generator[Any, None, None]:
        def read() -> Generator[Any, None, None]:
            with connect(self._server) as client:
                yield from lines(client, "/api/chat", body)

        return watched(read(), ollama_http.READ_TIMEOUT, ollama_http.BETWEEN_TIMEOUT)

    def _look_at_window(self, body: dict[str, Any], counted: int | None) -> str | None:
        """Ask what is allocated, now that the model is loaded; a sentence if the prompt was probably cut."""
        try:
            with sentences(self._server, self.name), connect(self._server) as client:
                windows = allocated_windows(client, self.name)
        except InputError:
            return None  # the reply is there, and worth more than its window
        self._allocated = min(windows, default=None)
        if counted is None:
            return None
        sent = json.dumps([body["messages"], body.get("tools", [])], ensure_ascii=False)
        return truncation_note(len(load_tokenizer().encode(sent, special=False)), counted, windows)


@dataclass
class _Reading(StreamedReply):
    """What the lines of one reply have brought so far."""

    calls: tuple[ToolCall, ...] = ()
    done: bool = False

    def read(self, part: Any) -> Piece:
        """Take in one line; what it adds to the text and the thinking."""
        match part:
            case {"message": dict(message)}:
                piece = self._read_message(message)
            case {"done": True}:
                piece = Piece()
            case _:
                raise BadReply("a line that is no part of a reply")
        if reported := part.get("logprobs"):
            piece = piece.model_copy(update={"tokens": tuple(read_choices(reported))})
            self.tokens += piece.tokens
        if part.get("done") is True:
            self.done = True
            self.finish_reason = _of_type(str, part.get("done_reason"))
            self.usage = Usage(
                input_tokens=_of_type(int, part.get("prompt_eval_count")),
                output_tokens=_of_type(int, part.get("eval_count")),
            )
        return piece

    def _read_message(self, message: dict[str, Any]) -> Piece:
        text, thinking = message.get("content") or "", message.get("thinking") or ""
        calls = message.get("tool_calls") or []
        if not isinstance(text, str) or not isinstance(thinking, str) or not isinstance(calls, list):
            raise BadReply("a message of another form")
        self.content += text
        self.thinking += thinking
        for call in calls:
            match call:
                case {"function": {"name": str()}}:
                    self.calls += (as_tool_call(call),)
                case _:
                    raise BadReply("a tool call of another form")
        return Piece(text=text, thinking=thinking)

    def check_end(self) -> None:
        """Refuse a reply whose last line never came."""
        if not self.done:
            raise httpx.RemoteProtocolError("the stream ended before the reply")


def _of_type(kind: type[Any], value: Any) -> Any:
    """The value if it is of this type, else `None`: a server that tells something else tells nothing."""
    return value if isinstance(value, kind) and not isinstance(value, bool) else None
