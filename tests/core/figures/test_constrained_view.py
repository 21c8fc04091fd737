"""The words and numbers of the screen on constrained decoding, worked out by hand on toy vocabularies."""

import numpy as np
import pytest

from core.decoding.constrained import by_engine, generate_constrained
from core.decoding.constrained_check import Check
from core.decoding.constrained_grammar import constraint
from core.figures.constrained_view import MORAL, engines_view, meaning, step_view, text_view
from core.sampling import SamplerSettings
from tests.core.decoding.masks_toy import ToyModel, ToyVocabulary, always

WORDS = ToyVocabulary(["a", "b", " c", "<eos>"])
MODEL = ToyModel(WORDS, always(np.log([0.4, 0.3, 0.2, 0.1])))
HELD = constraint("regex", "b(b| c)")
GOOD = Check(parses=True, conforms=True, problem="")


def steps(settings: SamplerSettings, seed: int = 0, max_tokens: int = 9):
    return list(generate_constrained(MODEL, [0], HELD, settings, seed, max_tokens))


PLAIN = steps(SamplerSettings())


def test_a_step_says_what_the_mask_removes_and_what_is_left():
    view = step_view(WORDS, PLAIN, 1)
    assert (view.title, view.so_far) == ("Token 2", "b")
    assert view.removed == "The mask removes 50.0 % of the model's probability: 2 of 4 tokens are allowed."
    assert view.may_end == "It may not end here yet."


def test_rows_are_in_the_models_order_with_forbidden_ones_among_them():
    rows = step_view(WORDS, PLAIN, 1).rows
    assert [(row.name, row.forbidden) for row in rows] == [
        ("a", True),
        ("b", False),
        ("·c", False),
        ("<eos>", True),
    ]
    assert [row.labels for row in rows][1] == ("30.0 %", "60.0 %", "60.0 %")
    assert [row.lecture for row in rows] == pytest.approx([0, 0.6, 0.4, 0])
    assert sum(row.drawn for row in rows) == 1


def test_forced_tokens_and_the_forced_end_are_said():
    assert step_view(WORDS, PLAIN, 0).forced == "Forced: one token is left, whatever the model says."
    assert step_view(WORDS, PLAIN, 1).forced == ""
    last = step_view(WORDS, PLAIN, 2)
    assert last.forced == "Forced: only the end is left."
    assert last.may_end.startswith("The text fits")
    assert last.ending == "An end token ends the text: it fits the constraint."


def test_the_draw_is_told_with_its_number():
    view = step_view(WORDS, PLAIN, 1)
    assert view.draws == f"u = {PLAIN[1].u:.4f} draws {view.token}."


def test_a_second_draw_is_told_with_both_numbers():
    llama = steps(SamplerSettings(engine="llama.cpp"), seed=0)
    place = next(place for place, done in enumerate(llama) if done.refused)
    done, view = llama[place], step_view(WORDS, llama, place)
    assert f"u = {done.u:.4f} draws" in view.draws
    assert f"u = {done.redraw_u:.4f} draws {view.token} under the mask." in view.draws
    assert [row.refused for row in view.rows].count(True) == 1
    assert "refuses" in view.draws


def test_greedy_has_no_numbers():
    greedy = steps(SamplerSettings(0, engine="llama.cpp"))
    assert step_view(WORDS, greedy, 0).draws == (
        "Greedy takes a, which the grammar refuses; under the mask it takes b."
    )


def test_the_distance_from_the_formula_is_said():
    assert step_view(WORDS, PLAIN, 1).difference == "The engine draws from the lecture's P'."
    # Top-k 1 under the mask leaves b alone, where P' is 0.6.
    kept = steps(SamplerSettings(top_k=1))
    assert "up to 40.0 % away" in step_view(WORDS, kept, 1).difference


def test_tokens_beyond_the_rows_are_one_bar():
    many = ToyVocabulary([*map(chr, range(97, 120)), "<eos>"])
    model = ToyModel(many, always(np.zeros(24)))
    one = list(generate_constrained(model, [0], constraint("regex", "[a-j]"), SamplerSettings(), 0, 1))
    rest = step_view(many, one, 0).rest
    assert (rest.name, rest.note) == ("16 more", "2 allowed")
    assert step_view(WORDS, PLAIN, 0).rest is None


def test_a_text_counts_what_was_forced_and_marks_it():
    view = text_view(WORDS, HELD, PLAIN, GOOD)
    assert [chip.mark for chip in view.chips] == ["forced", "", "end"]
    assert view.summary == "2 of 3 tokens forced."
    assert view.verdict == "Checked by other means: it parses and conforms."
    assert view.remarks == HELD.remarks


def test_a_chip_carries_the_models_probability_and_tells_both():
    first = text_view(WORDS, HELD, PLAIN, None).chips[0]
    assert first.share == PLAIN[0].token.model_prob
    assert first.title.endswith("under the mask 100.0 %, forced")


def test_an_expression_is_not_said_to_be_checked_by_other_means():
    asked = Check(parses=True, conforms=True, problem="", independent=False)
    assert text_view(WORDS, HELD, PLAIN, asked).verdict.startswith(
        "Checked as a whole, by the grammar itself"
    )


def test_form_is_not_meaning():
    assert meaning("1969-07-20", "1969-07-20").startswith("And here it says 1969-07-20")
    assert meaning("1230-12-31", "1969-07-20").startswith("And yet it is wrong")
    assert meaning("x", "") == MORAL


def test_a_text_without_end_is_said_to_be_stopped():
    endless = list(generate_constrained(MODEL, [0], constraint("regex", "a*b"), SamplerSettings(0), 0, 5))
    view = text_view(WORDS, HELD, endless, Check(parses=False, conforms=False, problem="The text is not it."))
    assert view.ending == "Stopped at 5 tokens without an end: a constraint does not make a text end."
    assert view.verdict == "It does not parse. The text is not it."


def test_an_empty_text_says_nothing():
    view = text_view(WORDS, HELD, [], None)
    assert (view.chips, view.summary, view.verdict, view.ending) == ((), "", "", "")


def test_engines_stand_beside_the_formula_with_top_k_on():
    """After b: b 0.3 and c 0.2 are allowed. Top-k 1 leaves b under the mask; of all tokens a, refused."""
    view = engines_view(WORDS, by_engine(MODEL, [0], [1], HELD, SamplerSettings(top_k=1), 0))
    assert view.columns == ("P", "P' of the lecture", "transformers", "llama.cpp", "ollama", "vllm")
    row = next(row for row in view.rows if row.name == "b")
    assert row.numbers == pytest.approx((0.3, 0.6, 1, 1, 1, 1))
    assert view.refusals == "llama.cpp and Ollama draw again in 100.0 % of all cases."
    assert view.summary == "With these settings none of them draws from the lecture's P'."


def test_engines_part_from_each_other_where_the_filter_sees_forbidden_tokens():
    """Top-k 2 of all is a and b: b with 3/7, else again under the mask, where b and c are 0.6 and 0.4."""
    view = engines_view(WORDS, by_engine(MODEL, [0], [1], HELD, SamplerSettings(top_k=2), 0))
    row = next(row for row in view.rows if row.name == "b")
    drawn_first = 3 / 7 + 4 / 7 * 0.6
    assert row.numbers == pytest.approx((0.3, 0.6, 0.6, drawn_first, drawn_first, 0.6))
    assert view.summary == "Not the lecture's P' with these settings: llama.cpp, ollama."


def test_without_filters_all_engines_are_the_formula():
    view = engines_view(WORDS, by_engine(MODEL, [0], [1], HELD, SamplerSettings(), 0))
    assert view.summary == "With these settings all of them draw from the lecture's P'."
