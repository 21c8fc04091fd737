"""Two runs side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.compare import compare
from core.errors import InputError
from core.messages import AssistantMessage, ToolCall
from core.trace import ModelCall, Step, StepKind, Trace

K = StepKind


def said(kind: StepKind, text: str = "") -> Step:
    return Step(kind=kind, turn=1, text=text)


def trace_of(*steps: Step) -> Trace:
    return Trace(title="t", source="live", steps=steps)


def shape(left, right):
    comparison = compare(trace_of(*left), trace_of(*right))
    return [(pair.left, pair.right, pair.same) for pair in comparison.pairs], comparison.parted


def calling(arguments: str, id: str = "a") -> Step:
    return Step(kind=K.TOOL_CALL, turn=1, tool_call=ToolCall(id=id, name="f", arguments=arguments))


START = (said(K.USER_INPUT, "q"), said(K.MODEL_CALL))


def test_equal_runs_never_part():
    assert shape(START, START) == ([(0, 0, True), (1, 1, True)], None)


def test_runs_part_at_the_first_step_that_differs_and_the_differing_steps_face_each_other():
    left = (*START, said(K.OBSERVATION, "5"), said(K.ANSWER, "Cold."))
    right = (*START, said(K.OBSERVATION, "25"), said(K.ANSWER, "Warm."))

    assert shape(left, right) == ([(0, 0, True), (1, 1, True), (2, 2, False), (3, 3, False)], 2)


def test_steps_that_only_one_run_has_face_nothing():
    left = (*START, said(K.THOUGHT, "Hm."), said(K.ANSWER, "x"))
    right = (*START, said(K.ANSWER, "x"))

    assert shape(left, right) == ([(0, 0, True), (1, 1, True), (2, None, False), (3, 2, True)], 2)


def test_a_run_that_ends_early_parts_where_it_ends():
    assert shape(START, START[:1]) == ([(0, 0, True), (1, None, False)], 1)


def test_between_common_steps_the_kinds_are_paired():
    left = (*START, said(K.THOUGHT, "a"), said(K.OBSERVATION, "1"), said(K.ANSWER, "x"))
    right = (*START, said(K.OBSERVATION, "2"), said(K.ANSWER, "x"))

    assert shape(left, right)[0][2:] == [(2, None, False), (3, 2, False), (4, 3, True)]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (calling('{"a": 1, "b": 2}'), calling('{"b":2,"a":1}', id="b"), True),
        (calling('{"a": 1}'), calling('{"a": 2}'), False),
        (calling("{a"), calling("{a"), True),
        (
            Step(kind=K.MODEL_CALL, turn=1, model_call=ModelCall(reply=AssistantMessage(content="x"))),
            Step(
                kind=K.MODEL_CALL, turn=2, model_call=ModelCall(reply=AssistantMessage(content="x"), window=9)
            ),
            True,
        ),
        (
            Step(kind=K.MODEL_CALL, turn=1, model_call=ModelCall(reply=AssistantMessage(content="x"))),
            Step(kind=K.MODEL_CALL, turn=1, model_call=ModelCall(reply=AssistantMessage(content="y"))),
            False,
        ),
    ],
)
def test_steps_are_the_same_if_they_did_the_same(one, other, same):
    assert (compare(trace_of(one), trace_of(other)).parted is None) is same


def test_an_empty_run_has_nothing_to_pair():
    assert shape((), ()) == ([], None)


@pytest.mark.parametrize(("left", "right"), [(None, trace_of()), (trace_of(), [])])
def test_what_is_no_trace_is_refused_in_a_sentence(left, right):
    with pytest.raises(InputError, match="Two traces"):
        compare(left, right)


steps = st.lists(
    st.builds(said, st.sampled_from([K.THOUGHT, K.OBSERVATION, K.ANSWER]), st.sampled_from("ab"))
)


@given(steps, steps)
def test_every_step_of_both_runs_stands_in_one_pair_and_in_order(left, right):
    pairs, parted = shape(left, right)

    assert [one for one, _, _ in pairs if one is not None] == list(range(len(left)))
    assert [other for _, other, _ in pairs if other is not None] == list(range(len(right)))
    assert all((left[one] == right[other]) for one, other, same in pairs if same)
    common = 0
    while common < min(len(left), len(right)) and left[common] == right[common]:
        common += 1
    assert parted == (None if left == right else common)
