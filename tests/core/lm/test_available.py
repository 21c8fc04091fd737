"""Which models can be chosen, and that nobody is called unasked."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.lm import available
from core.lm.available import ModelChoice, available_models, embedded_choices, ollama_choices, openai_choices
from core.lm.servers import OllamaServer, OpenAIServer, Servers

from .fake_ollama import FakeOllama
from .fake_server import Answer, FakeServer, answer, fake_server


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    with fake_server() as server:
        yield server


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(available, "find", lambda: Path("model.f32"))


def ollama_of(fake: FakeServer, configured: bool = True) -> OllamaServer:
    return OllamaServer(url=fake.url, configured=configured)


def openai_of(fake: FakeServer, model: str | None = None) -> OpenAIServer:
    return OpenAIServer(url=f"{fake.url}/v1", model=model, key=None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_embedded_model_is_offered_where_it_is_installed() -> None:
    [choice] = embedded_choices().choices
    assert (choice.kind, choice.name, choice.trained_window) == ("embedded", "SmolLM2-135M-Instruct", 8192)


def test_where_it_is_not_installed_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(available, "find", lambda: None)
    offered = embedded_choices()
    assert (offered.choices, len(offered.failures)) == ((), 1)


def test_an_ollama_that_nobody_configured_is_not_called(fake: FakeServer) -> None:
    FakeOllama(fake, {"qwen3:4b": ("completion", "tools")})
    offered = available_models(Servers(ollama=ollama_of(fake, configured=False), openai=None))
    assert [choice.kind for choice in offered.choices] == ["embedded"]
    assert not fake.requests


def test_it_is_called_when_a_person_asks_for_it(fake: FakeServer) -> None:
    FakeOllama(fake, {"qwen3:4b": ("completion", "tools")})
    servers = Servers(ollama=ollama_of(fake, configured=False), openai=None)
    offered = available_models(servers, look_for_ollama=True)
    assert [choice.name for choice in offered.choices] == ["SmolLM2-135M-Instruct", "qwen3:4b"]


def test_ollamas_models_come_with_what_they_can_do(fake: FakeServer) -> None:
    FakeOllama(
        fake,
        {
            "qwen3:4b": ("completion", "tools", "thinking"),
            "gemma:2b": ("completion",),
            "nomic-embed-text": ("embedding",),
        },
    )
    told: dict[str, Any] = {
        "kind": "ollama",
        "address": fake.url.removeprefix("http://"),
        "trained_window": 40_960,
    }
    assert ollama_choices(ollama_of(fake)).choices == (
        ModelChoice(name="qwen3:4b", calls=("native", "schema", "text"), thinks=True, **told),
        ModelChoice(name="gemma:2b", calls=("schema", "text"), **told),
    )


def test_a_model_that_cannot_be_shown_is_left_out(fake: FakeServer) -> None:
    ollama = FakeOllama(fake, {"qwen3:4b": ("completion",)})
    fake.answers["/api/tags"] = answer({"models": [{"name": "gone"}, {"name": "qwen3:4b"}]})
    assert [choice.name for choice in ollama_choices(ollama_of(fake)).choices] == list(ollama.models)


def test_all_models_that_an_openai_server_lists_are_offered(fake: FakeServer) -> None:
    fake.answers["/v1/models"] = answer({"data": [{"id": "small", "max_model_len": 4096}, {"id": "large"}]})
    choices = openai_choices(openai_of(fake)).choices
    assert [(choice.name, choice.trained_window) for choice in choices] == [("small", 4096), ("large", None)]


def test_where_the_configuration_names_a_model_it_is_the_only_one(fake: FakeServer) -> None:
    fake.answers["/v1/models"] = answer({"data": [{"id": "small"}, {"id": "large"}]})
    assert [choice.name for choice in openai_choices(openai_of(fake, "large")).choices] == ["large"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/api/tags", Answer(text="<html>It works!</html>")),
        ("/api/tags", answer({"models": []})),
        ("/api/tags", answer([])),
        ("/v1/models", Answer(text="<html>It works!</html>")),
        ("/v1/models", answer({"data": []})),
        ("/v1/models", answer({"error": {"message": "no"}}, status=401)),
    ],
)
def test_a_server_that_has_nothing_to_offer_says_why(fake: FakeServer, path: str, told: Answer) -> None:
    fake.answers[path] = told
    offer = ollama_choices(ollama_of(fake)) if path == "/api/tags" else openai_choices(openai_of(fake))
    assert offer.choices == ()
    [sentence] = offer.failures
    assert sentence.endswith(".")


def test_servers_that_are_down_keep_nobody_waiting_and_hide_no_other_model() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    servers = Servers(
        ollama=OllamaServer(url=url, configured=True), openai=OpenAIServer(url=url, model=None, key=None)
    )
    started = time.monotonic()
    offered = available_models(servers)
    assert time.monotonic() - started < 20
    assert [choice.kind for choice in offered.choices] == ["embedded"]
    assert len(offered.failures) == 2


def test_a_slow_server_is_given_up_soon(fake: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(available, "PATIENCE", 0.2)
    fake.answers["/api/tags"] = answer({"models": []}, wait=1)
    [sentence] = ollama_choices(ollama_of(fake)).failures
    assert "has not answered for 0.2 seconds" in sentence
