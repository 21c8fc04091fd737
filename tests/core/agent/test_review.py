"""A trajectory reviewed: each rule on a run that breaks it, and on one that does not."""

import json

import pytest

from core.agent import Guards, Tool, record, run
from core.agent.review import review
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, ToolCall
from core.trace import StepKind, Trace

POLLED = iter(f"{n}%" for n in range(1000))


def find(query: str, reason: str = "") -> str:  # noqa: ARG001
    """Find."""
    return f"nothing about {query}, 12 pages read"


def poll() -> str:
    """Ask how far it is."""
    return next(POLLED)


def fail() -> str:
    """Fail."""
    raise ValueError("no")


TOOLS = [Tool.from_function(function) for function in (find, poll, fail)]


def call(name: str, content: str = "", **arguments) -> AssistantMessage:
    one = ToolCall(id="a", name=name, arguments=json.dumps(arguments))
    return AssistantMessage(content=content, tool_calls=(one,))


def trace_of(*replies, question="How many?", answer="It is unknown.") -> Trace:
    steps = run(
        ScriptedModel("m", [*replies, AssistantMessage(content=answer)]),
        question,
        TOOLS,
        max_steps=20,
        guards=Guards(repeats=None),
    )
    schemas = [tool.schema for tool in TOOLS]
    return record(steps, title="t", source="scripted", tools=schemas)


def found(trace: Trace, kind: str):
    return [finding for finding in review(trace) if finding.kind == kind]


def asked(trace: Trace) -> list[int]:
    return [number for number, step in enumerate(trace.steps) if step.kind is StepKind.TOOL_CALL]


def test_a_run_with_a_reason_and_supported_numbers_has_no_finding():
    trace = trace_of(call("find", query="pages", reason="I need the number."), answer="12 pages.")

    assert review(trace) == ()


def test_the_same_call_with_the_same_result_is_found_whatever_its_reason():
    trace = trace_of(
        call("find", query="a", reason="x"), call("find", query="b"), call("find", reason="y", query="a")
    )

    [finding] = found(trace, "repeated call")
    assert finding.steps == (asked(trace)[0], asked(trace)[2])


def test_polling_is_no_repeated_call():
    assert found(trace_of(call("poll"), call("poll")), "repeated call") == []


def test_a_search_with_slightly_other_words_is_found():
    trace = trace_of(call("find", query="refund window days"), call("find", query="refund window length"))

    [finding] = found(trace, "similar calls")
    assert (finding.steps, "50% in common" in finding.text) == (tuple(asked(trace)), True)


def test_a_search_with_other_words_is_not():
    assert found(trace_of(call("find", query="a b"), call("find", query="c d")), "similar calls") == []


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("12 pages.", None),
        ("13 pages.", "13"),
        ("12 of 7 and 8.", "7, 8"),
        ("In 2026, as you say.", None),
        ("1,200 pages.", "1200"),
        ("None.", None),
    ],
)
def test_a_number_of_the_answer_stands_in_a_result_or_in_the_question(answer, missing):
    trace = trace_of(call("find", query="x"), question="How many in 2026?", answer=answer)

    texts = [finding.text for finding in found(trace, "unsupported number")]
    assert texts == (
        [] if missing is None else [f"The answer says {missing}, which no tool result contains."]
    )


@pytest.mark.parametrize(
    ("replies", "count"), [((), 1), ((call("fail"),), 1), ((call("find", query="x"),), 0)]
)
def test_an_answer_needs_a_result_that_is_no_error(replies, count):
    assert len(found(trace_of(*replies), "answer without a result")) == count


@pytest.mark.parametrize(
    ("question", "calls", "count"),
    [("How many?", 4, 1), ("How many?", 3, 0), ("How " * 16, 4, 0), ("How " * 15, 4, 1)],
)
def test_many_calls_of_the_model_for_a_short_question_are_found(question, calls, count):
    replies = [call("find", query=f"x{n}") for n in range(calls)]  # and one more call answers

    assert len(found(trace_of(*replies, question=question), "many steps")) == count


@pytest.mark.parametrize(
    ("reply", "count"),
    [
        (call("find", query="x"), 1),
        (call("find", query="x", reason=" "), 1),
        (call("find", query="x", reason="Because."), 0),
        (call("find", query="x", content="I look it up."), 0),
        (AssistantMessage(tool_calls=(ToolCall(id="a", name="find", arguments="{"),)), 1),
    ],
)
def test_a_call_has_a_reason_or_a_thought(reply, count):
    assert len(found(trace_of(reply), "missing reason")) == count


def test_every_finding_says_how_it_was_computed():
    trace = trace_of(*(5 * [call("find", query="x")]), call("find", query="x y"), answer="99")

    assert {finding.kind for finding in review(trace)} == {
        "repeated call",
        "similar calls",
        "unsupported number",
        "many steps",
        "missing reason",
    }
    assert all(finding.how.endswith(".") for finding in review(trace))


def test_a_run_without_steps_has_nothing_to_review():
    assert review(Trace(title="t", source="imported")) == ()


def test_what_is_no_trace_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="A trace can be reviewed"):
        review([])
