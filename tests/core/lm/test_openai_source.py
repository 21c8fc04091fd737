"""Servers that speak OpenAI's protocol: llama.cpp on the embedded model's file, and others, played."""

import math
import socket
from collections.abc import Iterator

import numpy as np
import pytest

from core.errors import InputError
from core.lm import openai_http
from core.lm.embedded import EmbeddedModel
from core.lm.next_token import NextToken
from core.lm.openai_http import ListedModel
from core.lm.openai_source import OpenAISource
from core.lm.servers import OpenAIServer, read_servers
from core.sampling import SamplerSettings, distribution

from .conftest import LlamaCpp, log_softmax
from .fake_server import Answer, FakeServer, answer, fake_server

PROMPT = "The capital of France is"
KEY = "sk-very-secret-0123456789"


# llama.cpp itself


@pytest.fixture(scope="module")
def llama(llamacpp: LlamaCpp) -> OpenAISource:
    url = llamacpp._server.listening_address + "/v1"
    return OpenAISource(OpenAIServer(url=url, model=None, key=None))


@pytest.fixture(scope="module")
def whole(llama: OpenAISource) -> NextToken:
    return llama.next_token(PROMPT, top=None)


def test_llama_cpp_lists_its_model_with_its_vocabulary(llama: OpenAISource) -> None:
    [listed] = llama.models()
    assert listed.name.endswith("SmolLM2-135M-Instruct.Q4_1.gguf")
    assert listed.vocab_size == 49_152


def test_the_whole_vocabulary_of_llama_cpp_agrees_with_the_embedded_model(
    whole: NextToken, model: EmbeddedModel
) -> None:
    ours = log_softmax(model.next_logits(model.tokenizer.encode(PROMPT)))
    ids = [token.id for token in whole.tokens]
    assert float((np.exp(whole.logprobs) * (whole.logprobs - ours[ids])).sum()) < 0.05


def test_the_whole_vocabulary_of_llama_cpp_is_exact(whole: NextToken) -> None:
    assert sorted(token.id or 0 for token in whole.tokens) == list(range(49_152))
    assert whole.badge == "exact"


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_twenty_of_llama_cpp_bound_its_whole_distribution(
    llama: OpenAISource, whole: NextToken, temperature
) -> None:
    told = llama.next_token(PROMPT)
    true = distribution(whole.logprobs, SamplerSettings(temperature)).probs[:20]
    known = told.partial.at(temperature)
    slack = 1e-3  # all 49,152 probabilities sum to 1.00017
    assert (known.low * (1 - slack) <= true).all()
    assert (true <= known.high * (1 + slack)).all()


def test_the_source_line_of_llama_cpp_names_the_file_without_its_folder(llama: OpenAISource) -> None:
    parts = llama.next_token(PROMPT).source_line.split(" · ")
    assert parts[0].startswith("OpenAI-compatible server 127.0.0.1:")
    assert parts[1:] == ["SmolLM2-135M-Instruct.Q4_1.gguf", "20 log-probabilities at T = 1"]


def test_tokens_of_llama_cpp_have_ids_and_bytes(llama: OpenAISource, model: EmbeddedModel) -> None:
    for token in llama.next_token(PROMPT).tokens:
        assert token.id is not None
        assert token.raw == model.tokenizer.token_bytes(token.id)


def test_where_llama_cpp_draws_a_part_of_a_character_another_draw_brings_the_same_distribution(
    llama: OpenAISource, model: EmbeddedModel
) -> None:
    prompt = "日本の首都は東"
    told = llama.next_token(prompt)
    logits = model.next_logits(model.tokenizer.encode(prompt))
    assert told.tokens[0].id == int(logits.argmax())
    assert told.tokens[0].shown.startswith("⟨")


def test_a_prompt_beyond_the_context_of_llama_cpp(llama: OpenAISource) -> None:
    with pytest.raises(InputError, match=r"refused with status 400: request \(3001 tokens\) exceeds"):
        llama.next_token("a " * 3000)


# Played


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    with fake_server() as server:
        server.answers = {
            "/v1/models": answer({"data": [{"id": "small"}, {"id": "large"}]}),
            "/v1/completions": legacy({" Paris": math.log(0.6), " the": math.log(0.2)}),
        }
        yield server


def legacy(alternatives: dict[str, float]) -> Answer:
    choice = {"text": " Paris", "index": 0, "logprobs": {"top_logprobs": [alternatives]}}
    return answer({"system_fingerprint": "fp_1", "choices": [choice]})


def source_of(fake: FakeServer, **settings: str) -> OpenAISource:
    server = read_servers({"LOOPSCOPE_OPENAI_BASE_URL": f"{fake.url}/v1", **settings}).openai
    assert server is not None
    return OpenAISource(server)


def test_the_legacy_form_is_understood(fake: FakeServer) -> None:
    told = source_of(fake).next_token("x")
    assert [token.text for token in told.tokens] == [" Paris", " the"]
    assert told.logprobs == pytest.approx([math.log(0.6), math.log(0.2)])


def test_without_a_vocabulary_the_badge_is_unknown(fake: FakeServer) -> None:
    assert source_of(fake).next_token("x", top=None).badge == "unknown"


def test_a_drawn_token_beyond_those_asked_for_is_left_out(fake: FakeServer) -> None:
    # Between 0.2 and 0.001 there can be others, so that the least of them bounds nothing.
    fake.answers["/v1/completions"] = legacy(
        {"a": math.log(0.6), "b": math.log(0.2), "drawn": math.log(0.001)}
    )
    assert len(source_of(fake).next_token("x", top=2).tokens) == 2


def test_the_model_of_the_configuration_is_asked(fake: FakeServer) -> None:
    line = source_of(fake, LOOPSCOPE_OPENAI_MODEL="large").next_token("x").source_line
    assert fake.bodies("/v1/completions")[0]["model"] == "large"
    assert " fp_1 · large · " in line


def test_without_one_the_first_model_is_asked(fake: FakeServer) -> None:
    source_of(fake).next_token("x")
    assert fake.bodies("/v1/completions")[0]["model"] == "small"


def test_a_server_that_lists_no_models_is_asked_for_the_configured_one(fake: FakeServer) -> None:
    del fake.answers["/v1/models"]
    assert source_of(fake, LOOPSCOPE_OPENAI_MODEL="large").next_token("x").model == "large"


def test_the_request_is_for_one_token_at_temperature_one_without_filters(fake: FakeServer) -> None:
    source_of(fake).next_token("x", top=5)
    [body] = fake.bodies("/v1/completions")
    assert (body["max_tokens"], body["temperature"], body["top_p"], body["logprobs"]) == (1, 1, 1, 5)


def test_a_token_without_an_entry_makes_it_draw_another(fake: FakeServer) -> None:
    silent = answer({"choices": [{"text": "\ufffd", "logprobs": None}]})
    fake.answers["/v1/completions"] = [silent, fake.next_answer("/v1/completions")]
    assert len(source_of(fake).next_token("x").tokens) == 2


def test_models_come_with_their_names(fake: FakeServer) -> None:
    assert source_of(fake).models() == (ListedModel("small", None), ListedModel("large", None))


# The key


def test_the_key_goes_to_the_server(fake: FakeServer) -> None:
    source_of(fake, OPENAI_API_KEY=KEY).next_token("x")
    assert all(headers["authorization"] == f"Bearer {KEY}" for *_, headers in fake.requests)


def test_without_a_key_none_of_the_environment_is_sent(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    source_of(fake).next_token("x")
    assert KEY not in str(fake.requests)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_a_key_that_the_server_repeats_is_not_shown(fake: FakeServer, status) -> None:
    said = {"error": {"message": f"Incorrect API key provided: {KEY} (sk-very*6789)", "code": 1}}
    fake.answers["/v1/completions"] = answer(said, status=status)
    with pytest.raises(InputError) as refusal:
        source_of(fake, OPENAI_API_KEY=KEY).next_token("x")
    assert KEY not in str(refusal.value)
    assert refusal.value.__cause__ is None


# What goes wrong, each in one sentence


def refused(source: OpenAISource, prompt: str = "x") -> str:
    with pytest.raises(InputError) as refusal:
        source.next_token(prompt)
    return str(refusal.value)


def test_a_server_that_is_down() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    source = OpenAISource(OpenAIServer(url=f"http://127.0.0.1:{port}/v1", model=None, key=None))
    assert f"No server answers at 127.0.0.1:{port}, or it broke off: start it" in refused(source)


def test_a_connection_that_breaks(fake: FakeServer) -> None:
    fake.answers["/v1/completions"] = Answer(text="{", promised=10)
    assert "or it broke off" in refused(source_of(fake))


def test_a_slow_server(fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_http, "READ_TIMEOUT", 0.2)
    fake.answers["/v1/completions"] = Answer(text="{}", wait=0.6)
    assert "has not answered for 0.2 seconds" in refused(source_of(fake))


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_accepted(fake: FakeServer, status) -> None:
    fake.answers["/v1/completions"] = answer({"error": {"message": "no"}}, status=status)
    assert "does not accept the key: check LOOPSCOPE_OPENAI_KEY or OPENAI_API_KEY" in refused(source_of(fake))


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (400, "refused with status 400: logprobs > 20"),
        (404, "has no such model, or no /v1/completions: logprobs > 20. Check LOOPSCOPE_OPENAI_MODEL"),
        (429, "takes no more requests at present: logprobs > 20. Wait a little"),
        (500, "refused with status 500: logprobs > 20"),
    ],
)
def test_a_refusal_is_repeated(fake: FakeServer, status, sentence) -> None:
    fake.answers["/v1/completions"] = answer({"error": {"message": "logprobs > 20"}}, status=status)
    assert sentence in refused(source_of(fake))


def test_a_refusal_without_words(fake: FakeServer) -> None:
    fake.answers["/v1/completions"] = Answer(text="<html>", status=503)
    assert "refused with status 503: it gives no reason" in refused(source_of(fake))


def test_a_redirect_is_not_followed(fake: FakeServer) -> None:
    fake.answers["/v1/completions"] = Answer(status=307, headers={"Location": f"{fake.url}/elsewhere"})
    assert "has no such model, or no /v1/completions" in refused(source_of(fake))
    assert not fake.bodies("/elsewhere")


@pytest.mark.parametrize(
    "told",
    [
        Answer(text="<html>It works!</html>"),
        answer([]),
        answer({"choices": []}),
        legacy({"a": "high"}),  # type: ignore[dict-item]
    ],
)
def test_something_else_than_such_a_server(fake: FakeServer, told) -> None:
    fake.answers["/v1/completions"] = told
    assert "does not speak OpenAI's protocol: check LOOPSCOPE_OPENAI_BASE_URL" in refused(source_of(fake))


def test_a_server_without_a_model(fake: FakeServer) -> None:
    fake.answers["/v1/models"] = answer({"data": []})
    assert "lists no model: set LOOPSCOPE_OPENAI_MODEL" in refused(source_of(fake))


def test_an_empty_prompt_is_not_sent(fake: FakeServer) -> None:
    assert "empty prompt has no next token" in refused(source_of(fake), "")
    assert not fake.requests
