"""A chat with Ollama, played by a server that follows its protocol, and every way in which it can fail."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from core.errors import InputError
from core.lm import ollama_http
from core.lm.chat import Piece
from core.lm.chat_options import ChatOptions
from core.lm.ollama_chat import OllamaChat
from core.lm.servers import OllamaServer
from core.messages.types import AssistantMessage, ToolCall, ToolSchema, UserMessage

from .fake_ollama import FakeOllama, call, last, line
from .fake_server import Answer, fake_server
from .watching import ASK, failure, watch

MODEL = "qwen3:4b"
SCHEMA = {
    "type": "object",
    "properties": {"city": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}},
    "additionalProperties": False,
}
WEATHER = ToolSchema(name="weather", description="The weather.", parameters=SCHEMA)


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    with fake_server() as server:
        yield FakeOllama(server, {MODEL: ("completion", "tools", "thinking"), "gemma:2b": ("completion",)})


def chat(ollama: FakeOllama, model: str = MODEL, **options: Any) -> OllamaChat:
    return OllamaChat(OllamaServer(url=ollama.server.url, configured=True), model, **options)


# What it tells


def test_a_reply_comes_piece_by_piece_and_then_whole(ollama: FakeOllama) -> None:
    ollama.replies = [[line(MODEL, "It is"), line(MODEL, " cold."), last(MODEL)]]
    pieces, reply = watch(chat(ollama))
    assert [piece.text for piece in pieces] == ["It is", " cold."]
    assert reply.message == AssistantMessage(content="It is cold.")


def test_thinking_is_kept_apart(ollama: FakeOllama) -> None:
    ollama.replies = [
        [line(MODEL, thinking="Norway "), line(MODEL, thinking="…"), line(MODEL, "Cold."), last(MODEL)]
    ]
    pieces, reply = watch(chat(ollama))
    assert pieces[0] == Piece(thinking="Norway ")
    assert reply.message == AssistantMessage(content="Cold.", thinking="Norway …")


def test_usage_and_finish_reason_are_the_servers(ollama: FakeOllama) -> None:
    ollama.replies = [[line(MODEL, "It"), last(MODEL, "length", read=7, written=1)]]
    reply = chat(ollama).reply(ASK, [])
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.finish_reason) == (7, 1, "length")


def test_a_call_keeps_the_servers_id(ollama: FakeOllama) -> None:  # case B86
    calls = [call("weather", {"city": "Oslo"}, id="call_a1b2c3d4")]
    ollama.replies = [[line(MODEL, tool_calls=calls), last(MODEL)]]
    [told] = chat(ollama).reply(ASK, [WEATHER]).message.tool_calls
    assert told == ToolCall(id="call_a1b2c3d4", name="weather", arguments='{"city": "Oslo"}')


def test_arguments_as_a_string_are_read_too(ollama: FakeOllama) -> None:  # case B85
    calls = [{"function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}]
    ollama.replies = [[line(MODEL, tool_calls=calls), last(MODEL)]]
    [told] = chat(ollama).reply(ASK, [WEATHER]).message.tool_calls
    assert told.arguments == '{"city":"Oslo"}'


def test_log_probabilities_come_with_their_alternatives(ollama: FakeOllama) -> None:
    reported = [
        {
            "token": "It",
            "logprob": -0.25,
            "top_logprobs": [{"token": "It", "logprob": -0.25}, {"token": "A", "logprob": -2}],
        }
    ]
    ollama.replies = [[line(MODEL, "It") | {"logprobs": reported}, line(MODEL, "\ufffd"), last(MODEL)]]
    tokens = chat(ollama, options=ChatOptions(alternatives=2)).reply(ASK, []).tokens
    assert tokens is not None
    [token] = tokens  # a part of a character has no entry
    assert (token.text, token.logprob, token.token_id) == ("It", -0.25, None)
    assert [(other.text, other.logprob) for other in token.alternatives] == [("It", -0.25), ("A", -2)]


def test_a_server_without_log_probabilities_tells_none(ollama: FakeOllama) -> None:
    ollama.replies = [[line(MODEL, "It"), last(MODEL)]]
    assert chat(ollama, options=ChatOptions(alternatives=2)).reply(ASK, []).tokens is None


def test_the_window_is_what_the_server_allocated(
    ollama: FakeOllama,
) -> None:
    ollama.replies = [[line(MODEL, "It"), last(MODEL)]]
    model = chat(ollama)
    assert model.window is None
    model.reply(ASK, [])
    assert model.window == 4096


def test_a_window_that_cannot_be_asked_for_costs_no_reply(ollama: FakeOllama) -> None:
    ollama.replies = [[line(MODEL, "It"), last(MODEL)]]
    del ollama.server.answers["/api/ps"]
    model = chat(ollama)
    assert (model.reply(ASK, []).message.content, model.window) == ("It", None)


def test_a_prompt_that_was_probably_cut_is_said(ollama: FakeOllama) -> None:  # case B88
    ollama.replies = [[line(MODEL, "It"), last(MODEL, read=2050)]]
    reply = chat(ollama).reply([UserMessage(content="word " * 7900)], [])
    [note] = reply.notes
    assert note.startswith("Ollama read 2,050 tokens where about 7,9")


# What it asks


def test_the_dials_go_under_ollamas_names(ollama: FakeOllama) -> None:
    ollama.replies = [[last(MODEL)]]
    options = ChatOptions(0.5, 40, 0.9, 0.05, seed=7, max_tokens=64, stop=("Observation:",), alternatives=3)
    chat(ollama, options=options, think="low", num_ctx=8192).reply(ASK, [])
    [body] = ollama.bodies()
    assert body["options"] == {
        "temperature": 0.5,
        "top_k": 40,
        "top_p": 0.9,
        "min_p": 0.05,
        "seed": 7,
        "num_predict": 64,
        "stop": ["Observation:"],
        "num_ctx": 8192,
    }
    assert (body["think"], body["logprobs"], body["top_logprobs"]) == ("low", True, 3)


def test_what_is_not_set_is_left_to_the_server(ollama: FakeOllama) -> None:
    ollama.replies = [[last(MODEL)]]
    chat(ollama).reply(ASK, [])
    [body] = ollama.bodies()
    assert (body["options"], set(body)) == ({}, {"model", "messages", "stream", "options"})


def test_a_tools_schema_is_sent_whole(ollama: FakeOllama) -> None:
    ollama.replies = [[last(MODEL)]]
    chat(ollama).reply(ASK, [WEATHER])
    [body] = ollama.bodies()
    assert body["tools"][0]["function"]["parameters"] == SCHEMA  # the client for Python would drop most of it


def test_by_text_no_tools_are_sent(ollama: FakeOllama) -> None:
    ollama.replies = [[last("gemma:2b")]]
    chat(ollama, "gemma:2b", calls="text").reply(ASK, [WEATHER])
    [body] = ollama.bodies()
    assert "tools" not in body


def test_by_schema_a_model_without_tools_calls_one(ollama: FakeOllama) -> None:
    said = '{"thought": "Look.", "action": {"name": "weather", "arguments": {"city": "Oslo"}}}'
    ollama.replies = [[line("gemma:2b", said), last("gemma:2b")]]
    reply = chat(ollama, "gemma:2b", calls="schema").reply(ASK, [WEATHER])
    assert reply.message.content == "Look."
    assert reply.message.tool_calls == (ToolCall(id="", name="weather", arguments='{"city": "Oslo"}'),)
    [body] = ollama.bodies()
    assert body["format"]["required"] == ["thought", "action"]
    assert "tools" not in body


# What goes wrong: one sentence each, and what came before is kept


def test_a_server_that_is_killed_in_mid_stream(ollama: FakeOllama) -> None:
    ollama.replies = [[line(MODEL, "It is"), line(MODEL, " co")]]
    ollama.options = {"promised": 400}
    shown, sentence = failure(chat(ollama))
    assert shown == "It is co"
    assert "broke off in the middle of its reply: try again" in sentence


def test_a_stream_without_its_last_line(ollama: FakeOllama) -> None:
    ollama.replies = [[line(MODEL, "It is")]]
    assert "broke off in the middle of its reply" in failure(chat(ollama))[1]


def test_an_error_in_mid_stream(ollama: FakeOllama) -> None:
    ollama.replies = [[line(MODEL, "It is"), {"error": "an error was encountered while running the model"}]]
    shown, sentence = failure(chat(ollama))
    assert shown == "It is"
    assert sentence.endswith("broke off with an error: an error was encountered while running the model.")


def test_a_model_that_does_not_begin(ollama: FakeOllama, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_http, "READ_TIMEOUT", 0.3)
    ollama.replies = [[last(MODEL)]]
    ollama.options = {"wait": 2}
    assert "has not answered for 0.3 seconds: it may still be loading the model" in failure(chat(ollama))[1]


def test_a_model_that_stops_in_the_middle(ollama: FakeOllama, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_http, "BETWEEN_TIMEOUT", 0.3)
    ollama.replies = [[line(MODEL, "It is"), last(MODEL)]]
    ollama.options = {"pause": 2}
    shown, sentence = failure(chat(ollama))
    assert shown == "It is"
    assert "has sent nothing for 0.3 seconds in the middle of its reply" in sentence


def test_a_model_without_tools(ollama: FakeOllama) -> None:
    sentence = failure(chat(ollama, "gemma:2b"), [WEATHER])[1]
    assert sentence == (
        "The model gemma:2b has no tool calls of its own: choose one that has, such as qwen3, or let it call "
        "by a schema or by text."
    )


def test_a_model_that_does_not_think(ollama: FakeOllama) -> None:
    sentence = failure(chat(ollama, "gemma:2b", think=True))[1]
    assert sentence == "The model gemma:2b does not think: switch thinking off, or choose another."


def test_a_model_that_is_not_there(ollama: FakeOllama) -> None:
    assert "has no model qwen9: get it with `ollama pull qwen9`" in failure(chat(ollama, "qwen9"))[1]


def test_a_server_that_is_down() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    model = OllamaChat(OllamaServer(url=f"http://127.0.0.1:{port}", configured=True), MODEL)
    assert f"No Ollama answers at 127.0.0.1:{port}: start it with `ollama serve`" in failure(model)[1]


@pytest.mark.parametrize(
    "told",
    [
        Answer(text="<html><body>It works!</body></html>", headers={"Content-Type": "text/html"}),
        Answer(text='{"message": "unfinished'),
        Answer(lines=([],)),
        Answer(lines=({"choices": []},)),
        Answer(lines=({"message": {"content": 7}, "done": True},)),
        Answer(lines=({"message": {"tool_calls": 7}, "done": True},)),
        Answer(lines=({"message": {"tool_calls": [{"function": {"name": None}}]}, "done": True},)),
        Answer(lines=({"message": {"content": "It"}, "logprobs": [{"token": 3}]},)),
        Answer(text="\xff\xfe" * 10),
        Answer(text="x" * 9_000_000),
    ],
    ids=["HTML", "cut", "list", "OpenAI", "content", "calls", "name", "logprobs", "bytes", "huge line"],
)
def test_something_else_than_an_ollama(ollama: FakeOllama, told: Answer) -> None:
    ollama.server.answers["/api/chat"] = told
    assert "does not speak Ollama's protocol: check LOOPSCOPE_OLLAMA" in failure(chat(ollama))[1]


# Waiting and stopping


def test_a_busy_server_is_asked_again_and_that_is_said(
    ollama: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.lm.patience._pause", lambda _: iter(()))
    busy = Answer(lines=({"error": "server busy, please try again"},), status=503)
    ollama.server.answers["/api/chat"] = [busy, Answer(lines=(line(MODEL, "It"), last(MODEL)))]
    pieces, reply = watch(chat(ollama))
    note = "Ollama is busy (status 503): asking again in 1 s, for the second time."
    assert pieces == [Piece(note=note), Piece(text="It")]
    assert reply.notes == (note,)


def test_a_model_that_is_being_loaded_can_be_stopped(ollama: FakeOllama) -> None:
    ollama.replies = [[last(MODEL)]]
    ollama.options = {"wait": 1}
    stream = chat(ollama).stream(ASK, [])
    assert next(stream) == Piece()
    stream.close()


def test_a_stopped_reply_stops_at_the_server_too(ollama: FakeOllama) -> None:
    ollama.replies = [[line(MODEL, str(number)) for number in range(10_000)]]
    ollama.options = {"pause": 0.01}  # 100 seconds in all
    stream = chat(ollama).stream(ASK, [])
    texts = (piece.text for piece in stream if piece.text)  # one without text tells that it is waited for
    assert [next(texts) for _ in range(3)] == ["0", "1", "2"]
    stream.close()
    assert ollama.server.ended.wait(60)
    assert ollama.server.lines_sent < 10_000


@pytest.mark.parametrize(
    "wrong",
    [{"model": ""}, {"model": 3}, {"calls": "magic"}, {"think": "hard"}, {"num_ctx": 0}, {"options": {}}],
)
def test_a_wrong_argument_is_refused(ollama: FakeOllama, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        chat(ollama, **wrong)


@pytest.mark.parametrize("calls", ["native", "schema", "text"])
@pytest.mark.parametrize(("messages", "tools"), [("Hi", []), ([3], []), (ASK, ["weather"]), (ASK, [3])])
def test_what_is_no_conversation_is_refused(
    ollama: FakeOllama, calls: Any, messages: Any, tools: Any
) -> None:
    with pytest.raises(InputError):
        chat(ollama, calls=calls).reply(messages, tools)
    assert not list(ollama.bodies())


def test_what_is_no_server_is_refused_without_repeating_it() -> None:
    with pytest.raises(InputError, match=r"must be of type OllamaServer, not str") as refusal:
        OllamaChat("http://user:secret@lab", MODEL)  # type: ignore[arg-type]
    assert "secret" not in str(refusal.value)
