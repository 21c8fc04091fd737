"""What the loop screen shows, for a run that can be followed by hand.

Two calls of the model. The first asks for two tools in one turn: `look` succeeds, `fly` does not exist. The
second answers. Tokens: system 2, user 3, thought 4, calls 5 and 6, results 7 and 8, and one token of the
template before every reply.
"""

import pytest

from core.agent import edited
from core.figures.loop_timeline import call_text, shortened, timeline
from core.figures.loop_view import ContextView, LoopView, loop_view
from core.messages.types import AssistantMessage, ToolCall, ToolResultMessage, UserMessage
from core.trace import Counting, ModelCall, Part, Parting, Segment, Step, StepKind, Trace, Validation

LOOK = ToolCall(id="call_1", name="look", arguments='{"at": "Ü"}')
FLY = ToolCall(id="call_2", name="fly", arguments="{}")
USER = UserMessage(content="Where am I?")
REQUEST = AssistantMessage(content="I look around.", tool_calls=(LOOK, FLY))
SEEN = ToolResultMessage(tool_call_id="call_1", content="a <b>wood</b>")
ERROR = ToolResultMessage(tool_call_id="call_2", content="ERROR: no tool fly", is_error=True)
NO_TOOL = Validation(ok=False, stage="tool", message="no tool fly")
ANSWER = AssistantMessage(content="In a wood.")

PREFIX = ((Part.SYSTEM, 0, 2), (Part.USER, 1, 3))
TURN = (
    (Part.ASSISTANT, 2, 4),
    (Part.TOOL_CALL, 2, 5),
    (Part.TOOL_CALL, 2, 6),
    (Part.TOOL_RESULT, 3, 7),
    (Part.TOOL_RESULT, 4, 8),
)
OPENING = ((Part.TEMPLATE, None, 1),)


def sent(*parts: tuple[Part, int | None, int | None], reply: AssistantMessage) -> ModelCall:
    segments = tuple(Segment(part=part, text="", message=owner, tokens=count) for part, owner, count in parts)
    return ModelCall(segments=segments, counting=Counting(method="exact"), window=100, reply=reply)


def step(kind: StepKind, turn: int, line: int | None = None, **fields) -> Step:
    return Step(kind=kind, turn=turn, line=line, **fields)


K = StepKind
STEPS = (
    step(K.USER_INPUT, 0, 1, appended=USER),
    step(K.MODEL_CALL, 1, 3, passed=(2,), model_call=sent(*PREFIX, *OPENING, reply=REQUEST)),
    step(K.THOUGHT, 1, 4, appended=REQUEST, text=REQUEST.content),
    step(K.TOOL_CALL, 1, 6, passed=(5,), tool_call=LOOK),
    step(K.VALIDATION, 1, 7, tool_call=LOOK, validation=Validation(ok=True)),
    step(K.EXECUTION, 1, 7, tool_call=LOOK, text=SEEN.content),
    step(K.OBSERVATION, 1, 8, tool_call=LOOK, appended=SEEN),
    step(K.TOOL_CALL, 1, 6, tool_call=FLY),
    step(
        K.VALIDATION,
        1,
        7,
        tool_call=FLY,
        validation=Validation(ok=False, stage="tool", message="no tool fly"),
    ),
    step(K.OBSERVATION, 1, 8, tool_call=FLY, appended=ERROR),
    step(K.MODEL_CALL, 2, 3, passed=(2,), model_call=sent(*PREFIX, *TURN, *OPENING, reply=ANSWER)),
    step(K.ANSWER, 2, 5, passed=(4,), appended=ANSWER),
)
RUN = Trace(title="A wood", source="scripted", system="Be brief.", max_steps=4, steps=STEPS)


def without_counts() -> Trace:
    """The same run from a source that tells neither contexts nor checks."""
    bare = [
        step(K.MODEL_CALL, one.turn, model_call=ModelCall(reply=one.model_call.reply))
        if one.model_call
        else one
        for one in STEPS
        if one.kind not in (K.VALIDATION, K.EXECUTION)
    ]
    return Trace(title="A wood", source="imported", system="Be brief.", steps=tuple(bare))


def ladder(number: int, trace: Trace = RUN) -> list[str]:
    return [rung.verdict for rung in loop_view(trace).frames[number - 1].ladder.rungs]


def context(number: int, trace: Trace = RUN) -> ContextView:
    view = loop_view(trace)
    return view.contexts[view.frames[number - 1].context]


def in_the_list(view: LoopView, number: int) -> list[str]:
    return [card.text for card in view.cards if card.since is not None and card.since <= number]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{"city": "Köln", "days": 2}', 'get(city="Köln", days=2)'),
        ("{}", "get()"),
        ('{"city": "Kö', 'get({"city": "Kö)'),
        ("[1, 2]", "get([1, 2])"),
        ("[" * 100_000, "get(" + "[" * 100_000 + ")"),
    ],
    ids=["object", "empty", "cut off", "list", "deep"],
)
def test_a_call_is_written_as_code_or_raw_where_it_is_no_object(arguments: str, shown: str):
    assert call_text(ToolCall(id="", name="get", arguments=arguments)) == shown


def test_each_stop_of_the_timeline_says_where_it_is_and_what_happens():
    stops = timeline(RUN)
    assert (stops[0].place, stops[0].caption, stops[0].part) == ("step 1 of 12", "user input", "user")
    assert (stops[5].place, stops[5].caption) == ("step 6 of 12 · turn 1", 'execute look(at="Ü")')
    assert (stops[5].part, stops[5].kind) == ("tool-call", "execution")
    assert stops[9].caption == "result of fly()"


def test_the_pseudocode_has_the_nine_lines_with_their_keywords():
    code = loop_view(RUN).code
    assert [line.number for line in code] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert [word.text for word in code[1].words if word.keyword] == ["for", "do"]
    assert [word.text for word in code[5].words if word.keyword] == ["for each", "do"]


def test_a_frame_names_its_line_the_lines_passed_and_the_variables():
    frame = loop_view(RUN).frames[3]
    assert (frame.line, frame.passed) == (6, (5,))
    assert [(variable.name, variable.value) for variable in frame.variables] == [
        ("step in line 2", "1 of 4"),
        ("history", "2 messages + system"),
        ("pending", "call_1, call_2"),
    ]


def test_variables_before_the_loop_and_at_the_end_of_it():
    frames = loop_view(RUN).frames
    assert [variable.value for variable in frames[0].variables] == [
        "not yet in the loop",
        "1 message + system",
        "none",
    ]
    last = [variable.value for variable in frames[-1].variables]
    assert last == ["2 of 4", "5 messages + system", "none"]


def test_a_history_without_a_system_prompt_claims_none():
    bare = Trace(**{**vars(RUN), "system": None})
    assert loop_view(bare).frames[0].variables[1].value == "1 message"


def test_the_note_the_stop_reason_and_where_a_branch_parted_are_told():
    view = loop_view(RUN.model_copy(update={"description": "A walk.", "stop_reason": "answer"}))
    assert (view.note, view.ended) == ("A walk.", "answer")
    branch = RUN.model_copy(update={"parting": Parting(step=6, instead_of="trees")})
    assert loop_view(branch).note == "Parted at step 7, where “trees” stood."
    assert loop_view(without_counts()).ended == "not in this trace"


def test_calls_alone_are_an_assistant_message_too():
    reply = AssistantMessage(tool_calls=(LOOK, FLY))
    steps = (STEPS[0], step(K.TOOL_CALL, 1, 6, tool_call=LOOK, appended=reply))
    cards = loop_view(Trace(title="", source="scripted", steps=steps)).cards
    assert [card.kind for card in cards[1:3]] == ["AssistantMessage · tool_call", "tool_call"]


def test_what_came_of_a_reply_that_broke_off_is_shown_and_is_no_message():
    call = ModelCall(reply=AssistantMessage(content="I lo"), failure="The server is gone.")
    steps = (STEPS[0], step(K.MODEL_CALL, 1, 3, model_call=call), step(K.STOP, 1, text="The server is gone."))
    view = loop_view(Trace(title="", source="live", steps=steps))
    assert [(card.kind, card.text, card.since) for card in view.cards[1:]] == [
        ("reply that broke off · not in the context", "I lo", 2)
    ]
    assert view.frames[1].card == 1
    assert view.frames[2].variables[1].value == "1 message"


def test_one_character_is_left_out_in_the_singular():
    assert shortened("abc", 2) == "ab … (1 more character)"


def test_messages_enter_the_list_with_the_step_that_appends_them():
    view = loop_view(RUN)
    assert in_the_list(view, 0) == ["Be brief."]
    assert in_the_list(view, 2) == ["Be brief.", "Where am I?"]
    assert in_the_list(view, 3) == ["Be brief.", "Where am I?", "I look around.", 'look(at="Ü")', "fly()"]
    assert len(in_the_list(view, 12)) == len(view.cards) == 8


def test_every_card_has_its_type_and_the_colour_of_its_part():
    assert [(card.kind, card.part) for card in loop_view(RUN).cards] == [
        ("SystemMessage", "system-prompt"),
        ("UserMessage", "user"),
        ("AssistantMessage · thought", "assistant"),
        ("tool_call", "tool-call"),
        ("tool_call", "tool-call"),
        ("ToolResultMessage", "tool-result"),
        ("ToolResultMessage", "tool-result"),
        ("AssistantMessage · answer", "assistant"),
    ]


def test_a_result_is_paired_with_its_call_and_awaited_since_the_call():
    view = loop_view(RUN)
    look, fly, seen, error = view.cards[3:7]
    assert (look.call_id, look.pair) == (seen.call_id, seen.pair) == ("call_1", 3)
    assert (fly.call_id, fly.pair) == (error.call_id, error.pair) == ("call_2", 4)
    assert (seen.awaited, seen.since, error.awaited, error.since) == (3, 7, 3, 10)
    assert error.is_error
    assert not seen.is_error


def test_an_id_that_is_used_again_is_paired_with_the_nearest_open_call():
    again = (
        step(K.TOOL_CALL, 3, tool_call=LOOK, appended=AssistantMessage(tool_calls=(LOOK,))),
        step(K.OBSERVATION, 3, tool_call=LOOK, appended=SEEN),
    )
    cards = loop_view(RUN.model_copy(update={"steps": (*STEPS, *again)})).cards
    assert [card.pair for card in cards if card.call_id == "call_1"] == [3, 3, 8, 8]


def test_a_call_without_a_result_waits_to_the_end():
    cut = RUN.model_copy(update={"steps": STEPS[:7]})
    waiting = loop_view(cut).cards[-1]
    assert (waiting.kind, waiting.call_id, waiting.since, waiting.awaited) == (
        "ToolResultMessage",
        "call_2",
        None,
        3,
    )


def test_the_current_card_is_the_one_that_the_step_is_about():
    assert [frame.card for frame in loop_view(RUN).frames] == [1, None, 2, 3, 3, 3, 5, 4, 4, 6, None, 7]


def test_cards_carry_the_counts_of_the_calls_that_sent_them_and_the_answer_none():
    assert [card.tokens for card in loop_view(RUN).cards] == [
        "2 tokens",
        "3 tokens",
        "4 tokens",
        "5 tokens",
        "6 tokens",
        "7 tokens",
        "8 tokens",
        "",
    ]


def test_what_was_not_counted_has_no_number():
    trace = without_counts()
    assert {card.tokens for card in loop_view(trace).cards} == {""}
    assert (context(3, trace).label, context(3, trace).parts) == ("not counted", ())


def test_counts_of_a_context_that_left_messages_out_are_not_given_to_cards():
    calls = sent(*PREFIX, *OPENING, reply=ANSWER)  # two messages sent where the history holds five
    steps = (*STEPS[:10], STEPS[10].model_copy(update={"model_call": calls}), STEPS[11])
    cards = loop_view(RUN.model_copy(update={"steps": steps})).cards
    assert [card.tokens for card in cards] == ["2 tokens", "3 tokens", "", "", "", "", "", ""]


def test_the_ladder_of_a_call_that_is_executed():
    assert ladder(3) == ["–", "–", "–", "–"]
    assert ladder(4) == ["not yet", "not yet", "not yet", "not yet"]
    assert ladder(5) == ["yes", "yes", "yes", "not yet"]
    assert ladder(6) == ladder(7) == ["yes", "yes", "yes", "yes"]


def test_the_ladder_of_a_call_that_fails_stops_where_it_fails():
    assert ladder(8) == ["not yet", "not yet", "not yet", "not yet"]
    assert ladder(9) == ladder(10) == ["yes", "no", "not reached", "not reached"]
    assert loop_view(RUN).frames[8].ladder.message == "no tool fly"


def test_checks_that_a_source_does_not_tell_are_not_guessed():
    assert ladder(4, without_counts()) == ["not in this trace"] * 4


def test_a_call_that_was_cut_off_reaches_no_check():
    verdict = Validation(ok=False, message="cut off")
    steps = (*STEPS[:4], STEPS[4].model_copy(update={"validation": verdict}))
    trace = RUN.model_copy(update={"steps": steps})
    assert ladder(5, trace) == ["not reached"] * 4
    assert loop_view(trace).frames[4].change == "The call is refused before the first check."


def test_the_context_of_the_next_call_grows_with_the_messages_that_are_there():
    assert [context(number).total for number in range(1, 13)] == [
        6,
        6,
        21,
        21,
        21,
        21,
        28,
        28,
        28,
        36,
        36,
        36,
    ]
    assert context(7).title == "context of the next call, so far"
    assert [(part.name, part.tokens) for part in context(7).parts] == [
        ("system prompt", 2),
        ("user", 3),
        ("assistant", 4),
        ("tool call", 11),
        ("tool result", 7),
        ("template", 1),
    ]


def test_the_context_of_a_call_is_shown_as_sent_and_the_last_one_stays():
    assert (context(2).title, context(2).note) == ("context of call 1, as sent", "of 100 tokens")
    assert context(12).title == "context of call 2, the last one"
    assert loop_view(RUN).largest == 36


def test_symbols_of_the_context_and_its_name_where_it_is_complete():
    view = loop_view(RUN)
    assert [symbol.letter + symbol.index for symbol in view.symbols] == [
        "c0",
        "o1",
        "t1",
        "a1.1",
        "a1.2",
        "o2.1",
        "o2.2",
    ]
    assert [(frame.symbols, frame.context_name) for frame in view.frames[:3]] == [(2, "1"), (2, "1"), (5, "")]
    assert [(frame.symbols, frame.context_name) for frame in view.frames[6:10:3]] == [(6, ""), (7, "2")]


def test_the_change_of_a_model_call_says_what_went_and_what_came():
    changes = [frame.change for frame in loop_view(RUN).frames]
    assert changes[1] == "The whole context is sent: 6 tokens. The model replies with text and 2 tool calls."
    assert changes[10] == "The whole context is sent: 36 tokens. The model replies with text."
    assert changes[9] == (
        "The error is appended as the result, with the id of its call: call_2. "
        "The model can read it and repair the call."
    )


def test_a_spent_budget_is_told_from_another_stop():
    spent = RUN.model_copy(update={"steps": (*STEPS[:10], step(K.STOP, 1, 9, passed=(2,)))})
    other = RUN.model_copy(update={"steps": (*STEPS[:10], step(K.STOP, 1, text="Stopped by hand."))})
    assert loop_view(spent).frames[-1].change == "The step budget is spent: the loop ends without an answer."
    assert loop_view(other).frames[-1].change == "The run stops. Stopped by hand."


def test_a_thinking_span_is_a_thought_of_its_own_beside_an_answer():
    reply = AssistantMessage(content="Yes.", thinking="Hm.")
    steps = (STEPS[0], step(K.THOUGHT, 1, 4, appended=reply, text="Hm."), step(K.ANSWER, 1, 5))
    view = loop_view(Trace(title="", source="scripted", steps=steps))
    assert [(card.kind, card.text) for card in view.cards[1:]] == [
        ("AssistantMessage · thought", "Hm."),
        ("AssistantMessage · answer", "Yes."),
    ]
    assert [frame.card for frame in view.frames] == [0, 1, 2]


def test_a_very_long_message_is_cut_and_says_so():
    steps = (step(K.USER_INPUT, 0, 1, appended=UserMessage(content="x" * 5_000)),)
    card = loop_view(Trace(title="", source="scripted", steps=steps)).cards[0]
    assert card.text == "x" * 4_000 + " … (1,000 more characters)"


def test_a_trace_without_steps_has_no_frames():
    view = loop_view(Trace(title="", source="imported"))
    assert (view.frames, view.contexts, view.symbols) == ((), (), ())


def test_a_run_that_begins_with_a_call_counts_it_as_the_first():
    steps = (Step(kind=K.MODEL_CALL, turn=1, line=3, model_call=ModelCall(reply=ANSWER)),)
    contexts = loop_view(Trace(title="", source="imported", steps=steps)).contexts
    assert [context.title for context in contexts] == ["context of call 1, as sent"]


def test_of_many_pending_calls_the_first_are_listed():
    calls = tuple(ToolCall(id=f"c{number}", name="look", arguments="{}") for number in range(1, 10))
    steps = (step(K.TOOL_CALL, 1, 6, appended=AssistantMessage(tool_calls=calls), tool_call=calls[0]),)
    view = loop_view(Trace(title="", source="imported", steps=steps))
    assert view.frames[0].variables[2].value == "c1, c2, c3, c4, c5, c6 and 3 more"


def test_what_somebody_changed_is_marked_on_its_message_with_what_stood_there():
    step = next(n for n, step in enumerate(RUN.steps) if step.appended == SEEN)
    told = RUN.steps[step].model_copy(update={"text": SEEN.content})
    run = RUN.model_copy(update={"steps": (*RUN.steps[:step], told)})
    cards = loop_view(edited(run, step, "a lake")).cards
    assert [(card.text, card.instead_of) for card in cards if card.instead_of is not None] == [
        ("a lake", "a <b>wood</b>")
    ]
