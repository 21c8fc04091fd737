"""Live runs on the loop screen without a browser and with a scripted model: form, begin, edit, stop."""

from collections.abc import Generator
from threading import Semaphore
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.agent.live import LiveRun
from core.lm.available import ModelChoice, Offered
from core.lm.chat import Piece, Reply
from core.lm.scripted import ScriptedModel
from core.messages.types import AssistantMessage, ToolCall
from core.scenarios import live
from core.scenarios.live import Begun
from core.trace import StepKind
from pages.common import live as live_form
from pages.common.run import OWN
from tests.core.lm.fake_ollama import FakeOllama, line
from tests.core.lm.fake_server import fake_server
from tests.pages.app import components, menu_of_runs, open_page

PATIENCE = 60  # seconds
CALL = AssistantMessage(
    content="I look.",
    tool_calls=(ToolCall(id="c1", name="get_weather", arguments='{"city": "Oslo"}'),),
)
ANSWER = AssistantMessage(content="Cold.")


class Typist:
    """Streams words, each when it is allowed to."""

    name, window = "typist", None

    def __init__(self) -> None:
        self.may = Semaphore(0)

    def reply(self, messages: Any, tools: Any) -> Reply:  # noqa: ARG002
        raise AssertionError("it streams")

    def stream(self, messages: Any, tools: Any) -> Generator[Piece, None, Reply]:  # noqa: ARG002
        for word in ("It ", "is ", "cold."):
            assert self.may.acquire(timeout=PATIENCE)
            yield Piece(text=word)
        return Reply(message=AssistantMessage(content="It is cold."))


@pytest.fixture(autouse=True)
def one_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer one model, whatever is installed and served here."""
    offered = Offered(
        choices=(ModelChoice(kind="embedded", name="scripted", calls=("guided", "free")),),
        failures=("The Ollama is away.",),
    )
    monkeypatch.setattr(live_form, "available_models", lambda *_: offered)
    live_form.st_available.clear()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Any:
    def by(model: Any) -> None:
        monkeypatch.setattr(live, "model_of", lambda *_: (model, live.TokenCounter(None)))

    return by


def with_form(**address: str) -> AppTest:
    app = open_page("react", **address)
    app.session_state[live_form.FORM] = True
    app.run()
    assert not app.exception
    return app


def pressed(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    app.run()
    assert not app.exception
    return app


def own(app: AppTest) -> dict[str, Begun]:
    return app.session_state[OWN] if OWN in app.session_state else {}  # noqa: SIM401 - it has no get


def the_run(app: AppTest) -> Begun:
    (run,) = own(app).values()
    return run


def finished(app: AppTest) -> AppTest:
    for begun in own(app).values():
        begun.live.wait(PATIENCE)
    app.run()
    assert not app.exception
    return app


def test_the_form_begins_with_the_question_of_the_run_in_view():
    app = with_form(scenario="parallel")
    assert app.text_area[0].value == live.trace("parallel").messages[0].content
    assert app.selectbox(key="live model").options == ["scripted · embedded"]


def test_a_server_that_has_nothing_to_offer_says_so_in_the_form():
    assert "The Ollama is away." in [caption.value for caption in with_form().caption]


def test_a_run_comes_into_view_and_ends_with_its_answer(answers: Any):
    answers(ScriptedModel("scripted", [CALL, ANSWER]))
    app = finished(pressed(with_form(), "Run"))
    assert app.query_params["scenario"] in own(app)
    kinds = [stop["kind"] for stop in components(app)[0]["timeline"]]
    assert kinds[0] == "user-input"
    assert kinds[-1] == "answer"
    assert components(app)[0]["coming"] is None


def test_a_run_that_was_begun_can_be_chosen_again(answers: Any):
    answers(ScriptedModel("scripted", [ANSWER]))
    app = finished(pressed(with_form(), "Run"))
    menu_of_runs(app).select("parallel").run()
    menu_of_runs(app).select(next(iter(own(app)))).run()
    assert components(app)[0]["timeline"][-1]["kind"] == "answer"


def test_a_press_that_was_sent_before_the_new_address_came_leaves_the_run_in_view(answers: Any):
    answers(ScriptedModel("scripted", [ANSWER]))
    app = pressed(with_form(scenario="parallel"), "Run")
    (slug,) = own(app)
    for sent, seen in (("parallel", slug), (slug, slug), ("parallel", "parallel")):
        app.query_params["scenario"] = sent
        app.run()
        assert menu_of_runs(app).value == seen


def test_what_the_menu_still_said_when_a_run_began_is_no_choice(answers: Any):
    answers(ScriptedModel("scripted", [ANSWER]))
    app = with_form(scenario="parallel")
    before = menu_of_runs(app)
    app = pressed(app, "Run")
    assert menu_of_runs(app).key != before.key


def test_a_reload_finds_the_run_again_and_another_id_finds_none(answers: Any):
    answers(ScriptedModel("scripted", [ANSWER]))
    slug = finished(pressed(with_form(), "Run")).query_params["scenario"]
    reloaded = open_page("react", scenario=slug, step="3")
    assert components(reloaded)[0]["timeline"][-1]["kind"] == "answer"
    assert menu_of_runs(reloaded).value == slug
    # It was the first run of its session; one that was the third stays so.
    third = slug.replace("live-1-", "live-3-")
    assert any(
        option.startswith("Live 3 ·") for option in menu_of_runs(open_page("react", scenario=third)).options
    )
    other = open_page("react", scenario="live-0123456789ab")
    assert "no longer kept" in other.caption[0].value


def test_nothing_begins_without_a_question_and_the_form_says_so(answers: Any):
    answers(ScriptedModel("scripted", [ANSWER]))
    app = with_form()
    app.text_area[0].set_value("  ")
    app = pressed(app, "Run")
    assert not own(app)
    assert "ask a question" in app.warning[0].value


def test_a_run_that_is_going_shows_what_has_come_and_a_stop_keeps_it(answers: Any):
    typist = Typist()
    answers(typist)
    app = pressed(with_form(), "Run")
    going = the_run(app).live
    typist.may.release()
    wait_for(going, "It ")
    app.run()
    assert components(app)[0]["coming"]["text"] == "It "
    live_form.do(going, "stop")
    typist.may.release()
    app = finished(app)
    data = components(app)[0]
    assert data["coming"] is None
    assert data["timeline"][-1]["kind"] == "stop"
    assert the_run(app).trace.calls[0].reply.content == "It is "  # the token under way came


def wait_for(run: LiveRun, text: str) -> None:
    for _ in range(PATIENCE * 20):
        if run.coming.text == text:
            return
        run.wait(0.05)
    raise AssertionError(f"{run.coming.text!r} came")


def test_a_pause_that_is_asked_for_twice_is_one(answers: Any):
    answers(Typist())
    app = pressed(with_form(), "Run")
    going = the_run(app).live
    live_form.do(going, "pause")
    live_form.do(going, "pause")
    assert going.paused
    live_form.do(going, "go on")
    assert not going.paused
    going.stop()


def test_a_failure_of_the_model_is_a_sentence_on_the_screen_and_keeps_the_trace(answers: Any):
    answers(ScriptedModel("scripted", [CALL]))  # it is called once more than it has replies
    data = components(finished(pressed(with_form(), "Run")))[0]
    assert [stop["kind"] for stop in data["timeline"]][-1] == "stop"
    assert "was called once more" in data["view"]["frames"][-1]["change"]


def test_an_ollama_that_is_killed_in_mid_stream_is_a_sentence_beside_what_had_come(
    monkeypatch: pytest.MonkeyPatch,
):
    name = "qwen3:4b"
    choice = ModelChoice(kind="ollama", name=name, address="here", calls=("text",))
    monkeypatch.setattr(live_form, "available_models", lambda *_: Offered(choices=(choice,)))
    with fake_server() as server:
        monkeypatch.setenv("LOOPSCOPE_OLLAMA", server.url)
        ollama = FakeOllama(server, {name: ("completion",)}, [[line(name, "It is"), line(name, " co")]])
        ollama.options = {"promised": 400}
        data = components(finished(pressed(with_form(), "Run")))[0]
    assert "broke off in the middle of its reply" in data["view"]["ended"]
    assert "broke off in the middle of its reply" in data["view"]["frames"][-1]["change"]
    assert [stop["kind"] for stop in data["timeline"]] == ["user-input", "model-call", "stop"]
    broken = data["view"]["cards"][-1]
    assert (broken["kind"], broken["text"]) == ("reply that broke off · not in the context", "It is co")


def step_of(slug: str, kind: StepKind) -> int:
    return next(n for n, step in enumerate(live.trace(slug).steps, start=1) if step.kind is kind)


def test_only_an_observation_or_a_thought_can_be_changed():
    for kind, can in [(StepKind.OBSERVATION, True), (StepKind.THOUGHT, True), (StepKind.EXECUTION, False)]:
        app = open_page("react", scenario="react", step=str(step_of("react", kind)))
        app.session_state[live_form.EDIT] = True
        app.run()
        assert ("Go on from here" in [button.label for button in app.button]) is can


def test_a_changed_observation_makes_a_run_beside_the_one_in_view(answers: Any):
    answers(ScriptedModel("scripted", [ANSWER]))
    step = step_of("berlin", StepKind.OBSERVATION)
    app = open_page("react", scenario="berlin", step=str(step))
    app.session_state[live_form.EDIT] = True
    app.run()
    app.text_area[0].set_value("-20°C")
    app = finished(pressed(app, "Go on from here"))
    run = the_run(app).trace
    assert run.steps[step - 1].text == "-20°C"
    assert run.parting is not None
    assert app.query_params["scenario"] in own(app)
    assert live.trace("berlin").steps[step - 1].text != "-20°C"


def test_a_changed_run_keeps_the_goal_that_the_runtime_tests(answers: Any):
    answers(ScriptedModel("scripted", [ANSWER] * 9))
    app = open_page("react", scenario="goal-test", step=str(step_of("goal-test", StepKind.OBSERVATION)))
    app.session_state[live_form.EDIT] = True
    app.run()
    finished(pressed(app, "Go on from here"))
    assert "goal test" in [step.guard for step in the_run(app).trace.steps]
