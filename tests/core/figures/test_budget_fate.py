"""What becomes of a call, in words."""

import pytest

from core.context import Strategy, SupposedCall, Supposition
from core.figures.budget_fate import Fate, fates, mark
from core.messages import Part, Problem, Refusal
from core.trace import Segment

ORPHAN = Problem(kind="no call", index=3, call_id="t1")
REFUSAL = Refusal(index=3, place="messages.[3].role", words="No.")


def outcome(**fields):
    return SupposedCall(**{"whole": 100, "total": 60, "lost": {}, "added": {}} | fields)


def told(strategy, **fields):
    return fates(outcome(**fields), Supposition(window=80, strategy=strategy))


def test_a_context_that_exceeds_the_window_is_refused():
    call = outcome(total=100, overflow=20)
    assert fates(call, Supposition(window=80)) == (
        Fate(text="Refused: the context exceeds the window by 20 tokens.", bad=True),
    )
    assert mark(call, Supposition(window=80)) == "refused"


def test_the_reserve_is_named_where_there_is_one():
    (said,) = fates(outcome(total=100, overflow=30), Supposition(window=80, reserve=10))
    assert said.text == "Refused: context and a reserve of 10 exceed the window by 30 tokens."


def test_what_falls_out_at_ollama_is_told_to_nobody():
    assert told(Strategy.OLLAMA, dropped=(1, 2))[0].text == "2 messages fell out: 40 tokens. Nobody is told."


def test_what_falls_out_elsewhere_is_counted():
    assert told(Strategy.BLOCKS, dropped=(1,)) == (Fate(text="1 message fell out: 40 tokens."),)


def test_a_compaction_says_what_gave_way():
    assert told(Strategy.COMPACT, dropped=(1, 2)) == (
        Fate(text="2 messages gave way to a summary: 40 tokens less."),
    )


def test_an_elided_result_is_counted():
    assert told(Strategy.ELIDE, elided=(3,)) == (Fate(text="1 used result became a note: 40 tokens less."),)


def test_a_result_without_its_call_is_refused_by_a_strict_server():
    call = {"dropped": (1, 2), "broken": (ORPHAN,), "refusals": (REFUSAL,)}
    assert told(Strategy.OLDEST, **call)[1:] == (
        Fate(text="t1: the result stands without its call.", bad=True),
        Fate(text="A strict server refuses it: “No.”", bad=True),
    )
    assert mark(outcome(**call), Supposition(window=80, strategy=Strategy.OLDEST)) == "refused"


def test_ollama_answers_to_a_result_without_its_call():
    call = {"dropped": (1, 2), "broken": (ORPHAN,), "refusals": (REFUSAL,)}
    assert told(Strategy.OLLAMA, **call)[-1] == Fate(text="A strict server would refuse it: “No.”")
    assert mark(outcome(**call), Supposition(window=80, strategy=Strategy.OLLAMA)) == "damaged"


def test_ollama_cuts_the_text_of_what_is_still_too_long():
    assert told(Strategy.OLLAMA, total=100, cut_to=42)[-1].text == (
        "Still too long: Ollama cuts the text to 42 tokens; only prompt_eval_count shows it."
    )


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"lost_question": True}, "The question fell out."),
        ({"fallen": (Segment(part=Part.SYSTEM, text="x", message=0),)}, "The system prompt fell out."),
    ],
)
def test_the_loss_of_what_a_model_needs_most_is_said(fields, sentence):
    assert Fate(text=sentence, bad=True) in told(Strategy.OLDEST, dropped=(0, 1), **fields)


def test_a_call_that_lost_its_system_prompt_has_a_sign():
    call = outcome(dropped=(0,), fallen=(Segment(part=Part.SYSTEM, text="x", message=0),))
    assert mark(call, Supposition(window=80, strategy=Strategy.OLDEST)) == "damaged"


def test_thoughts_that_are_left_out_are_counted_apart_from_what_fell_out():
    assert [one.text for one in told(Strategy.BLOCKS, dropped=(1,), thoughts=15)] == [
        "Earlier thoughts are left out: 15 tokens less.",
        "1 message fell out: 25 tokens.",
    ]


def test_a_call_to_which_nothing_happens_has_nothing_said():
    call = outcome(total=100)
    assert (fates(call, Supposition(window=200)), mark(call, Supposition(window=200))) == ((), "")
