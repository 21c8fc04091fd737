"""ReAct as text through the one loop: what is sent, what is read, and the same trace as ever."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import TEXT, Tool, record, run, states
from core.agent.react_format import arguments_of
from core.context import TokenCounter
from core.lm.chat import Reply
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, Part, ToolSchema, UserMessage, check_pairing
from core.trace import StepKind, Trace
from tests.core.context.toy import ToyTokenizer


def temp(city: str) -> str:
    """The temperature in a city."""
    return {"Oslo": "5", "Rome": "30"}[city]


TOOLS = [Tool.from_function(temp)]
ASK = 'Thought: I ask.\nAction: temp\nAction Input: {"city": "Oslo"}'
ANSWER = "Thought: Now I know.\nFinal Answer: 5 degrees."


class Spy:
    """A scripted model that keeps what it was sent."""

    name = "spy"
    window = None

    def __init__(self, *texts):
        self._script = ScriptedModel("spy", [AssistantMessage(content=text) for text in texts])
        self.sent = []

    def reply(self, messages, tools):
        self.sent.append((messages, tools))
        return self._script.reply(messages, tools)


def trace_of(*replies, **options) -> Trace:
    texts = [AssistantMessage(content=reply) if isinstance(reply, str) else reply for reply in replies]
    steps = run(ScriptedModel("m", texts), "q", TOOLS, format=TEXT, **options)
    return record(steps, title="t", source="scripted", system=options.get("system"))


def kinds(trace):
    return [step.kind for step in trace.steps]


def observations(trace):
    return [step.text for step in trace.steps if step.kind is StepKind.OBSERVATION]


def test_a_run_as_text_has_the_steps_of_a_native_one():
    K = StepKind

    assert kinds(trace_of(ASK, ANSWER)) == [
        K.USER_INPUT,
        *(K.MODEL_CALL, K.THOUGHT, K.TOOL_CALL, K.VALIDATION, K.EXECUTION, K.OBSERVATION),
        *(K.MODEL_CALL, K.THOUGHT, K.ANSWER),
    ]


def test_the_history_is_typed():
    user, asked, result, answered = trace_of(ASK, ANSWER).messages

    assert asked.content == "I ask."
    assert [(call.id, call.name, call.arguments) for call in asked.tool_calls] == [
        ("call_1", "temp", '{"city": "Oslo"}')
    ]
    assert (result.tool_call_id, result.content) == ("call_1", "5")
    assert (answered.thinking, answered.content) == ("Now I know.", "5 degrees.")
    assert user == UserMessage(content="q")


def test_a_call_sends_the_turns_as_text_and_no_schemas():
    model = Spy(ASK, ANSWER)

    list(run(model, "q", TOOLS, format=TEXT))

    assert model.sent[1] == (
        (
            UserMessage(content="q"),
            AssistantMessage(content=ASK),
            UserMessage(content="Observation: 5"),
        ),
        (),
    )


def test_an_earlier_answer_is_sent_in_the_format_too():
    model = Spy(ANSWER)
    earlier = (UserMessage(content="before"), AssistantMessage(content="5 degrees.", thinking="Now I know."))

    list(run(model, "q", TOOLS, format=TEXT, history=earlier))

    assert model.sent[0][0][1] == AssistantMessage(content=ANSWER)


def test_the_context_is_counted_as_it_is_sent_and_a_result_stays_one():
    trace = trace_of(ASK, ANSWER, counter=TokenCounter(ToyTokenizer()), system="S")

    segments = trace.calls[1].segments
    assert "Observation: 5" in "".join(segment.text for segment in segments)
    assert [s.text for s in segments if s.part is Part.TOOL_RESULT] == ["Observation: 5"]


def test_an_observation_that_the_model_made_up_is_cut_and_the_real_one_follows():
    trace = trace_of(f"{ASK}\nObservation: 40\nFinal Answer: 40 degrees", ANSWER)

    assert observations(trace) == ["5"]
    assert trace.calls[0].ignored == "Observation: 40\nFinal Answer: 40 degrees"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The answer is 65.", "The reply has no `Thought:`"),
        ("Thought: I should search.", "The reply has no action and no answer."),
        ("", "The reply is empty."),
        ("Action: temp", "`Action: temp` has no `Action Input:`."),
        ("Thought: I know.\nAction: None", "`Action: None` has no `Action Input:`."),
    ],
)
def test_a_reply_out_of_format_is_told_the_form_counts_as_a_turn_and_is_no_answer(text, told):
    trace = trace_of(text, ANSWER)

    assert observations(trace)[0].startswith(f"Observation: ERROR: {told}")
    assert "Write `Action:`" in observations(trace)[0]
    assert (trace.steps[-1].kind, trace.steps[-1].turn) == (StepKind.ANSWER, 2)


def test_the_model_sees_what_it_wrote_out_of_format():
    model = Spy("The answer is 65.", ANSWER)

    list(run(model, "q", TOOLS, format=TEXT))

    assert model.sent[1][0][1] == AssistantMessage(content="The answer is 65.")


def test_a_reply_out_of_format_is_a_thought_of_the_context_and_its_error_an_observation():
    assert states(trace_of("The answer is 65.", ANSWER))[-1].context == ("c0", "o1", "t1", "o2", "t2")


def test_replies_out_of_format_end_at_the_step_cap():
    assert trace_of("no", "no", max_steps=2).stop_reason == "step budget exhausted"


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ('Action: Use temp\nAction Input: {"city": "Oslo"}', "unknown tool 'Use temp', available: temp"),
        ("Action: temp\nAction Input: {'city': 'Oslo'}", "invalid JSON in the arguments"),
        ('Action: temp\nAction Input: {"town": "Oslo"}', "$.city is missing"),
    ],
)
def test_a_call_as_text_climbs_the_same_ladder(action, told):
    [error] = observations(trace_of(action, ANSWER))

    assert told in error


def test_the_numbered_dialect_runs_too():
    trace = trace_of("Thought 1: I ask.\nAction 1: temp[Oslo]", "Action 2: Finish[5 degrees]")

    assert (observations(trace), trace.steps[-1].text) == (["5"], "5 degrees")


def test_a_call_that_was_cut_off_is_not_executed():
    cut = Reply(message=AssistantMessage(content=ASK), finish_reason="length")

    assert "cut off" in observations(trace_of(cut, ANSWER))[0]


def test_a_call_is_whole_where_the_model_was_cut_off_in_an_observation_of_its_own():
    cut = Reply(message=AssistantMessage(content=f"{ASK}\nObservation: 40 and"), finish_reason="length")

    assert observations(trace_of(cut, ANSWER)) == ["5"]


TEXT_FIRST = ToolSchema(
    name="f",
    parameters={"properties": {"n": {"type": "integer"}, "q": {"type": "string"}}, "required": ["q"]},
)
NUMBER = ToolSchema(name="g", parameters={"properties": {"n": {"type": "integer"}}})


@pytest.mark.parametrize(
    ("name", "written", "arguments"),
    [
        ("f", '{"q": "x", "n": 1}', {"q": "x", "n": 1}),
        ("f", "capital of Norway", {"q": "capital of Norway"}),
        ("f", '"quoted"', {"q": "quoted"}),
        ("f", "12", {"q": "12"}),
        ("g", "12", {"n": 12}),
        ("g", "twelve", {"n": "twelve"}),
    ],
)
def test_an_input_that_is_no_object_is_the_first_required_argument(name, written, arguments):
    assert json.loads(arguments_of(name, written, [TEXT_FIRST, NUMBER])) == arguments


def test_an_empty_input_is_no_argument():
    assert arguments_of("f", "", [TEXT_FIRST]) == ""


def test_the_input_of_an_unknown_tool_stays_as_it_was_written():
    assert arguments_of("h", "x", [NUMBER]) == "x"


LABELS = [
    "Thought: ",
    "Action: temp",
    "Action: ",
    "Action Input: ",
    "Final Answer: ",
    "Observation: ",
    "Finish[",
]
BODIES = ['{"city": "Oslo"}', "\n", "]", "```", "x", "temp[Rome]", "{"]
pieces = st.sampled_from(LABELS) | st.sampled_from(BODIES)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.lists(pieces, max_size=9).map("".join), max_size=4))
def test_no_text_breaks_the_loop_and_every_call_has_one_result(texts):
    trace = trace_of(*texts, "Final Answer: x", counter=TokenCounter(ToyTokenizer()))

    problems = {problem.kind for problem in check_pairing(trace.messages)}
    assert problems <= {"empty message"}
    assert trace.stop_reason == "answer"
