"""Other models on the sampling screen: servers that tell a part or all, a file, and what is not there."""

import math
from collections.abc import Iterator
from functools import partial

import pytest
import streamlit as st

from core.lm import EmbeddedModel, embedded
from pages.common import model
from tests.core.lm.fake_server import FakeServer, answer, fake_server
from tests.ollama import ollama_of
from tests.pages.app import components, open_page

opened = partial(open_page, "sampling")


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> Iterator[None]:
    yield
    st.cache_resource.clear()


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with ollama_of({" Paris": 0.6, " the": 0.2, "\n": 0.1}, vocab_size=1000) as fake:
        monkeypatch.setenv("LOOPSCOPE_OLLAMA", fake.url)
        yield fake


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server that speaks OpenAI's protocol and tells its whole vocabulary of two, as llama.cpp's does."""
    told = [{"token": token, "logprob": math.log(p), "bytes": None, "id": i} for token, p, i in TWO]
    with fake_server() as fake:
        fake.answers = {
            "/v1/models": answer({"data": [{"id": "m.gguf", "meta": {"n_vocab": 2}}]}),
            "/v1/completions": answer(
                {"choices": [{"text": "x", "logprobs": {"content": [{"top_logprobs": told}]}}]}
            ),
        }
        monkeypatch.setenv("LOOPSCOPE_OPENAI_BASE_URL", f"{fake.url}/v1")
        yield fake


TWO = ((" yes", 0.75, 7), (" no", 0.25, 3))


def view(app) -> dict:
    return next(data["view"] for data in components(app) if "view" in data)


def button(app, label: str):
    return next(button for button in app.button if button.label == label)


@pytest.mark.usefixtures("ollama")
def test_the_models_of_a_configured_ollama_are_offered():
    assert "some:1b · Ollama" in opened().selectbox(key="source_menu").options


def test_an_ollama_that_nobody_configured_is_not_called_before_one_asks(monkeypatch):
    monkeypatch.delenv("LOOPSCOPE_OLLAMA", raising=False)
    called = []
    monkeypatch.setattr(model.servers, "st_ollama_models", lambda server: called.append(server) or ((), ""))
    app = opened()
    assert not called
    app.selectbox(key="source_menu").select("ollama").run()
    assert called


@pytest.mark.usefixtures("ollama")
def test_what_an_ollama_tells_is_shown_with_its_badge():
    app = opened(source="ollama:some:1b", T="2")
    assert view(app)["badge"] == "bounded"
    assert [row["name"] for row in view(app)["rows"]] == ["·Paris", "·the", "↵"]
    assert view(app)["source"] == "Ollama 0.30.2 · some:1b · 3 log-probabilities at T = 1"
    assert app.query_params["source"] == "ollama:some:1b"


def test_one_prompt_is_asked_once_whatever_the_dials_are(ollama):
    app = opened(source="ollama:some:1b")
    button(app, "Draw").click().run()
    opened(source="ollama:some:1b", T="0.5")
    assert len(ollama.bodies("/api/generate")) == 1


def test_a_picked_token_is_written_at_the_end_of_the_prompt(ollama):
    app = opened(source="ollama:some:1b", prompt="In")
    button(app, "Greedy").click().run()
    button(app, "Append").click().run()
    assert app.text_area[0].value == "In Paris"
    assert ollama.bodies("/api/generate")[-1]["prompt"] == "In Paris"


def test_a_token_that_is_not_known_whole_cannot_be_appended(monkeypatch):
    with ollama_of({"\ufffd": 0.9}, vocab_size=1000) as fake:
        monkeypatch.setenv("LOOPSCOPE_OLLAMA", fake.url)
        app = opened(source="ollama:some:1b", by="greedy")
    assert button(app, "Append").disabled


@pytest.mark.usefixtures("server")
def test_a_server_that_tells_all_tokens_is_as_exact_as_a_model_here():
    app = opened(source="openai", by="greedy")
    data = next(data for data in components(app) if "names" in data)
    assert data["names"] == ["·yes", "·no"]
    assert "all 2 log-probabilities" in data["prompt"]["count"]
    button(app, "Append").click().run()
    assert app.text_area[0].value == "The capital of France is yes"


@pytest.mark.parametrize("source", ["ollama:some:1b", "openai", "local", "zzz", "<b>", "ollama:"])
def test_a_source_that_is_not_there_says_so_and_another_can_be_chosen(monkeypatch, source):
    monkeypatch.setenv("LOOPSCOPE_OLLAMA", "http://127.0.0.1:9")  # the discard port: nobody listens
    app = opened(source=source)
    assert app.warning
    app.selectbox(key="source_menu").select("").run()
    assert not app.exception
    assert any("names" in data for data in components(app))


def test_an_address_that_is_none_is_said(monkeypatch):
    monkeypatch.setenv("LOOPSCOPE_OLLAMA", "ftp://nowhere")
    app = opened()
    assert "LOOPSCOPE_OLLAMA" in app.warning[0].value
    assert any("names" in data for data in components(app))


def test_a_model_of_the_operators_own_is_asked(monkeypatch):
    mine = EmbeddedModel(embedded()._weights, embedded().tokenizer)
    mine.name = "mine"
    monkeypatch.setenv("LOOPSCOPE_MODEL", "/models/mine.gguf")
    monkeypatch.setattr(model, "open_local", lambda *_: mine)
    app = opened(source="local", prompt="Two plus")
    assert "mine · local file" in app.selectbox(key="source_menu").options
    assert mine.positions_computed == 2


def test_a_local_model_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setenv("LOOPSCOPE_MODEL", "/models/none.gguf")
    assert "cannot be read" in opened(source="local").warning[0].value
