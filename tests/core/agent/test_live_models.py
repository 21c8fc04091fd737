"""The loop on the models of real servers: played ones, and llama.cpp."""

from collections.abc import Iterator

import pytest

from core.agent import Tool, record, run
from core.lm.chat_options import ChatOptions
from core.lm.ollama_chat import OllamaChat
from core.lm.openai_chat import OpenAIChat
from core.lm.servers import OllamaServer, read_servers
from core.messages.types import ToolResultMessage
from core.trace import Trace
from tests.core.lm.conftest import LlamaCpp
from tests.core.lm.fake_ollama import FakeOllama, call, last, line
from tests.core.lm.fake_server import FakeServer, fake_server
from tests.core.lm.test_openai_chat import KEY, delta, events, part

MODEL = "qwen3:4b"


def weather(city: str) -> str:
    """The weather."""
    return {"Oslo": "5", "Rome": "30"}[city]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with fake_server() as server:
        yield server


def ollama_trace(server: FakeServer, *replies: list[dict]) -> Trace:
    FakeOllama(server, {MODEL: ("completion", "tools")}, list(replies))
    model = OllamaChat(OllamaServer(url=server.url, configured=True), MODEL)
    return record(run(model, "Which is warmer?", [Tool.from_function(weather)]), title="t", source="live")


def results(trace: Trace) -> list[ToolResultMessage]:
    return [message for message in trace.messages if isinstance(message, ToolResultMessage)]


def test_two_ollama_calls_without_ids_are_told_apart(server: FakeServer) -> None:  # case B86
    calls = [call("weather", {"city": "Oslo"}), call("weather", {"city": "Rome"}, index=1)]
    trace = ollama_trace(
        server, [line(MODEL, tool_calls=calls), last(MODEL)], [line(MODEL, "Rome."), last(MODEL)]
    )
    assert len({result.tool_call_id for result in results(trace)}) == 2
    sent = server.bodies("/api/chat")[1]["messages"][-2:]
    assert [(one["tool_name"], one["content"]) for one in sent] == [("weather", "5"), ("weather", "30")]


def test_arguments_go_back_to_ollama_as_an_object(server: FakeServer) -> None:  # case B85
    calls = [call("weather", {"city": "Oslo"}, id="call_1")]
    ollama_trace(server, [line(MODEL, tool_calls=calls), last(MODEL)], [line(MODEL, "5."), last(MODEL)])
    [sent] = server.bodies("/api/chat")[1]["messages"][1]["tool_calls"]
    assert (sent["id"], sent["function"]["arguments"]) == ("call_1", {"city": "Oslo"})


def test_a_turn_of_calls_alone_goes_to_ollama_with_an_empty_text(server: FakeServer) -> None:  # case B66
    calls = [call("weather", {"city": "Oslo"}, id="call_1")]
    ollama_trace(server, [line(MODEL, tool_calls=calls), last(MODEL)], [line(MODEL, "5."), last(MODEL)])
    assert server.bodies("/api/chat")[1]["messages"][1]["content"] == ""


def test_a_server_that_is_killed_in_mid_stream_leaves_a_trace(server: FakeServer) -> None:
    ollama = FakeOllama(server, {MODEL: ("completion",)}, [[line(MODEL, "It is"), line(MODEL, " co")]])
    ollama.options = {"promised": 400}
    model = OllamaChat(OllamaServer(url=server.url, configured=True), MODEL)
    trace = record(run(model, "Weather?"), title="t", source="live")
    assert trace.calls[0].reply.content == "It is co"
    assert "broke off in the middle of its reply" in trace.calls[0].failure


def openai_model(server: FakeServer) -> OpenAIChat:
    called = events(delta(tool_calls=[part(0, "c1", "weather", '{"city":"Oslo"}')]), delta("tool_calls"))
    server.answers = {"/v1/chat/completions": [called, events(delta(content="5."), delta("stop"))]}
    settings = {
        "LOOPSCOPE_OPENAI_BASE_URL": f"{server.url}/v1",
        "LOOPSCOPE_OPENAI_MODEL": "small",
        "LOOPSCOPE_OPENAI_KEY": KEY,
    }
    configured = read_servers(settings).openai
    assert configured is not None
    return OpenAIChat(configured)


def test_arguments_go_back_to_openai_as_a_string(server: FakeServer) -> None:  # case B85
    steps = run(openai_model(server), "Weather?", [Tool.from_function(weather)])
    trace = record(steps, title="t", source="live")
    assert [result.content for result in results(trace)] == ["5"]
    sent, result = server.bodies("/v1/chat/completions")[1]["messages"][-2:]
    assert sent["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city":"Oslo"}'}
    assert (result["role"], result["tool_call_id"]) == ("tool", "c1")


def test_the_key_is_in_no_trace(server: FakeServer) -> None:
    model = openai_model(server)
    steps = run(model, "Weather?", [Tool.from_function(weather)])
    trace = record(steps, title="t", source="live", model=model.name)
    assert KEY in str(server.requests)
    assert KEY not in trace.model_dump_json()


def test_the_loop_runs_on_llama_cpps_server() -> None:
    llama = LlamaCpp()
    configured = read_servers({"LOOPSCOPE_OPENAI_BASE_URL": f"{llama._server.listening_address}/v1"}).openai
    assert configured is not None
    options = ChatOptions(temperature=0, max_tokens=160)
    model = OpenAIChat(configured, options=options, calls="schema")
    steps = run(model, "What is the weather in Oslo?", [Tool.from_function(weather)], max_steps=1)
    trace = record(steps, title="t", source="live", model=model.name)
    assert results(trace)[0].content == "5"
    assert trace.stop_reason == "step budget exhausted"
