"""A chat by OpenAI's protocol: llama.cpp on the embedded model's file, and a server that is played."""

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from core.errors import InputError
from core.lm import openai_http
from core.lm.chat import Piece
from core.lm.chat_options import ChatOptions
from core.lm.embedded import EmbeddedModel
from core.lm.openai_chat import OpenAIChat
from core.lm.servers import OpenAIServer, read_servers
from core.messages import render
from core.messages.types import AssistantMessage, ToolCall, ToolSchema, UserMessage

from .conftest import LlamaCpp, log_softmax
from .fake_server import Answer, FakeServer, answer, fake_server
from .watching import ASK, failure, watch

KEY = "sk-very-secret-0123456789"
WEATHER = ToolSchema(
    name="weather",
    description="The weather in a city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}, "unit": {"$ref": "#/$defs/Unit"}},
        "required": ["city", "unit"],
        "additionalProperties": False,
        "$defs": {"Unit": {"enum": ["C", "F"]}},
    },
)
GREEDY = ChatOptions(temperature=0, max_tokens=12, alternatives=4)


# llama.cpp itself


@pytest.fixture(scope="module")
def llama(llamacpp: LlamaCpp) -> OpenAIServer:
    return OpenAIServer(url=llamacpp._server.listening_address + "/v1", model=None, key=None)


def test_llama_cpp_streams_what_the_embedded_model_would_say(
    llama: OpenAIServer, model: EmbeddedModel
) -> None:
    pieces, reply = watch(OpenAIChat(llama, options=GREEDY))
    assert len(pieces) > 3
    assert "".join(piece.text for piece in pieces) == reply.message.content
    assert reply.tokens is not None
    first = reply.tokens[0]
    prompt = model.tokenizer.encode(render(ASK, (), "smollm2").text)
    ours = log_softmax(model.next_logits(prompt))
    ids = [token.token_id or 0 for token in first.alternatives]
    np.testing.assert_allclose([token.logprob for token in first.alternatives], ours[ids], atol=0.5)
    assert reply.usage.input_tokens == len(prompt)
    assert (reply.usage.output_tokens, reply.finish_reason) == (12, "length")


def test_llama_cpp_tells_its_window_and_its_file_without_the_folder(llama: OpenAIServer) -> None:
    model = OpenAIChat(llama, options=ChatOptions(max_tokens=1))
    model.reply(ASK, [])
    assert (model.name, model.window) == ("SmolLM2-135M-Instruct.Q4_1.gguf", 2048)


def test_by_schema_llama_cpp_calls_a_tool_with_arguments_that_conform(llama: OpenAIServer) -> None:
    options = ChatOptions(temperature=0, max_tokens=160)
    reply = OpenAIChat(llama, options=options, calls="schema").reply(ASK, [WEATHER])
    [call] = reply.message.tool_calls
    assert call.name == "weather"
    Draft202012Validator(WEATHER.parameters).validate(json.loads(call.arguments))


def test_a_stopped_reply_frees_llama_cpps_only_slot(llama: OpenAIServer) -> None:
    stream = OpenAIChat(llama, options=ChatOptions(max_tokens=2000)).stream(ASK, [])
    next(piece for piece in stream if piece.text)
    stream.close()
    assert OpenAIChat(llama, options=ChatOptions(max_tokens=1)).reply(ASK, []).usage.output_tokens == 1


# Played: the published form of the stream


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    with fake_server() as server:
        server.answers["/v1/models"] = answer({"data": [{"id": "small", "max_model_len": 4096}]})
        yield server


def events(*chunks: Any, done: bool = True, **options: Any) -> Answer:
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + (
        "data: [DONE]\n\n" if done else ""
    )
    return Answer(text=text, headers={"Content-Type": "text/event-stream"}, **options)


def delta(finish_reason: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "small",
        "choices": [choice],
    }


def part(index: int | None, id: str | None = None, name: str | None = None, arguments: str = "") -> dict:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    called = {"function": function} | ({"id": id, "type": "function"} if id else {})
    return called | ({} if index is None else {"index": index})


USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
LAST = {**delta(), "choices": [], "usage": USAGE}
HELLO = (delta(role="assistant", content=""), delta(content="Hel"), delta(content="lo"), delta("stop"), LAST)


def chat(
    fake: FakeServer, *replies: Answer, settings: dict[str, str] | None = None, **options: Any
) -> OpenAIChat:
    fake.answers["/v1/chat/completions"] = list(replies)
    server = read_servers({"LOOPSCOPE_OPENAI_BASE_URL": f"{fake.url}/v1", **(settings or {})}).openai
    assert server is not None
    return OpenAIChat(server, **options)


def request(fake: FakeServer) -> Any:
    return fake.bodies("/v1/chat/completions")[-1]


def test_a_reply_comes_piece_by_piece_and_then_whole(fake: FakeServer) -> None:
    pieces, reply = watch(chat(fake, events(*HELLO)))
    assert [piece.text for piece in pieces] == ["Hel", "lo"]
    assert (reply.message, reply.finish_reason) == (AssistantMessage(content="Hello"), "stop")
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.tokens) == (9, 2, None)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_is_kept_apart(fake: FakeServer, field: str) -> None:
    reply = chat(fake, events(delta(**{field: "Hm. "}), *HELLO)).reply(ASK, [])
    assert reply.message == AssistantMessage(content="Hello", thinking="Hm. ")


def test_parallel_calls_are_put_together_by_index(fake: FakeServer) -> None:
    reply = chat(
        fake,
        events(
            delta(content=None, tool_calls=[part(0, "call_a", "weather", "")]),
            delta(tool_calls=[part(0, arguments='{"city": "Os')]),
            delta(tool_calls=[part(1, "call_b", "weather", '{"city": ')]),
            delta(tool_calls=[part(1, arguments='"Rome"}'), part(0, arguments='lo"}')]),
            delta("tool_calls"),
            LAST,
        ),
    ).reply(ASK, [WEATHER])
    assert reply.message.tool_calls == (
        ToolCall(id="call_a", name="weather", arguments='{"city": "Oslo"}'),
        ToolCall(id="call_b", name="weather", arguments='{"city": "Rome"}'),
    )
    assert reply.finish_reason == "tool_calls"


def test_calls_without_an_index_come_whole(fake: FakeServer) -> None:
    calls = [part(None, "a", "weather", "{}"), part(None, "b", "weather", "{}")]
    reply = chat(fake, events(delta(tool_calls=calls), delta("tool_calls"))).reply(ASK, [WEATHER])
    assert [call.id for call in reply.message.tool_calls] == ["a", "b"]


def test_log_probabilities_come_with_their_alternatives(fake: FakeServer) -> None:
    top = [
        {"token": "Hel", "logprob": -0.5, "bytes": [72, 101, 108]},
        {"token": "A", "logprob": -1, "bytes": [65]},
    ]
    chunk = delta(content="Hel")
    chunk["choices"][0]["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    tokens = chat(fake, events(chunk, delta("stop"))).reply(ASK, []).tokens
    assert tokens is not None
    assert [(token.text, token.logprob) for token in tokens[0].alternatives] == [("Hel", -0.5), ("A", -1.0)]


def test_the_dials_go_under_the_protocols_names(fake: FakeServer) -> None:
    options = ChatOptions(0.5, 40, 0.9, 0.05, seed=7, max_tokens=64, stop=("Observation:",), alternatives=3)
    chat(fake, events(*HELLO), options=options).reply(ASK, [WEATHER])
    sent = request(fake)
    assert {
        name: sent[name] for name in ("temperature", "top_k", "top_p", "min_p", "seed", "max_tokens")
    } == {
        "temperature": 0.5,
        "top_k": 40,
        "top_p": 0.9,
        "min_p": 0.05,
        "seed": 7,
        "max_tokens": 64,
    }
    assert (sent["stop"], sent["logprobs"], sent["top_logprobs"]) == (["Observation:"], True, 3)
    assert sent["stream_options"] == {"include_usage": True}
    assert sent["tools"][0]["function"]["parameters"] == WEATHER.parameters


def test_what_is_not_set_is_left_to_the_server(fake: FakeServer) -> None:
    chat(fake, events(*HELLO)).reply(ASK, [])
    assert set(request(fake)) == {"model", "messages", "stream", "stream_options"}


def test_by_text_no_tools_are_sent(fake: FakeServer) -> None:
    chat(fake, events(*HELLO), calls="text").reply(ASK, [WEATHER])
    assert "tools" not in request(fake)


def test_by_schema_the_reply_is_held_to_the_union_of_the_calls_and_the_answer(fake: FakeServer) -> None:
    said = {"thought": "Enough.", "action": {"answer": "Cold."}}
    reply = chat(fake, events(delta(content=json.dumps(said)), delta("stop")), calls="schema").reply(
        ASK, [WEATHER]
    )
    assert reply.message == AssistantMessage(content="Cold.", thinking="Enough.")
    sent = request(fake)
    assert "tools" not in sent
    assert sent["response_format"]["type"] == "json_schema"


def test_the_window_is_the_one_that_vllm_tells(fake: FakeServer) -> None:
    model = chat(fake, events(*HELLO))
    model.reply(ASK, [])
    assert (model.name, model.window) == ("small", 4096)


# The key


@pytest.mark.parametrize("write", [repr, str, lambda model: repr(vars(model))])
def test_the_key_is_never_written(fake: FakeServer, write: Callable[[object], str]) -> None:
    assert KEY not in write(chat(fake, settings={"LOOPSCOPE_OPENAI_KEY": KEY}))


def test_a_key_that_the_server_repeats_in_mid_stream_is_not_shown(fake: FakeServer) -> None:
    broken = events(delta(content="It"), {"error": {"message": f"bad key {KEY}"}})
    shown, sentence = failure(chat(fake, broken, settings={"LOOPSCOPE_OPENAI_KEY": KEY}))
    assert shown == "It"
    assert sentence.endswith("broke off with an error: bad key ….")


# What goes wrong: one sentence each, and what came before is kept


@pytest.mark.parametrize(
    "told", [events(*HELLO[:3], done=False), events(*HELLO[:3]), events(*HELLO[:3], promised=400)]
)
def test_a_server_that_breaks_off_in_mid_stream(fake: FakeServer, told: Answer) -> None:
    shown, sentence = failure(chat(fake, told))
    assert shown == "Hello"
    assert "broke off in the middle of its reply: try again" in sentence


def test_a_model_that_does_not_begin(fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    model = chat(fake, events(*HELLO, wait=2))
    assert model.name == "small"  # asked before the clock is short
    monkeypatch.setattr(openai_http, "READ_TIMEOUT", 0.3)
    assert "has not answered for 0.3 seconds" in failure(model)[1]


def test_a_model_that_stops_in_the_middle(fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_http, "BETWEEN_TIMEOUT", 0.3)
    sentence = failure(chat(fake, events(*HELLO, pause=2)))[1]
    assert "has sent nothing in the middle of its reply for 0.3 seconds" in sentence


def test_a_server_that_is_down() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    model = OpenAIChat(OpenAIServer(url=f"http://127.0.0.1:{port}/v1", model="small", key=None))
    assert f"No server answers at 127.0.0.1:{port}, or it broke off: start it" in failure(model)[1]


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            answer({"error": {"message": "tools param requires --jinja flag"}}, status=500),
            "refused with status 500",
        ),
        (answer({"error": {"message": "no"}}, status=401), "does not accept the key"),
        (answer({"error": {"message": "no model x"}}, status=404), "or no /v1/chat/completions: no model x."),
    ],
)
def test_a_refusal_is_repeated(fake: FakeServer, told: Answer, sentence: str) -> None:
    assert sentence in failure(chat(fake, told))[1]
    assert len(fake.bodies("/v1/chat/completions")) == 1


@pytest.mark.parametrize(
    "told",
    [
        Answer(text="<html>\n<body>It works!</body>\n</html>", headers={"Content-Type": "text/html"}),
        answer({"choices": [{"message": {"content": "not streamed"}}]}),
        events([]),
        events("hello"),
        events({"response": "Ollama's own protocol"}),
        events(delta(content=7)),
        events(delta(tool_calls=[{"index": 0}])),
        events(delta(tool_calls=[part(0, "a", "weather", arguments={"city": "Oslo"})])),  # type: ignore[arg-type]
        Answer(text="data: {broken\n\n", headers={"Content-Type": "text/event-stream"}),
    ],
    ids=["HTML", "JSON", "list", "text", "Ollama", "content", "call", "arguments", "broken JSON"],
)
def test_something_else_than_such_a_server(fake: FakeServer, told: Answer) -> None:
    assert "does not speak OpenAI's protocol: check LOOPSCOPE_OPENAI_BASE_URL" in failure(chat(fake, told))[1]


# Asking again


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses before a retry, in seconds, which no test waits for."""
    asked: list[float] = []
    monkeypatch.setattr("core.lm.patience._pause", lambda seconds: iter(asked.append(seconds) or ()))
    return asked


def busy(**headers: str) -> Answer:
    return answer({"error": {"message": "slow down"}}, status=429, headers=headers)


def test_a_busy_server_is_asked_again_and_that_is_said(fake: FakeServer, pauses: list[float]) -> None:
    pieces, reply = watch(chat(fake, busy(), busy(), events(*HELLO)))
    assert reply.notes == (
        "The server is busy (status 429): asking again in 1 s, for the second time.",
        "The server is busy (status 429): asking again in 2 s, for the third time.",
    )
    assert pieces[:2] == [Piece(note=note) for note in reply.notes]
    assert pauses == [1, 2]


def test_a_server_that_names_a_time_is_given_it(fake: FakeServer, pauses: list[float]) -> None:
    chat(fake, busy(**{"Retry-After": "7"}), events(*HELLO)).reply(ASK, [])
    assert pauses == [7]


@pytest.mark.parametrize(
    "told",
    [
        busy(**{"Retry-After": "600"}),
        answer({"error": {"message": "used up", "code": "insufficient_quota"}}, status=429),
    ],
)
def test_a_wait_that_is_long_or_in_vain_is_left_to_the_person(
    fake: FakeServer, pauses: list[float], told: Answer
) -> None:
    assert "takes no more requests at present" in failure(chat(fake, told))[1]
    assert pauses == []


def test_a_server_that_stays_busy_is_given_up(fake: FakeServer, pauses: list[float]) -> None:
    assert "takes no more requests at present: slow down. Wait a little" in failure(chat(fake, busy()))[1]
    assert len(pauses) == 2


def test_nothing_is_asked_again_once_a_reply_has_begun(fake: FakeServer, pauses: list[float]) -> None:
    failure(chat(fake, events(*HELLO[:2], promised=9), events(*HELLO)))
    assert (len(fake.bodies("/v1/chat/completions")), pauses) == (1, [])


def test_a_user_can_say_anything(fake: FakeServer) -> None:
    chat(fake, events(*HELLO)).reply([UserMessage(content="<|im_end|> \u0000 ☃")], [])
    assert request(fake)["messages"][0]["content"] == "<|im_end|> \u0000 ☃"


@pytest.mark.parametrize("wrong", [{"model": 3}, {"calls": "magic"}, {"options": {}}])
def test_a_wrong_argument_is_refused(fake: FakeServer, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        chat(fake, **wrong)


@pytest.mark.parametrize("calls", ["native", "schema", "text"])
@pytest.mark.parametrize(("messages", "tools"), [("Hi", []), ([3], []), (ASK, ["weather"]), (ASK, [3])])
def test_what_is_no_conversation_is_refused(fake: FakeServer, calls: Any, messages: Any, tools: Any) -> None:
    with pytest.raises(InputError):
        chat(fake, calls=calls).reply(messages, tools)
    assert not fake.bodies("/v1/chat/completions")
