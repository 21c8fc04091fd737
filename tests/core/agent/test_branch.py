"""A run is edited and goes on: what stays, what is run again, and where the two part."""

import pytest

from core.agent import NATIVE, TEXT, Tool, record, resume, run, states
from core.agent.branch import continued, edited
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, ToolCall, ToolResultMessage, UserMessage, check_pairing
from core.trace import StepKind, Trace

RAN: list[str] = []


def temp(city: str) -> str:
    """The temperature in a city."""
    RAN.append(city)
    return f"5 in {city}"


TOOLS = [Tool.from_function(temp)]


def asking(*cities, content=""):
    calls = tuple(
        ToolCall(id=f"c{n}", name="temp", arguments=f'{{"city": "{city}"}}') for n, city in enumerate(cities)
    )
    return AssistantMessage(content=content, tool_calls=calls)


class Spy(ScriptedModel):
    def __init__(self, *replies):
        super().__init__("spy", replies)
        self.sent = []

    def reply(self, messages, tools):
        self.sent.append(messages)
        return super().reply(messages, tools)


def trace_of(*replies, format=NATIVE, max_steps=5) -> Trace:
    steps = run(ScriptedModel("m", replies), "q", TOOLS, system="S", max_steps=max_steps, format=format)
    return record(steps, title="t", source="scripted", model="m", system="S", max_steps=max_steps)


def place(trace: Trace, kind: StepKind, which: int = 0) -> int:
    return [number for number, step in enumerate(trace.steps) if step.kind is kind][which]


def branch(trace: Trace, step: int, replacement: str, *replies, format=NATIVE) -> Trace:
    RAN.clear()
    cut = edited(trace, step, replacement)
    steps = resume(cut, ScriptedModel("n", replies), TOOLS, format=format)
    return continued(cut, steps, source="live", model="n")


ONE = (asking("Oslo"), AssistantMessage(content="5 degrees."))


def test_the_model_goes_on_from_the_edited_observation():
    trace = trace_of(*ONE)
    model = Spy(AssistantMessage(content="25 degrees."))

    list(resume(edited(trace, place(trace, StepKind.OBSERVATION), "25"), model, TOOLS))

    assert [message.content for message in model.sent[0]] == ["S", "q", "", "25"]


def test_the_new_trace_knows_where_it_parted_and_what_stood_there():
    trace = trace_of(*ONE)
    step = place(trace, StepKind.OBSERVATION)

    new = branch(trace, step, "25", AssistantMessage(content="25 degrees."))

    assert (new.parting.step, new.parting.instead_of) == (step, "5 in Oslo")
    assert new.steps[:step] == trace.steps[:step]
    assert (new.steps[step].text, new.stop_reason) == ("25", "answer")
    assert (new.source, new.model) == ("live", "n")


def test_the_old_trace_stays_as_it_was():
    trace = trace_of(*ONE)
    before = trace.model_dump_json()

    branch(trace, place(trace, StepKind.OBSERVATION), "25", AssistantMessage(content="25 degrees."))

    assert trace.model_dump_json() == before


def test_the_messages_of_the_branch_are_its_own():
    trace = trace_of(*ONE)
    assert trace.messages  # read off once, and kept

    new = branch(trace, place(trace, StepKind.OBSERVATION), "25", AssistantMessage(content="25 degrees."))

    assert [message.content for message in new.messages] == ["q", "", "25", "25 degrees."]


def test_what_was_run_before_is_not_run_again_and_the_rest_of_the_turn_is():
    trace = trace_of(asking("Oslo", "Rome", "Bonn"), AssistantMessage(content="Done."))

    new = branch(trace, place(trace, StepKind.OBSERVATION, 1), "30", AssistantMessage(content="Done."))

    assert RAN == ["Bonn"]
    assert [m.content for m in new.messages if isinstance(m, ToolResultMessage)] == [
        "5 in Oslo",
        "30",
        "5 in Bonn",
    ]
    assert check_pairing(new.messages) == []


def test_the_turns_are_counted_on_and_the_cap_holds():
    trace = trace_of(asking("Oslo"), asking("Rome"), max_steps=2)

    new = branch(trace, place(trace, StepKind.OBSERVATION), "x", asking("Rome"), asking("Bonn"))

    assert [step.turn for step in new.steps if step.kind is StepKind.MODEL_CALL] == [1, 2]
    assert new.stop_reason == "step budget exhausted"


def test_an_edited_thought_stands_alone_and_the_model_draws_an_action_from_it():
    trace = trace_of(asking("Oslo", content="I need Oslo."), AssistantMessage(content="5."))
    model = Spy(asking("Rome"), AssistantMessage(content="30."))

    cut = edited(trace, place(trace, StepKind.THOUGHT), "I need Rome.")
    new = continued(cut, resume(cut, model, TOOLS), source="live")

    assert model.sent[0][-1] == AssistantMessage(content="I need Rome.")
    assert states(new)[-1].context == ("c0", "o1", "t1", "a1", "o2")


def test_in_text_an_edited_thought_is_sent_as_one():
    trace = trace_of(
        AssistantMessage(content='Thought: Oslo.\nAction: temp\nAction Input: {"city": "Oslo"}'),
        AssistantMessage(content="Final Answer: 5"),
        format=TEXT,
    )
    model = Spy(AssistantMessage(content="Action: temp[Rome]"), AssistantMessage(content="Final Answer: 30"))

    list(resume(edited(trace, place(trace, StepKind.THOUGHT), "Rome."), model, TOOLS, format=TEXT))

    assert model.sent[0][-1] == AssistantMessage(content="Thought: Rome.")


def test_an_edited_format_error_is_still_words_of_the_user():
    trace = trace_of(
        AssistantMessage(content="Hm."), AssistantMessage(content="Final Answer: x"), format=TEXT
    )

    cut = edited(trace, place(trace, StepKind.OBSERVATION), "Observation: go on")

    assert cut.messages[-1] == UserMessage(content="Observation: go on")


@pytest.mark.parametrize(("text", "is_error"), [("ERROR: gone", True), ("gone", False)])
def test_an_observation_that_says_error_is_one(text, is_error):
    trace = trace_of(*ONE)

    cut = edited(trace, place(trace, StepKind.OBSERVATION), text)

    assert cut.messages[-1].is_error is is_error


def test_the_repeat_detector_remembers_the_calls_before_the_edit():
    trace = trace_of(asking("Oslo"), asking("Oslo"), AssistantMessage(content="5."))

    new = branch(
        trace, place(trace, StepKind.OBSERVATION, 1), "x", asking("Oslo"), AssistantMessage(content="5.")
    )

    assert [step.guard for step in new.steps if step.guard] == ["repeat"]


def test_a_run_that_was_left_goes_on_where_it_was():
    RAN.clear()
    steps = run(ScriptedModel("m", [asking("Oslo", "Rome")]), "q", TOOLS)
    so_far = []
    while not so_far or so_far[-1].kind is not StepKind.OBSERVATION:
        so_far.append(next(steps))
    paused = record(so_far, title="t", source="live")

    new = continued(paused, resume(paused, ScriptedModel("m", [ONE[1]]), TOOLS), source="live")

    assert (RAN, new.stop_reason) == (["Oslo", "Rome"], "answer")


@pytest.mark.parametrize("kind", [StepKind.USER_INPUT, StepKind.MODEL_CALL, StepKind.ANSWER])
def test_only_an_observation_or_a_thought_can_be_edited(kind):
    trace = trace_of(*ONE)

    with pytest.raises(InputError, match="neither an observation nor a thought"):
        edited(trace, place(trace, kind), "x")


@pytest.mark.parametrize(("step", "text"), [(-1, "x"), (99, "x"), ("1", "x"), (6, None), (5, "  ")])
def test_a_step_that_is_not_there_or_no_text_is_refused(step, text):
    with pytest.raises(InputError):
        edited(trace_of(*ONE), step, text)


def test_a_run_that_has_ended_does_not_go_on():
    with pytest.raises(InputError, match="can go on after"):
        resume(trace_of(*ONE), ScriptedModel("m", []), TOOLS)
