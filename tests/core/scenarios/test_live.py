"""From a request to a live run: on the embedded model, on played servers, and on llama.cpp's."""

import threading
from typing import Any

import pytest

from core.agent import edited
from core.agent.settings import LoopKind
from core.errors import InputError
from core.lm.available import available_models
from core.lm.chat import Reply
from core.lm.install import install
from core.lm.scripted import ScriptedModel
from core.lm.servers import read_servers
from core.messages.types import AssistantMessage, ToolCall, ToolResultMessage
from core.scenarios import Scenario, live, scenario_of, trace
from core.scenarios.live import LIBRARY, Begun, Request, tools_for
from core.scenarios.tools import GET_WEATHER
from core.trace import StepKind, Trace
from tests.core.lm.conftest import LlamaCpp
from tests.core.lm.fake_ollama import FakeOllama, line
from tests.core.lm.fake_server import fake_server

PATIENCE = 240  # seconds
NO_SERVERS = read_servers({})
QUESTION = "What is the weather in Oslo?"


def finished(
    request: Request,
    after: Trace | None = None,
    rules: Scenario | None = None,
    settings: dict[str, str] | None = None,
) -> Begun:
    begun = Begun(request, read_servers(settings or {}), after, rules)
    begun.live.wait(PATIENCE)
    assert not begun.live.going
    return begun


@pytest.fixture
def replies(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a scripted model answer in place of the one that is asked for."""

    def script(*messages: AssistantMessage | Reply) -> None:
        model = ScriptedModel("scripted", messages)
        counter = live.TokenCounter(None)
        monkeypatch.setattr(live, "model_of", lambda _request, _servers: (model, counter))

    return script


def calling(name: str, arguments: str) -> AssistantMessage:
    return AssistantMessage(tool_calls=(ToolCall(id="c1", name=name, arguments=arguments),))


def test_a_request_runs_on_the_embedded_model() -> None:
    install(lambda *_: None)
    # Without thoughts, for these are tokens: what a grammar makes of them is tested elsewhere.
    request = Request(question=QUESTION, loop=LoopKind.ACT, tools=("get_weather",), max_steps=1)
    run = finished(request).trace
    assert (run.source, run.title, run.stop_reason) == ("live", QUESTION, "step budget exhausted")
    [result] = [message for message in run.messages if isinstance(message, ToolResultMessage)]
    assert result.content == GET_WEATHER.execute({"city": "Oslo"})
    [call] = run.calls
    assert call.counting.method == "exact"
    assert all(len(token.alternatives) == 8 for token in call.tokens or ())


def test_react_as_text_shows_the_embedded_model_a_run_with_as_many_thoughts(replies: Any) -> None:
    for thoughts, slug in (("dense", "react"), ("sparse", "sparse")):
        replies(AssistantMessage(content="Final Answer: cold"))
        run = finished(Request(question=QUESTION, calls="free", thoughts=thoughts)).trace
        assert run.history[0] == trace(slug).messages[0]


@pytest.mark.parametrize(
    ("asked", "thought"),
    [
        ({"thoughts": "dense"}, "must"),
        ({"thoughts": "sparse"}, "may"),
        ({"thoughts": "dense", "loop": LoopKind.ACT}, "none"),
    ],
)
def test_the_grammar_of_the_embedded_model_has_the_thoughts_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: Any, thought: str
) -> None:
    class Chat(ScriptedModel):
        counter = live.TokenCounter(None)

        def __init__(self, *_: Any, thought: str) -> None:
            super().__init__("m", [AssistantMessage(content=thought)])

    monkeypatch.setattr(live, "embedded", lambda: None)
    monkeypatch.setattr(live, "EmbeddedChat", Chat)
    assert finished(Request(question=QUESTION, **asked)).trace.steps[-1].text == thought


def test_the_calls_of_a_turn_run_at_once_where_that_is_asked_for(replies: Any) -> None:
    two = AssistantMessage(
        tool_calls=tuple(
            ToolCall(id=city, name="get_weather", arguments=f'{{"city": "{city}"}}')
            for city in ("Oslo", "Paris")
        )
    )
    kinds, taken_up, executed = {}, StepKind.TOOL_CALL, StepKind.EXECUTION
    for parallel in (True, False):
        replies(two, AssistantMessage(content="Paris."))
        run = finished(Request(question=QUESTION, parallel=parallel)).trace
        kinds[parallel] = [step.kind for step in run.steps if step.kind in (taken_up, executed)]
    assert kinds[True] == [taken_up, taken_up, executed, executed]
    assert kinds[False] == [taken_up, executed, taken_up, executed]


@pytest.mark.parametrize("question", ["", " \n"])
def test_a_run_needs_a_question(question: str) -> None:
    with pytest.raises(InputError, match="ask a question"):
        Begun(Request(question=question), NO_SERVERS)


def test_an_unknown_tool_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InputError, match="no tool 'fly': choose from get_weather"):
        Begun(Request(question=QUESTION, tools=("get_weather", "fly")), NO_SERVERS)


def test_an_unknown_way_of_calling_is_refused() -> None:
    install(lambda *_: None)
    with pytest.raises(InputError, match="guided, not by 'shouting'"):
        Begun(Request(question=QUESTION, calls="shouting"), NO_SERVERS)


def test_a_server_that_is_not_configured_is_not_called() -> None:
    with pytest.raises(InputError, match="No OpenAI-compatible server"):
        Begun(Request(question=QUESTION, kind="openai", model="m", calls="native"), NO_SERVERS)


def test_a_run_goes_on_after_an_edited_observation(replies: Any) -> None:
    whole = trace("berlin")
    seen = next(n for n, step in enumerate(whole.steps) if step.kind is StepKind.OBSERVATION)
    replies(AssistantMessage(content="Take a coat."))
    begun = finished(Request(question=""), after=edited(whole, seen, "-20°C, a blizzard"))
    run = begun.trace
    assert run.steps[:seen] == whole.steps[:seen]
    assert run.steps[seen].text == "-20°C, a blizzard"
    assert run.parting is not None
    assert (run.parting.step, run.parting.instead_of) == (seen, whole.steps[seen].text)
    assert (run.source, run.stop_reason, run.steps[-1].text) == ("live", "answer", "Take a coat.")


def test_the_goal_of_a_bundled_run_is_tested_in_its_branch_and_the_branch_of_that(replies: Any) -> None:
    whole, rules = trace("goal-test"), scenario_of("goal-test")
    place = next(n for n, step in enumerate(whole.steps) if step.kind is StepKind.OBSERVATION)
    early = AssistantMessage(content="In Madrid.")
    for _ in range(2):
        replies(*[early] * whole.max_steps)
        begun = finished(Request(question="", tools=("get_weather",)), edited(whole, place, "30°C"), rules)
        whole, rules = begun.trace, begun.rules
        assert [step.text for step in whole.steps if step.guard == "goal test"]
        assert whole.stop_reason == "step budget exhausted"


def test_the_policy_of_a_bundled_run_holds_in_its_branch(replies: Any) -> None:
    whole = trace("policy")
    place = next(n for n, step in enumerate(whole.steps) if step.kind is StepKind.OBSERVATION)
    replies(
        calling("get_enrollment", '{"email": "ben@example.com", "reason": "x"}'),
        AssistantMessage(content="No."),
    )
    request = Request(question="", tools=tools_for(whole))
    run = finished(request, edited(whole, place, "Try again."), scenario_of("policy")).trace
    refused = [step.validation for step in run.steps[place:] if step.validation and not step.validation.ok]
    assert [verdict.stage for verdict in refused] == ["policy"]


def test_the_library_stands_for_the_tools_that_its_server_tells(replies: Any) -> None:
    replies(calling("find_room", '{"seats": 20, "day": "monday"}'), AssistantMessage(content="Emmy."))
    run = finished(Request(question="A room for 20 on Monday?", tools=("get_weather", LIBRARY))).trace
    names = [tool.name for tool in run.tools or ()]
    assert names[0] == "get_weather"
    assert {"search_catalogue", "find_room"} < set(names)
    [result] = [message for message in run.messages if isinstance(message, ToolResultMessage)]
    assert result.content == "Emmy (30 seats)"


@pytest.mark.parametrize("slug", ["parallel", "code", "mcp", "injection", "text", "policy"])
def test_every_tool_of_a_bundled_run_can_be_asked_for_again(slug: str) -> None:
    had = [tool.name for tool in trace(slug).tools or ()]
    asked = tools_for(trace(slug))
    library = {"search_catalogue", "find_room", "opening_hours"}
    assert set(asked) - {LIBRARY} == set(had) - library
    assert (LIBRARY in asked) is (slug == "mcp")


def test_a_run_says_how_its_model_was_run(replies: Any) -> None:
    replies(AssistantMessage(content="Cold."))
    run = finished(Request(question=QUESTION, temperature=0.7, seed=3)).trace
    assert run.description == "Loop: ReAct, sparse thoughts. Calls: guided. T = 0.7, seed 3."
    open_loop = Request(question=QUESTION, loop=LoopKind.CHAIN_OF_THOUGHT)
    assert open_loop.described == "Loop: chain of thought. T = 0, seed 0."


@pytest.mark.parametrize(
    ("kind", "calls", "temperature", "drawing"),
    [
        ("embedded", "guided", 0, "greedy grammar"),
        ("embedded", "grammar", 0.5, "grammar"),
        ("embedded", "free", 0, "greedy"),
        ("ollama", "schema", 0.5, "sampled"),
    ],
)
def test_how_tokens_are_drawn_is_read_off_the_request(
    kind: Any, calls: str, temperature: float, drawing: str
) -> None:
    request = Request(question=QUESTION, kind=kind, calls=calls, temperature=temperature)
    assert request.drawing == drawing


def test_a_run_can_be_read_before_its_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    may = threading.Event()

    class Waits:
        name, window = "waits", None

        def reply(self, messages: Any, tools: Any) -> Reply:  # noqa: ARG002
            may.wait(PATIENCE)
            return Reply(message=AssistantMessage(content="done"))

    monkeypatch.setattr(live, "model_of", lambda _request, _servers: (Waits(), live.TokenCounter(None)))
    begun = Begun(Request(question=QUESTION), NO_SERVERS)
    assert begun.trace.stop_reason == "not finished"
    may.set()
    begun.live.wait(PATIENCE)
    assert begun.trace.stop_reason == "answer"


def test_an_ollama_that_is_killed_in_mid_stream_leaves_what_came_and_a_sentence() -> None:
    with fake_server() as server:
        model = "qwen3:4b"
        ollama = FakeOllama(server, {model: ("completion",)}, [[line(model, "It is"), line(model, " co")]])
        ollama.options = {"promised": 400}
        request = Request(question=QUESTION, kind="ollama", model=model, calls="schema", tools=())
        run = finished(request, settings={"LOOPSCOPE_OLLAMA": server.url}).trace
    assert "broke off in the middle of its reply" in (run.stop_reason or "")
    assert run.calls[0].reply.content == "It is co"
    assert run.calls[0].counting.method == "estimate"


def test_a_request_runs_on_llama_cpps_server() -> None:
    install(lambda *_: None)
    llama = LlamaCpp()
    settings = {"LOOPSCOPE_OPENAI_BASE_URL": f"{llama._server.listening_address}/v1"}
    [choice] = available_models(read_servers(settings)).choices[1:]
    request = Request(
        question=QUESTION,
        kind=choice.kind,
        model=choice.name,
        calls="schema",
        tools=("get_weather",),
        max_steps=1,
    )
    run = finished(request, settings=settings).trace
    [result] = [message for message in run.messages if isinstance(message, ToolResultMessage)]
    assert not result.is_error
    assert run.calls[0].tokens
