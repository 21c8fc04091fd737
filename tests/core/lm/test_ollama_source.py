"""Ollama, played by a local server that speaks the documented protocol, and every way in which it fails."""

import math
import socket
from collections.abc import Iterator

import pytest

from core.errors import InputError
from core.lm import ollama_http
from core.lm.ollama_source import OllamaSource
from core.lm.ollama_window import probably_truncated
from core.lm.servers import OllamaServer
from core.messages.types import AssistantMessage, ToolCall, ToolResultMessage, UserMessage

from .fake_server import Answer, FakeServer, answer, fake_server

MODEL = "qwen2.5:7b"
ALTERNATIVES = [
    {"token": " Paris", "logprob": math.log(0.6), "bytes": [32, 80, 97, 114, 105, 115]},
    {"token": " the", "logprob": math.log(0.2), "bytes": [32, 116, 104, 101]},
    {"token": "\ufffd", "logprob": math.log(0.1), "bytes": [0xEF, 0xBF, 0xBD]},
]
PART = {"model": MODEL, "response": " Paris", "done": False}
LOGPROBS = [{"token": " Paris", "logprob": math.log(0.6), "top_logprobs": ALTERNATIVES}]
END = {"model": MODEL, "response": "", "done": True, "done_reason": "length", "prompt_eval_count": 5}
REPLY = answer({**PART, "logprobs": LOGPROBS}, END)
SILENT = answer({**PART, "response": ""}, END)
"""A token that ends the text, or is a part of a character."""


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    with fake_server() as server:
        server.answers = {
            "/api/version": answer({"version": "0.30.2"}),
            "/api/tags": answer({"models": [{"name": MODEL, "model": MODEL}, {"model": "llama3.2:1b"}]}),
            "/api/show": answer(
                {"model_info": {"general.architecture": "llama", "llama.vocab_size": 152_064}}
            ),
            "/api/generate": REPLY,
            "/api/chat": answer(
                {"message": {"role": "assistant", "content": " Paris"}, "done": False, "logprobs": LOGPROBS},
                {"message": {"role": "assistant", "content": ""}, "done": True, "prompt_eval_count": 5},
            ),
        }
        yield server


@pytest.fixture
def source(fake: FakeServer) -> OllamaSource:
    return OllamaSource(OllamaServer(url=fake.url, configured=True))


# What it tells


def test_the_models_are_those_the_server_lists(source: OllamaSource) -> None:
    assert source.models() == (MODEL, "llama3.2:1b")


def test_the_version_is_the_servers(source: OllamaSource) -> None:
    assert source.version() == "0.30.2"


def test_the_next_tokens_come_with_their_log_probabilities(source: OllamaSource) -> None:
    told = source.next_token(MODEL, "The capital of France is")
    assert [token.text for token in told.tokens] == [" Paris", " the", "\ufffd"]
    assert told.logprobs == pytest.approx([math.log(0.6), math.log(0.2), math.log(0.1)])


def test_the_source_line_names_version_and_model(source: OllamaSource) -> None:
    line = source.next_token(MODEL, "x").source_line
    assert line == "Ollama 0.30.2 · qwen2.5:7b · 3 log-probabilities at T = 1"


def test_tokens_have_no_ids(source: OllamaSource) -> None:
    assert {token.id for token in source.next_token(MODEL, "x").tokens} == {None}


def test_bytes_that_the_server_made_from_a_broken_character_are_not_believed(source: OllamaSource) -> None:
    assert [token.raw for token in source.next_token(MODEL, "x").tokens] == [b" Paris", b" the", None]


def test_the_visible_tokens_are_not_normalised(source: OllamaSource) -> None:
    known = source.next_token(MODEL, "x").partial.at(1)
    assert known.low == pytest.approx([0.6, 0.2, 0.1])
    assert known.tail == pytest.approx((0.1, 0.1))


def test_another_temperature_is_bounded_by_the_vocabulary_that_the_server_names(source: OllamaSource) -> None:
    told = source.next_token(MODEL, "x")
    assert (told.partial.vocab_size, told.badge, told.partial.at(2).badge) == (152_064, "bounded", "bounded")


def test_a_vocabulary_that_is_not_named_is_counted(source: OllamaSource, fake: FakeServer) -> None:
    info = {"general.architecture": "qwen2"}
    fake.answers["/api/show"] = [
        answer({"model_info": {**info, "tokenizer.ggml.tokens": None}}),
        answer({"model_info": {**info, "tokenizer.ggml.tokens": list("abcdef")}}),
    ]
    assert source.next_token(MODEL, "x").partial.vocab_size == 6


def test_without_a_vocabulary_the_badge_is_unknown(source: OllamaSource, fake: FakeServer) -> None:
    fake.answers["/api/show"] = answer({"details": {}})
    assert source.next_token(MODEL, "x").badge == "unknown"


# What it asks


def test_a_prompt_goes_as_it_is_and_asks_for_one_token_with_twenty_alternatives(
    source: OllamaSource, fake: FakeServer
) -> None:
    source.next_token(MODEL, "<|im_start|>x")
    [body] = fake.bodies("/api/generate")
    assert (body["prompt"], body["raw"], body["model"]) == ("<|im_start|>x", True, MODEL)
    assert (body["logprobs"], body["top_logprobs"], body["options"]["num_predict"]) == (True, 20, 1)


def test_a_chat_goes_as_messages(source: OllamaSource, fake: FakeServer) -> None:
    told = source.next_chat_token(MODEL, [UserMessage(content="Capital of France?")], top=3)
    [body] = fake.bodies("/api/chat")
    assert body["messages"] == [{"role": "user", "content": "Capital of France?"}]
    assert (body["top_logprobs"], told.tokens[0].text) == (3, " Paris")


def test_a_tool_call_is_sent_with_its_arguments_as_an_object(
    source: OllamaSource, fake: FakeServer
) -> None:  # case B85
    call = ToolCall(id="c1", name="w", arguments='{"city":"Oslo"}')
    source.next_chat_token(
        MODEL,
        [
            UserMessage(content="?"),
            AssistantMessage(tool_calls=(call,)),
            ToolResultMessage(tool_call_id="c1", content="4 °C", name="w"),
        ],
    )
    assert fake.bodies("/api/chat")[0]["messages"][1:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "function": {"name": "w", "arguments": {"city": "Oslo"}}}],
        },
        {"role": "tool", "content": "4 °C", "tool_call_id": "c1", "tool_name": "w"},
    ]


def test_a_token_without_log_probabilities_makes_it_draw_another(
    source: OllamaSource, fake: FakeServer
) -> None:
    fake.answers["/api/generate"] = [SILENT, SILENT, REPLY]
    assert len(source.next_token(MODEL, "x").tokens) == 3
    assert [body["options"]["temperature"] for body in fake.bodies("/api/generate")] == [0, 1, 1]


def test_a_server_that_answers_in_one_piece_is_understood(source: OllamaSource, fake: FakeServer) -> None:
    fake.answers["/api/generate"] = answer({**END, "response": " Paris", "logprobs": LOGPROBS})
    assert len(source.next_token(MODEL, "x").tokens) == 3


def test_an_ollama_built_from_source_is_asked_whatever_its_version(
    source: OllamaSource, fake: FakeServer
) -> None:
    fake.answers["/api/version"] = answer({"version": "0.0.0"})
    assert len(source.next_token(MODEL, "x").tokens) == 3


# Silent truncation


@pytest.mark.parametrize(
    ("context", "sent", "counted"), [(4096, 7900, 2050), (32_768, 50_000, 16_386), (65_536, 70_000, 32_770)]
)
def test_a_count_at_half_the_context_is_probably_a_truncation(context, sent, counted) -> None:  # case B88
    assert probably_truncated(sent, counted, context)


@pytest.mark.parametrize(("sent", "counted"), [(2100, 2050), (7900, 4000), (100, 90)])
def test_other_counts_are_no_truncation(sent, counted) -> None:
    assert not probably_truncated(sent, counted, 4096)


def test_a_truncated_prompt_is_said(source: OllamaSource, fake: FakeServer) -> None:
    fake.answers["/api/ps"] = answer({"models": [{"model": MODEL, "context_length": 4096}]})
    fake.answers["/api/generate"] = answer({**PART, "logprobs": LOGPROBS}, {**END, "prompt_eval_count": 2050})
    note = source.next_token(MODEL, "word " * 7900).note
    assert note is not None
    assert note.startswith("Ollama read 2,050 tokens where about 7,90")
    assert "probably cut off the beginning" in note


def test_a_prompt_that_fits_has_no_note(source: OllamaSource) -> None:
    assert source.next_token(MODEL, "The capital of France is").note is None


# What goes wrong, each in one sentence


def refused(source: OllamaSource, prompt: str = "x") -> str:
    with pytest.raises(InputError) as refusal:
        source.next_token(MODEL, prompt)
    return str(refusal.value)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    "ask", [OllamaSource.models, OllamaSource.version, lambda source: source.next_token(MODEL, "x")]
)
def test_a_server_that_is_down(ask) -> None:
    source = OllamaSource(OllamaServer(url=f"http://127.0.0.1:{free_port()}", configured=True))
    with pytest.raises(InputError, match=r"No Ollama answers at 127.0.0.1:\d+: start it with `ollama serve`"):
        ask(source)


def test_a_model_that_is_not_there(source: OllamaSource, fake: FakeServer) -> None:
    fake.answers["/api/show"] = answer({"error": f"model '{MODEL}' not found"}, status=404)
    assert f"has no model {MODEL}: get it with `ollama pull {MODEL}`" in refused(source)


@pytest.mark.parametrize("version", ["0.12.10", "0.9.6", "v0.12.3-rc1"])
def test_a_version_without_log_probabilities(source: OllamaSource, fake: FakeServer, version) -> None:
    fake.answers["/api/version"] = answer({"version": version})
    assert f"is version {version}, which reports no log-probabilities: update it to 0.12.11" in refused(
        source
    )
    assert not fake.bodies("/api/generate")


def test_a_model_that_does_not_support_it(source: OllamaSource, fake: FakeServer) -> None:
    fake.answers["/api/generate"] = answer({"error": f'"{MODEL}" does not support generate'}, status=400)
    assert refused(source) == f'Ollama says: "{MODEL}" does not support generate. Choose another model.'


def test_another_refusal_is_repeated_with_its_status(source: OllamaSource, fake: FakeServer) -> None:
    fake.answers["/api/generate"] = answer({"error": "out of\nmemory"}, status=500)
    assert refused(source).endswith("refused with status 500: out of memory.")


def test_a_slow_server(source: OllamaSource, fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_http, "READ_TIMEOUT", 0.2)
    fake.answers["/api/generate"] = Answer(lines=REPLY.lines, wait=0.6)
    assert "has not answered for 0.2 seconds: it may still be loading the model" in refused(source)


def test_an_error_in_mid_stream(source: OllamaSource, fake: FakeServer) -> None:
    fake.answers["/api/generate"] = answer(PART, {"error": "llama runner has terminated"})
    assert refused(source).endswith("broke off with an error: llama runner has terminated.")


@pytest.mark.parametrize(
    "told", [answer(PART), Answer(lines=(PART,), promised=10)], ids=["no last line", "line cut"]
)
def test_a_connection_that_breaks(source: OllamaSource, fake: FakeServer, told) -> None:
    fake.answers["/api/generate"] = told
    assert "broke off in the middle of its reply: try again" in refused(source)


@pytest.mark.parametrize(
    "told",
    [
        Answer(text="<html>It works!</html>"),
        answer([]),
        answer({"choices": []}),
        answer({**PART, "logprobs": [{"top_logprobs": [{"token": " Paris"}]}]}, END),
        Answer(text="404 page not found", status=404),
        answer([], status=405),
        Answer(text="moved", status=302, headers={"Location": "http://127.0.0.1:9/"}),
    ],
)
def test_something_else_than_an_ollama(source: OllamaSource, fake: FakeServer, told) -> None:
    fake.answers["/api/generate"] = told
    assert "does not speak Ollama's protocol: check LOOPSCOPE_OLLAMA" in refused(source)


@pytest.mark.parametrize("told", [answer([]), answer({"models": 3}), Answer(text="hello")])
def test_a_list_of_models_that_is_none(source: OllamaSource, fake: FakeServer, told) -> None:
    fake.answers["/api/tags"] = told
    with pytest.raises(InputError, match="does not speak Ollama's protocol"):
        source.models()


def test_a_prompt_after_which_no_token_has_log_probabilities(source: OllamaSource, fake: FakeServer) -> None:
    fake.answers["/api/generate"] = SILENT
    assert "reports no log-probabilities for this prompt" in refused(source)


def test_log_probabilities_of_no_distribution(source: OllamaSource, fake: FakeServer) -> None:
    twice = [{**LOGPROBS[0], "top_logprobs": ALTERNATIVES * 2}]
    fake.answers["/api/generate"] = answer({**PART, "logprobs": twice}, END)
    assert "sum to 1.8" in refused(source)


def test_an_empty_prompt_is_not_sent(source: OllamaSource, fake: FakeServer) -> None:
    assert "empty prompt has no next token" in refused(source, "")
    assert not fake.requests


@pytest.mark.parametrize("top", [0, 21])
def test_more_than_twenty_is_refused(source: OllamaSource, top) -> None:
    with pytest.raises(InputError, match="1 to 20 log-probabilities"):
        source.next_token(MODEL, "x", top)


def test_arguments_that_are_no_object_are_refused(source: OllamaSource) -> None:
    call = ToolCall(id="c1", name="w", arguments="[1]")
    with pytest.raises(InputError, match=r"only as a JSON object, and those of w are none"):
        source.next_chat_token(MODEL, [AssistantMessage(tool_calls=(call,))])
