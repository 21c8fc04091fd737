"""A model behind OpenAI's protocol as the loop's model: `/chat/completions`, streamed by the `openai` client.

Sources: OpenAI API reference, "Create chat completion" and "Streaming"; for `reasoning_content` llama.cpp and
DeepSeek, for `reasoning` vLLM and OpenRouter, for `id` of a token llama.cpp.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import openai

from core.lm import openai_http
from core.lm.chat import Piece, Reply, drained
from core.lm.chat_options import Calls, ChatOptions, checked_calls, checked_name, checked_type
from core.lm.next_token import BadReply
from core.lm.openai_http import BrokenOff, ListedModel, busy, chosen_model, connect, sentences
from core.lm.patience import retried, watched
from core.lm.reported_tokens import read_choices
from core.lm.schema_calls import NAME, as_text, reply_schema
from core.lm.servers import OpenAIServer
from core.lm.streamed_reply import StreamedReply
from core.messages.chat_dialect import as_messages, as_tool_schemas
from core.messages.reply import TokenChoice, Usage
from core.messages.types import Message, ToolCall, ToolSchema
from core.messages.wire import to_wire


class OpenAIChat:
    """One model of one server. Stateless but for the model's name and window, which are asked for once.

    The key stays inside `server`, which shows it to nobody.

    Args:
        model: its name there; `None` for that of the configuration, or the first that the server lists.
        calls: how it calls tools.
    """

    def __init__(
        self,
        server: OpenAIServer,
        model: str | None = None,
        options: ChatOptions = ChatOptions(),  # noqa: B008 - frozen
        *,
        calls: Calls = "native",
    ) -> None:
        checked_type("The server", server, OpenAIServer)
        checked_type("The options", options, ChatOptions)
        checked_calls(calls)
        if model is not None:
            checked_name(model)
        self._server = server.model_copy(update={"model": model}) if model else server
        self._options = options
        self._calls = calls
        self._model: ListedModel | None = None

    @property
    def name(self) -> str:
        """The name of the model, asked for if nobody has named one; of a file without its folder."""
        name = self._server.model or self._listed.name
        return PurePath(name).name if name.endswith(".gguf") else name

    @property
    def window(self) -> int | None:
        """What the server says that it reads, as llama.cpp and vLLM do; known after the first reply."""
        return self._model.window if self._model else None

    @property
    def _listed(self) -> ListedModel:
        if self._model is None:
            with sentences(self._server), connect(self._server) as client:
                self._model = chosen_model(self._server, client)
        return self._model

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """See `core.lm.chat.ChatModel`."""
        return drained(self.stream(messages, tools))

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> Generator[Piece, None, Reply]:
        """See `core.lm.chat.StreamingModel`."""
        messages, tools = as_messages(messages), as_tool_schemas(tools)
        if self._calls == "schema":
            messages = as_text(messages, tools)
        request = self._request(messages, tools)
        reading = _Reading()
        with sentences(self._server):
            try:
                yield from reading.pieces(retried(lambda: self._chunks(request), busy))
            except openai.APIConnectionError:
                if reading.begun:
                    raise BrokenOff from None
                raise
            if reading.finish_reason is None:
                raise BrokenOff if reading.begun else BadReply("a stream without a reply")
        return reading.whole(by_schema=self._calls == "schema")

    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> dict[str, Any]:
        request = {
            "model": self._listed.name,
            **to_wire(messages, tools if self._calls == "native" else (), "openai-chat"),
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._options.given(
                temperature="temperature", top_p="top_p", seed="seed", max_tokens="max_tokens", stop="stop"
            ),
            # Not OpenAI's own, but of llama.cpp, vLLM and others.
            "extra_body": self._options.given(top_k="top_k", min_p="min_p"),
        }
        if self._options.alternatives:
            request |= {"logprobs": True, "top_logprobs": self._options.alternatives}
        if self._calls == "schema":
            described = {"name": NAME, "schema": reply_schema(tools)}
            request["response_format"] = {"type": "json_schema", "json_schema": described}
        return request

    def _chunks(self, request: dict[str, Any]) -> Generator[Any, None, None]:
        def read() -> Generator[Any, None, None]:
            with ExitStack() as stack:
                client = stack.enter_context(connect(self._server))
                stream = stack.enter_context(client.chat.completions.create(**request))
                for chunk in stream:
                    # As JSON: the client checks no types, and its classes do not know every field.
                    yield chunk.to_dict(warnings=False) if isinstance(chunk, openai.BaseModel) else chunk

        return watched(read(), openai_http.READ_TIMEOUT, openai_http.BETWEEN_TIMEOUT)


@dataclass
class _Reading(StreamedReply):
    """What the chunks of one reply have brought so far; `begun_calls` are its calls by index."""

    begun: bool = False
    begun_calls: dict[int, dict[str, str]] = field(default_factory=dict)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in the order of their indices."""
        return tuple(ToolCall(**call) for _, call in sorted(self.begun_calls.items()))

    def read(self, part: Any) -> Piece:
        """Take in one chunk; what it adds to the text and the thinking."""
        match part:
            case {"choices": [dict(choice), *_]}:
                piece = self._read_choice(choice)
            case {"choices": []} | {"usage": dict()}:  # the usage comes by itself, at the end
                piece = Piece()
            case _:
                raise BadReply("a chunk of another form")
        match part.get("usage"):
            case {"prompt_tokens": int(read), "completion_tokens": int(written)}:
                self.usage = Usage(input_tokens=read, output_tokens=written)
        self.begun = True
        return piece

    def _read_choice(self, choice: dict[str, Any]) -> Piece:
        delta = choice.get("delta") or {}
        text = delta.get("content") or delta.get("refusal") or ""
        thinking = delta.get("reasoning_content") or delta.get("reasoning") or ""
        if not isinstance(text, str) or not isinstance(thinking, str):
            raise BadReply("a delta of another form")
        self.content += text
        self.thinking += thinking
        for call in delta.get("tool_calls") or []:
            self._read_call(call)
        tokens: tuple[TokenChoice, ...] = ()
        match choice.get("logprobs"):
            case {"content": [_, *_] as reported}:
                tokens = tuple(read_choices(reported))
        self.tokens += tokens
        if isinstance(reason := choice.get("finish_reason"), str):
            self.finish_reason = reason
        return Piece(text=text, thinking=thinking, tokens=tokens)

    def _read_call(self, delta: Any) -> None:
        """A call comes in parts, told apart by index: id and name first, its arguments bit by bit."""
        match delta:
            case {"index": int(index), "function": dict(function)}:
                pass
            case {"function": dict(function)}:  # some servers send calls whole, without an index
                index = len(self.begun_calls)
            case _:
                raise BadReply("a tool call of another form")
        call = self.begun_calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        parts = (delta.get("id") or "", function.get("name") or "", function.get("arguments") or "")
        if not all(isinstance(part, str) for part in parts):
            raise BadReply("a tool call of another form")
        call["id"] = call["id"] or parts[0]
        call["name"] = call["name"] or parts[1]
        call["arguments"] += parts[2]
