"""The state of the loop after each step."""

import pytest

from core.agent import PROMPT_TOOL_LOOP, record, run, states
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, ToolCall, UserMessage
from core.trace import StepKind

ANSWER = AssistantMessage(content="Done.")


def calling(*ids, content=""):
    return AssistantMessage(
        content=content, tool_calls=tuple(ToolCall(id=id, name="f", arguments="{}") for id in ids)
    )


def run_of(*replies, history=()):
    trace = record(
        run(ScriptedModel("m", replies), "q", history=history), title="t", source="scripted", history=history
    )
    return list(zip((step.kind for step in trace.steps), states(trace), strict=True))


def of_kind(pairs, *kinds):
    return [state for kind, state in pairs if kind in kinds]


def test_the_context_of_a_react_run_is_that_of_the_lecture():
    pairs = run_of(calling("a", content="Think."), calling("b", content="Again."), ANSWER)

    assert pairs[-1][1].context == ("c0", "o1", "t1", "a1", "o2", "t2", "a2", "o3")


def test_a_turn_without_a_thought_contributes_an_action_and_an_observation():
    assert run_of(calling("a"), ANSWER)[-1][1].context == ("c0", "o1", "a1", "o2")


def test_parallel_calls_are_parts_of_one_action():
    pairs = run_of(calling("a", "b"), calling("c"), ANSWER)

    assert pairs[-1][1].context == ("c0", "o1", "a1.1", "a1.2", "o2.1", "o2.2", "a2", "o3")


def test_a_step_adds_what_it_appended():
    pairs = run_of(calling("a", content="Think."), ANSWER)

    assert [(kind, state.added) for kind, state in pairs if state.added] == [
        (StepKind.USER_INPUT, (1,)),
        (StepKind.THOUGHT, (2, 3)),
        (StepKind.OBSERVATION, (4,)),
    ]


def test_a_step_is_about_its_own_symbol():
    pairs = run_of(calling("a", "b", content="Think."), ANSWER)

    assert [state.context[state.about] for _, state in pairs if state.about is not None] == [
        "o1",
        "t1",
        *("a1.1", "a1.1", "o2.1"),
        *("a1.2", "a1.2", "o2.2"),
    ]


def test_a_call_is_pending_until_its_result():
    pairs = run_of(calling("a", "b"), ANSWER)

    assert [state.pending for state in of_kind(pairs, StepKind.TOOL_CALL, StepKind.OBSERVATION)] == [
        ("a", "b"),
        ("b",),
        ("b",),
        (),
    ]


def test_the_history_grows_by_one_message_for_each_append():
    pairs = run_of(calling("a"), ANSWER)

    assert [state.history for _, state in pairs] == [1, 1, 2, 2, 3, 3, 4]


def test_earlier_messages_count_as_history():
    history = (UserMessage(content="x"), AssistantMessage(content="y"))

    assert run_of(ANSWER, history=history)[0][1].history == 3


def test_the_turn_is_the_variable_of_line_2():
    assert [state.turn for _, state in run_of(calling("a"), ANSWER)] == [0, 1, 1, 1, 1, 2, 2]


def test_the_pseudocode_has_the_nine_lines_of_the_lecture():
    assert [line.number for line in PROMPT_TOOL_LOOP] == list(range(1, 10))


def test_the_pseudocode_is_nested_as_in_the_lecture():
    assert [line.indent for line in PROMPT_TOOL_LOOP] == [0, 0, 1, 1, 1, 1, 2, 2, 0]


def test_what_is_no_trace_has_no_states():
    with pytest.raises(InputError, match="States are those of a Trace"):
        states(None)


def test_the_states_of_a_run_share_its_symbols_so_that_a_long_run_takes_no_more_memory_than_it_has_steps():
    pairs = run_of(*(calling(f"c{number}") for number in range(5)), ANSWER)

    assert len({id(state.symbols) for _, state in pairs}) == 1
    assert [state.size for _, state in pairs[:2]] == [2, 2]
