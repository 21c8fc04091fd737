"""Three loops on the same question, as settings of one loop."""

import pytest

from core.agent import NATIVE, TEXT, Action, Finish, Observation, Thought, Tool, parse_react, record, run
from core.agent.settings import CHAIN, LoopKind, setting
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, ToolCall, UserMessage
from core.trace import StepKind


def temp(city: str) -> str:
    """The temperature in a city."""
    return f"5 in {city}"


TOOLS = [Tool.from_function(temp)]


def trace_of(chosen, *replies):
    steps = run(ScriptedModel("m", replies), "q", **vars(chosen))
    return record(steps, title="t", source="scripted", system=chosen.system)


def test_chain_of_thought_is_one_call_without_tools():
    chosen = setting(LoopKind.CHAIN_OF_THOUGHT, TOOLS)

    assert (chosen.tools, chosen.max_steps) == ((), 1)


def test_a_chain_of_thought_is_a_thought_and_an_answer():
    chosen = setting(LoopKind.CHAIN_OF_THOUGHT, TOOLS)

    trace = trace_of(chosen, AssistantMessage(content="Oslo is cold.\nSo little.\n**Answer:** 5 degrees"))

    assert [(step.kind, step.text) for step in trace.steps[2:]] == [
        (StepKind.THOUGHT, "Oslo is cold.\nSo little."),
        (StepKind.ANSWER, "5 degrees"),
    ]


@pytest.mark.parametrize("text", ["5 degrees", "I think.\nAnswer:", "The Answer: is 5."])
def test_without_a_line_for_the_answer_the_whole_text_is_it(text):
    turn = CHAIN.read(AssistantMessage(content=text), ())

    assert (turn.message.content, turn.message.thinking) == (text, None)


def test_of_several_lines_for_the_answer_the_last_one_counts():
    turn = CHAIN.read(AssistantMessage(content="Answer: 4? No.\nAnswer: 5"), ())

    assert (turn.message.thinking, turn.message.content) == ("Answer: 4? No.", "5")


@pytest.mark.parametrize("kind", [LoopKind.ACT, LoopKind.REACT])
def test_acting_gets_the_tools_in_either_format(kind):
    native, text = setting(kind, TOOLS), setting(kind, TOOLS, as_text=True)

    assert (native.format, text.format) == (NATIVE, TEXT)
    assert native.tools == text.tools == tuple(TOOLS)


def test_only_as_text_the_system_prompt_describes_the_tools():
    assert '"city"' in setting(LoopKind.ACT, TOOLS, as_text=True).system
    assert '"city"' not in setting(LoopKind.ACT, TOOLS).system


def test_the_system_prompt_asks_for_no_dense_or_sparse_thoughts():
    prompts = {
        setting(LoopKind.ACT, TOOLS).system,
        setting(LoopKind.REACT, TOOLS).system,
        setting(LoopKind.REACT, TOOLS, thoughts="sparse").system,
    }

    assert len(prompts) == 3


def test_to_act_alone_shows_no_line_for_a_thought():
    assert "Thought:" not in setting(LoopKind.ACT, TOOLS, as_text=True).system
    assert "Thought:" in setting(LoopKind.REACT, TOOLS, as_text=True).system


def test_the_form_that_the_prompt_shows_can_be_read():
    shown = setting(LoopKind.REACT, TOOLS, as_text=True).system.split("write yourself.\n")[1]

    kinds = [type(item) for item in parse_react(shown.split("\n\n")[0])]
    assert kinds == [Thought, Action]


def example():
    call = ToolCall(id="a", name="temp", arguments='{"city": "Oslo"}')
    return trace_of(
        setting(LoopKind.REACT, TOOLS),
        AssistantMessage(content="I need Oslo.", tool_calls=(call,)),
        AssistantMessage(content="5 degrees.", thinking="I know."),
    )


@pytest.mark.parametrize("kind", LoopKind)
def test_the_messages_of_example_runs_stand_before_the_question(kind):
    shown = example()

    assert setting(kind, TOOLS, examples=[shown, shown]).history == 2 * shown.messages


def test_as_text_an_example_can_be_read_as_what_it_was():
    chosen = setting(LoopKind.REACT, TOOLS, as_text=True, examples=[example()])

    sent, _ = chosen.format.sent((*chosen.history, UserMessage(content="q")), ())
    assert parse_react("\n".join(message.content for message in sent[1:-1])) == [
        Thought(text="I need Oslo."),
        Action(name="temp", input='{"city": "Oslo"}'),
        Observation(text="5 in Oslo"),
        Thought(text="I know."),
        Finish(answer="5 degrees."),
    ]


@pytest.mark.parametrize(
    ("kind", "tools", "options"),
    [
        ("plan", TOOLS, {}),
        (LoopKind.REACT, TOOLS, {"thoughts": "many"}),
        (LoopKind.REACT, None, {}),
        (LoopKind.REACT, [temp], {}),
        (LoopKind.REACT, TOOLS, {"examples": ["Question: x"]}),
    ],
)
def test_a_setting_that_there_is_not_is_refused_in_a_sentence(kind, tools, options):
    with pytest.raises(InputError):
        setting(kind, tools, **options)


@pytest.mark.parametrize("kind", [LoopKind.ACT, LoopKind.REACT])
@pytest.mark.parametrize("as_text", [True, False])
def test_without_tools_nothing_is_said_of_them(kind, as_text):
    given = setting(kind, (), as_text=as_text)
    assert "tool" not in given.system.lower()
    assert ("Final Answer:" in given.system) == as_text
