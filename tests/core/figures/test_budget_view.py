"""The budget screen's numbers and words, for a run of two calls that can be counted by hand.

Call 1 sends the tokens 1 2 3 | 4 5 | 9, call 2 sends 1 2 3 | 4 5 | 6 7 8 9 | 9. The first five are shared.
"""

import pytest

from core.context import Supposition, TokenCounter, run_budget, suppose
from core.figures.budget_pieces import share
from core.figures.budget_view import budget_view, calls_in_force, headline, ticks, windows
from core.messages.types import AssistantMessage, UserMessage
from core.trace import Counting, ModelCall, Part, Segment, Step, StepKind, Trace, Usage
from tests.core.context.toy import ToyTokenizer

EXACT = Counting(method="exact", tokenizer="Toy", template="chatml")


def segment(part: Part, text: str, *ids: int, message: int | None = None, label: str = "") -> Segment:
    return Segment(part=part, text=text, message=message, label=label, token_ids=ids, tokens=len(ids))


SYSTEM = segment(Part.SYSTEM, "Be <b>brief</b>. ", 1, 2, 3, message=0)
USER = segment(Part.USER, "Hi $x$\n", 4, 5, message=1)
OPENING = segment(Part.TEMPLATE, "> ", 9, label="generation prompt")
REPLY = segment(Part.ASSISTANT, "Hello.", 6, 7, 8, 9, message=2)


def call(*segments: Segment, **fields) -> ModelCall:
    return ModelCall(segments=segments, counting=EXACT, window=12, reply=AssistantMessage(), **fields)


def made(*calls: ModelCall, title: str = "Toy run") -> Trace:
    steps = [Step(kind=StepKind.USER_INPUT, turn=0, appended=UserMessage(content="Hi"))]
    for turn, one in enumerate(calls, start=1):
        steps.append(Step(kind=StepKind.MODEL_CALL, turn=turn, model_call=one))
        steps.append(Step(kind=StepKind.ANSWER, turn=turn))
    return Trace(title=title, source="scripted", steps=tuple(steps))


RUN = made(call(SYSTEM, USER, OPENING), call(SYSTEM, USER, REPLY, OPENING))
UNKNOWN_CALL = ModelCall(reply=AssistantMessage(), usage=Usage(input_tokens=1234))


def view(trace: Trace = RUN, window: int | None = 12):
    return budget_view(trace, run_budget(trace), window)


def test_the_parts_of_the_run_stand_in_the_order_of_the_screens():
    assert [(part.key, part.name) for part in view().parts] == [
        ("system-prompt", "system prompt"),
        ("user", "user"),
        ("assistant", "assistant"),
        ("template", "template"),
    ]


def test_a_call_is_split_by_part_into_what_is_sent_again_and_what_is_new():
    assert [(part.part, part.tokens, part.new, part.note) for part in view().calls[1].slices] == [
        (0, 3, 0, "re-sent"),
        (1, 2, 0, "re-sent"),
        (2, 4, 4, "+4 new"),
        (3, 1, 1, "+1 new"),
    ]


def test_the_first_call_is_all_new():
    first = view().calls[0]
    assert (first.label, first.news, first.about) == ("6", "+6 new", "6 tokens, 6 new")
    assert all(part.new == part.tokens for part in first.slices)


def test_a_part_says_its_tokens_its_share_and_what_of_it_is_new():
    assert view().calls[1].slices[2].about == "call 2, assistant: 4 tokens, 40 %; 0 re-sent, 4 new"


def test_a_call_is_added_up_as_the_history_and_what_is_added_to_it():
    """Three tokens of the system prompt, two of the user, four of the model; one of the template."""
    assert view().calls[1].sum == "history 9 + what the runtime adds: template 1"


def test_a_call_knows_the_step_that_made_it():
    assert [one.step for one in view().calls] == [1, 3]


def test_the_call_in_force_is_the_last_one_at_or_before_the_step():
    assert calls_in_force(RUN) == (None, 0, 0, 1, 1)


def pieces_of(shown, call):
    """The pieces of a call in order, and whether they fell out."""
    taken = call.laid.taken and pieces_of(shown, shown.calls[call.number - 2])[: call.laid.taken]
    return [
        *(taken or ()),
        *(
            (shown.pieces[number], stretch.fell)
            for stretch in call.laid.stretches
            for number in range(stretch.start, stretch.stop)
        ),
    ]


def test_the_pieces_of_a_call_joined_are_the_text_that_it_sends():
    shown = view()
    texts = [shown.texts[piece.text] for piece, _ in pieces_of(shown, shown.calls[1])]
    assert "".join(texts) == "Be <b>brief</b>. Hi $x$\nHello.> "


def test_a_piece_names_its_message_and_says_its_tokens_and_where_what_is_new_begins():
    shown = view()
    second = shown.calls[1]
    assert [(piece.label, piece.count, piece.new) for piece, _ in pieces_of(shown, second)] == [
        ("message 1", "3 tokens", "+3 new"),
        ("message 2", "2 tokens", "+2 new"),
        ("message 3", "4 tokens", "+4 new"),
        ("generation prompt", "1 token", "+1 new"),
    ]
    assert (second.laid.fresh, second.laid.seam) == (2, "")


def test_a_piece_that_the_common_prefix_ends_in_is_partly_new():
    changed = segment(Part.USER, "Hi you\n", 4, 7, message=1)
    shown = view(made(call(SYSTEM, USER, OPENING), call(SYSTEM, changed, OPENING)))
    assert (shown.calls[1].laid.fresh, shown.calls[1].laid.seam) == (1, "+1 new")


@pytest.mark.parametrize(
    ("window", "free", "note", "over"),
    [(12, "2", "17 %", False), (10, "0", "0 %", False), (8, "−2", "over", True), (None, "?", "", False)],
)
def test_what_is_free_of_the_window(window, free, note, over):
    second = view(window=window).calls[1]
    assert (second.free, second.free_note, second.over) == (free, note, over)


@pytest.mark.parametrize(("window", "on_axis", "top"), [(8, True, 10), (25, True, 25), (26, False, 10)])
def test_a_window_far_above_the_largest_call_is_not_drawn_on_its_axis(window, on_axis, top):
    shown = view(window=window)
    assert (shown.on_axis, shown.top) == (on_axis, top)


def test_no_mark_of_the_axis_runs_into_the_line_of_the_window():
    assert [tick.at for tick in view(window=26).ticks] == [5, 10]
    assert [tick.at for tick in view(window=10).ticks] == [5]


@pytest.mark.parametrize(
    ("top", "marks"),
    [
        (1, ()),
        (5, (2, 4)),
        (181, (50, 100, 150)),
        (1370, (500, 1000)),
        (9999, (2000, 4000, 6000, 8000)),
        (1206, (500, 1000)),
    ],
)
def test_the_marks_of_an_axis_are_round(top, marks):
    assert ticks(top) == marks


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [(0, 0, "0 %"), (1, 3, "33 %"), (1, 1000, "<1 %"), (999, 1000, ">99 %"), (7, 7, "100 %")],
)
def test_a_share_never_rounds_to_nothing_or_to_all(part, whole, words):
    assert share(part, whole) == words


def test_over_the_run_sixteen_tokens_are_sent_and_five_of_them_again():
    facts = {fact.label: fact.value for fact in view().facts}
    assert facts == {"in the last call": "10", "sent in total": "16", "of it re-sent": "31 %"}


def test_a_run_of_one_call_sends_nothing_twice():
    assert view(made(call(SYSTEM, USER, OPENING))).moral == "One call: nothing is sent twice in this run."


def test_what_the_trace_does_not_hold_is_named_and_not_guessed():
    shown = view(made(call(SYSTEM, OPENING), UNKNOWN_CALL))
    second = shown.calls[1]
    assert second.slices is None
    assert second.laid is None
    assert second.label == "?"
    assert second.about == "1,234 tokens, as the server reported; by part: not in this trace"
    assert {fact.value for fact in shown.facts} == {"not in this trace"}


def test_text_without_counts_is_shown_without_numbers():
    shown = view(made(ModelCall(segments=(Segment(part=Part.USER, text="Hi"),), reply=AssistantMessage())))
    assert shown.calls[0].slices is None
    assert shown.pieces[0].count == "tokens: not in this trace"


def test_an_estimate_without_tokens_says_nothing_about_what_is_new():
    estimated = ModelCall(
        segments=(Segment(part=Part.USER, text="Hi", tokens=3),),
        counting=Counting(method="estimate", tokenizer="Toy"),
        reply=AssistantMessage(),
    )
    first = view(made(estimated)).calls[0]
    assert (first.label, first.news) == ("3", "")
    assert (first.slices[0].new, first.slices[0].note) == (None, "")


def test_a_trace_without_calls_has_nothing_to_draw():
    shown = view(made(), window=None)
    assert (shown.calls, shown.ticks, shown.call_at) == ((), (), (None,))


@pytest.mark.parametrize(
    ("counting", "words"),
    [
        (EXACT, "tokens: exact counts by the Toy tokenizer and ChatML template"),
        (Counting(method="estimate", tokenizer="Toy"), "tokens: an estimate by the Toy tokenizer"),
        (Counting(method="unknown"), "token counts: not in this trace"),
    ],
)
def test_the_headline_says_how_the_tokens_were_counted(counting, words):
    trace = made(ModelCall(reply=AssistantMessage(), counting=counting))
    assert headline(trace) == f"Toy run · 1 model call · {words}"


def test_the_headline_admits_that_the_calls_were_counted_in_several_ways():
    assert (
        headline(made(call(USER), UNKNOWN_CALL)) == "Toy run · 2 model calls · tokens counted in several ways"
    )


def test_the_window_of_the_trace_is_among_those_to_choose_from():
    assert windows(run_budget(RUN).window)[:3] == (12, 512, 1024)


def test_the_pieces_that_two_calls_share_are_held_once():
    shown = view(
        made(call(SYSTEM, USER, OPENING), call(SYSTEM, USER, REPLY), call(SYSTEM, USER, REPLY, OPENING))
    )
    assert len(shown.pieces) == 4
    assert [one.laid.taken for one in shown.calls] == [0, 2, 3]
    assert [len(one.laid.stretches) for one in shown.calls] == [1, 1, 1]


def test_a_changed_beginning_leaves_the_pieces_behind_it_in_one_stretch():
    """Each call has a system prompt of its own, and one message more than the one before."""
    turns = [segment(Part.USER, f"turn {number}", number, message=number) for number in range(1, 9)]
    heads = [segment(Part.SYSTEM, f"at {number}", 100 + number, message=0) for number in range(8)]
    shown = view(made(*[call(heads[n], *turns[: n + 1], OPENING) for n in range(8)]))
    assert [len(one.laid.stretches) for one in shown.calls[2:]] == [4] * 6
    texts = [shown.texts[piece.text] for piece, _ in pieces_of(shown, shown.calls[2])]
    assert texts == ["at 2", "turn 1", "turn 2", "turn 3", "> "]


def test_a_run_that_grows_evenly_says_how_the_sum_grows():
    """6 and 10 tokens: n calls send 6 n + 4 n (n - 1) / 2, and two of them 16."""
    assert view().moral.endswith("By about 4 more a call, n calls send about 2 n² + 4 n.")


def test_a_run_that_does_not_grow_is_not_said_to():
    assert "more a call" not in view(made(call(SYSTEM, USER, OPENING), call(SYSTEM, OPENING))).moral


def test_of_many_bars_every_second_or_so_has_its_number():
    shown = view(made(*[call(SYSTEM, OPENING)] * 40))
    assert [one.number for one in shown.calls if one.named] == list(range(1, 40, 2))


def supposed(window, **fields):
    """Three messages of 9, 7 and 7 tokens and an opening of 3, all counted by the toy tokenizer."""
    trace = Trace(
        title="t",
        source="imported",
        system="be very brief now",
        steps=(
            Step(kind=StepKind.USER_INPUT, turn=0, appended=UserMessage(content="c d")),
            Step(kind=StepKind.USER_INPUT, turn=0, appended=UserMessage(content="e f")),
            Step(kind=StepKind.MODEL_CALL, turn=1, model_call=ModelCall(reply=AssistantMessage())),
        ),
    )
    made = suppose(trace, Supposition.of(window=window, **fields), TokenCounter(ToyTokenizer()))
    return budget_view(trace, made.budget, window, made)


def test_what_a_strategy_leaves_out_stands_above_what_is_sent():
    """Left out is the message `c d`: two tokens of the user, five of the template."""
    shown = supposed(32, strategy="drop whole pairs", reserve=8)
    (one,) = shown.calls
    assert one.total == 9 + 7 + 3
    assert [(shown.parts[lost.part].name, lost.tokens) for lost in one.lost] == [("user", 2), ("template", 5)]
    assert one.fates[0].text == "1 message fell out: 7 tokens."
    assert shown.top == 32


def test_what_fell_out_can_be_read_where_it_stood():
    shown = supposed(32, strategy="drop whole pairs", reserve=8)
    pieces = pieces_of(shown, shown.calls[0])
    assert "".join(shown.texts[piece.text] for piece, fell in pieces if fell) == (
        "<|im_start|>user\nc d<|im_end|>\n"
    )
    assert [fell for _, fell in pieces] == [False] * 3 + [True] * 3 + [False] * 4


def test_a_supposition_counts_what_is_left_out_and_refused():
    facts = {fact.label: fact.value for fact in supposed(32, reserve=8).facts}
    assert (facts["left out"], facts["calls refused"]) == ("0", "1")


def test_what_is_kept_for_the_answer_is_not_free():
    shown = supposed(64, reserve=8)
    assert (shown.reserve, shown.calls[0].free) == (8, str(64 - 8 - (9 + 7 + 7 + 3)))


def test_a_refused_call_is_told_apart_in_what_is_sent():
    facts = {fact.label: fact.value for fact in supposed(32, reserve=8).facts}
    assert (facts["sent in total"], facts["of it refused"]) == ("26", "26")


def test_where_ollama_cuts_what_is_read_stands_beside_what_is_sent():
    """40 words, 5 tokens around them and 3 of the opening; 32 / 2 + 2 are read."""
    trace = Trace(
        title="t",
        source="imported",
        steps=(
            Step(kind=StepKind.USER_INPUT, turn=0, appended=UserMessage(content=" ".join("x" * 40))),
            Step(kind=StepKind.MODEL_CALL, turn=1, model_call=ModelCall(reply=AssistantMessage())),
        ),
    )
    made = suppose(trace, Supposition.of(window=32, strategy="as Ollama does"), TokenCounter(ToyTokenizer()))
    shown = budget_view(trace, made.budget, 32, made)
    facts = {fact.label: fact.value for fact in shown.facts}
    assert (shown.calls[0].label, shown.calls[0].read, shown.calls[0].free) == ("48", "18", "14")
    assert (facts["in the last call"], facts["sent in total"], facts["of it read"]) == ("18", "48", "18")


def test_a_run_that_fits_says_so_in_place_of_noughts():
    shown = supposed(100, strategy="compact", threshold=50)
    assert shown.fit == "All calls fit: none is longer than the 50 tokens from which it acts."
    assert {"left out", "calls refused"}.isdisjoint(fact.label for fact in shown.facts)
    assert supposed(32, strategy="drop whole pairs", reserve=8).fit == ""
    assert supposed(100).fit == ""


@pytest.mark.parametrize(
    ("tokens", "window", "free"), [(5000, 4096, "−904"), (4096, 4096, "0"), (1, 1_048_576, "1,048,575")]
)
def test_a_context_over_the_window_is_a_normal_case(tokens, window, free):
    full = segment(Part.USER, "x", *range(tokens))
    assert view(made(call(full)), window=window).calls[0].free == free
