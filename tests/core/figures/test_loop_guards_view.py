"""What the loop screen says where a policy, a guard, a format or a failing model steps in: of real runs."""

from core.agent import TEXT, Guards, Tool, allow_only, record, run
from core.context import TokenCounter
from core.errors import InputError
from core.figures.loop_timeline import timeline
from core.figures.loop_view import LoopView, loop_view
from core.lm.scripted import ScriptedModel
from core.messages.types import AssistantMessage, ToolCall
from core.trace import StepKind, Trace
from tests.core.context.toy import ToyTokenizer

ANSWER = AssistantMessage(content="A wood.")
LOOK = AssistantMessage(tool_calls=(ToolCall(id="a", name="look", arguments="{}"),))


def look() -> str:
    """Look around."""
    return "a wood"


class Failing(ScriptedModel):
    def reply(self, messages, tools):  # noqa: ARG002
        raise InputError("No server answers.")


def trace_of(*replies, **options) -> Trace:
    steps = run(ScriptedModel("m", replies), "Where am I?", [Tool.from_function(look)], **options)
    return record(steps, title="t", source="scripted", max_steps=8)


def at(trace: Trace, kind: StepKind, which: int = 0) -> int:
    return [number for number, step in enumerate(trace.steps) if step.kind is kind][which]


def rungs(view: LoopView, number: int) -> list[tuple[str, str]]:
    return [(rung.name, rung.verdict) for rung in view.frames[number].ladder.rungs]


def card(view: LoopView, number: int) -> tuple[str, str]:
    found = view.cards[view.frames[number].card]
    return found.kind, found.text


def test_a_run_without_a_policy_has_no_rung_for_one():
    trace = trace_of(LOOK, ANSWER)

    assert [name for name, _ in rungs(loop_view(trace), 2)] == [
        "valid JSON",
        "tool exists",
        "conforms to its schema",
        "executed",
    ]


def test_a_forbidden_call_fails_at_the_rung_of_the_policy():
    trace = trace_of(LOOK, ANSWER, policy=allow_only())
    view = loop_view(trace)
    decided = at(trace, StepKind.VALIDATION, 1)

    assert rungs(view, decided)[2:] == [
        ("conforms to its schema", "yes"),
        ("permitted", "no"),
        ("executed", "not reached"),
    ]
    assert view.frames[decided].change.startswith("The call is well-formed, but the policy")
    assert timeline(trace)[decided].caption == "policy on look()"


def test_before_the_policy_decides_its_rung_is_open():
    trace = trace_of(LOOK, ANSWER, policy=allow_only("look"))

    assert rungs(loop_view(trace), at(trace, StepKind.VALIDATION))[3] == ("permitted", "not yet")


def test_a_repeat_is_told_on_the_ladder_and_in_words():
    trace = trace_of(LOOK, LOOK, ANSWER, guards=Guards(repeats=2))
    view = loop_view(trace)
    guard = at(trace, StepKind.GUARD)

    assert rungs(view, guard)[-1] == ("executed", "no, a repeat")
    assert view.frames[guard].change.startswith("A guard fires: repeat. This exact call has already")
    assert timeline(trace)[guard].caption == "guard, repeat: look()"


def test_a_reply_out_of_format_is_a_card_of_its_own_and_so_is_its_error():
    trace = trace_of(
        AssistantMessage(content="Hm."), AssistantMessage(content="Final Answer: x"), format=TEXT
    )
    view = loop_view(trace)

    assert card(view, at(trace, StepKind.VALIDATION)) == ("AssistantMessage · not readable", "Hm.")
    assert card(view, at(trace, StepKind.OBSERVATION))[0] == "UserMessage · format error"
    assert "not in the format" in view.frames[at(trace, StepKind.VALIDATION)].change


def test_a_call_of_the_model_that_fails_says_why():
    steps = run(Failing("m", []), "q")
    trace = record(steps, title="t", source="live")

    assert [frame.change for frame in loop_view(trace).frames[1:]] == [
        "The whole context is sent, and the call breaks off without a reply. No server answers.",
        "The run stops. No server answers.",
    ]


def test_the_step_cap_is_told_with_what_is_said_instead_of_an_answer():
    trace = trace_of(LOOK, max_steps=1, guards=Guards(fallback="Ask a colleague."))

    assert loop_view(trace).frames[-1].change == (
        "The step budget is spent: the loop ends without an answer. What is said instead: “Ask a colleague.”"
    )


def test_a_lenient_repair_is_told_on_the_ladder():
    literal = AssistantMessage(tool_calls=(ToolCall(id="a", name="look", arguments="{ } # no JSON"),))
    trace = trace_of(literal, ANSWER, repair=True)

    ladder = loop_view(trace).frames[at(trace, StepKind.VALIDATION)].ladder
    assert ladder.message == "A Python literal was read in place of JSON."


def test_a_call_that_is_well_formed_is_not_yet_permitted():
    trace = trace_of(LOOK, ANSWER, policy=allow_only("look"))

    change = loop_view(trace).frames[at(trace, StepKind.VALIDATION)].change
    assert change.endswith("Whether it is permitted is decided next.")


def test_a_thought_has_no_count_where_its_call_was_sent_as_text_with_it():
    asked = AssistantMessage(content="Thought: I look.\nAction: look\nAction Input: {}")
    trace = trace_of(
        asked,
        AssistantMessage(content="Final Answer: x"),
        format=TEXT,
        counter=TokenCounter(ToyTokenizer()),
    )

    [thought] = [card for card in loop_view(trace).cards if card.kind.endswith("thought")]
    assert (thought.text, thought.tokens) == ("I look.", "")


def test_the_last_word_at_the_step_cap_is_a_card_that_is_no_message():
    trace = trace_of(LOOK, max_steps=1, guards=Guards(fallback="Ask a colleague."))
    view = loop_view(trace)
    assert (view.cards[-1].text, view.cards[-1].since) == ("Ask a colleague.", len(trace.steps))
    assert "not in the context" in view.cards[-1].kind
    assert view.frames[-1].card == len(view.cards) - 1


def test_an_answer_says_whether_its_form_or_an_action_ends_the_run():
    by_form = loop_view(trace_of(AssistantMessage(content="Done."))).frames[-1].change
    acted = AssistantMessage(content="Thought 1: I know.\nAction 1: finish[Done.]")
    by_action = loop_view(trace_of(acted, format=TEXT)).frames[-1].change
    assert "It asks for no tool" in by_form
    assert "finish[answer] is an action" in by_action
