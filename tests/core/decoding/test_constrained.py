"""Constrained steps against the lecture's formula and the engines' rules, by hand; then whole texts."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding import generate
from core.decoding.constrained import REDRAWS, constrain_step, generate_constrained
from core.decoding.constrained_grammar import constraint
from core.decoding.constrained_matcher import Allowed, Matcher
from core.decoding.counts import chi_square
from core.errors import InputError
from core.lm import embedded
from core.sampling import NoTokenAllowed, SamplerSettings, uniform
from tests.core.decoding.masks_toy import ToyModel, ToyVocabulary, always

PLAIN = SamplerSettings()
GREEDY = SamplerSettings(temperature=0)
LLAMA = SamplerSettings(engine="llama.cpp")
P = np.array([0.4, 0.3, 0.2, 0.1])
LOGITS = np.log(P)


def only(*ids: int, size: int = 4) -> Allowed:
    mask = np.zeros(size, dtype=bool)
    mask[list(ids)] = True
    return Allowed(mask, len(ids), may_end=False, forced=len(ids) == 1)


def tokens_by_id(done):
    return {token.token_id: token for token in done.shown}


# One step


def test_the_lectures_formula_renormalises_over_the_allowed_tokens():
    done = constrain_step(LOGITS, only(1, 3), PLAIN, 0.5, 0.5)
    assert done.removed_mass == pytest.approx(0.6)
    shown = tokens_by_id(done)
    assert [shown[id_].lecture_prob for id_ in range(4)] == pytest.approx([0, 0.75, 0, 0.25])
    assert [shown[id_].model_prob for id_ in range(4)] == pytest.approx(P)
    assert [shown[id_].prob for id_ in range(4)] == pytest.approx([0, 0.75, 0, 0.25])
    assert [shown[id_].allowed for id_ in range(4)] == [False, True, False, True]


@pytest.mark.parametrize(("u", "token"), [(0.0, 1), (0.74, 1), (0.76, 3), (0.999, 3)])
def test_mask_first_draws_from_the_renormalised_distribution(u, token):
    done = constrain_step(LOGITS, only(1, 3), PLAIN, u, 0.0)
    assert (done.token.token_id, done.refused, done.redraw_u) == (token, None, None)


def test_llama_cpp_draws_first_and_keeps_a_token_that_the_grammar_allows():
    # By falling probability: 0 up to 0.4, 1 up to 0.7.
    done = constrain_step(LOGITS, only(1, 3), LLAMA, 0.5, 0.9)
    assert (done.token.token_id, done.refused, done.u, done.redraw_u) == (1, None, 0.5, None)


def test_llama_cpp_draws_again_under_the_mask_where_the_grammar_refuses():
    done = constrain_step(LOGITS, only(1, 3), LLAMA, 0.1, 0.9)
    assert (done.refused.token_id, done.token.token_id, done.redraw_u) == (0, 3, 0.9)
    assert done.refusal_prob == pytest.approx(0.6)


def test_without_filters_both_orders_have_one_distribution():
    first, second = (constrain_step(LOGITS, only(1, 3), s, 0.5, 0.5) for s in (PLAIN, LLAMA))
    assert [t.prob for t in first.shown] == pytest.approx([t.prob for t in second.shown])


def test_with_top_k_they_have_not():
    """Top-k 2 keeps tokens 0 and 1 of all, but 1 and 3 of those allowed.

    Mask first: 0.75 and 0.25. Drawn first: 1 with 3/7; refused with 4/7, and then 0.75 and 0.25.
    """
    for engine, right in [("transformers", [0.75, 0.25]), ("llama.cpp", [3 / 7 + 3 / 7, 1 / 7])]:
        done = constrain_step(LOGITS, only(1, 3), SamplerSettings(top_k=2, engine=engine), 0.5, 0.5)
        shown = tokens_by_id(done)
        assert [shown[1].prob, shown[3].prob] == pytest.approx(right)
        assert shown[1].lecture_prob == pytest.approx(0.75)


@given(
    st.lists(st.floats(-5, 5), min_size=3, max_size=8),
    st.data(),
    st.sampled_from(["transformers", "llama.cpp", "ollama", "vllm"]),
)
@settings(deadline=None, max_examples=20)
def test_the_stated_distribution_is_the_one_that_is_drawn_from(logits, data, engine):
    ids = data.draw(st.sets(st.integers(0, len(logits) - 1), min_size=1))
    chosen = SamplerSettings(temperature=0.8, top_k=3, top_p=0.9, engine=engine)
    allowed = only(*ids, size=len(logits))
    steps = 12
    counts = np.zeros(len(logits))
    us = (np.arange(steps) + 0.5) / steps
    for u in us:
        for again in us:
            counts[constrain_step(logits, allowed, chosen, u, again).token.token_id] += 1 / steps**2
    done = constrain_step(logits, allowed, chosen, 0.5, 0.5)
    for token in done.shown:
        # A cell of the grid on either side of each of the few thresholds.
        assert counts[token.token_id] == pytest.approx(token.prob, abs=4 / steps)
    assert sum(t.prob for t in done.shown) + done.rest.prob == pytest.approx(1)


def test_b21_a_dead_end_is_an_error_and_no_draw():
    with pytest.raises(NoTokenAllowed):
        constrain_step([2, 1, 0], only(size=3), PLAIN, 0.5, 0.5)


def test_greedy_takes_the_largest_allowed_logit_in_either_order():
    for engine in ("transformers", "llama.cpp"):
        done = constrain_step(LOGITS, only(2, 3), SamplerSettings(0, engine=engine), 0.9, 0.9)
        assert (done.token.token_id, done.u, done.redraw_u) == (2, None, None)


def test_what_is_not_shown_is_one_sum():
    logits = np.log(np.arange(1, 41) / 820)
    done = constrain_step(logits, only(*range(20), size=40), PLAIN, 0.5, 0.5)
    assert [t.token_id for t in done.shown] == [*range(39, 31, -1), *range(19, 11, -1)]
    assert (done.rest.tokens, done.rest.allowed) == (24, 12)
    assert done.rest.model_prob == pytest.approx(1 - sum(t.model_prob for t in done.shown))
    assert done.rest.lecture_prob == pytest.approx(sum(range(1, 13)) / 210)


# Texts


def text(model, steps) -> str:
    ids = [done.token.token_id for done in steps]
    return model.tokenizer.decode([id_ for id_ in ids if id_ not in model.tokenizer.end_ids])


JSON_WORDS = ToyVocabulary(["{", "}", '"a"', ":", "1", "\n", " ", "<eos>"])
ONE_INTEGER = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def test_b22_a_model_that_prefers_line_breaks_still_ends_with_an_object():
    model = ToyModel(JSON_WORDS, always([1, 0, 0, 0, -1, 9, 5, 2]))
    closed = constraint("json schema", json.dumps({**ONE_INTEGER, "additionalProperties": False}))
    steps = list(generate_constrained(model, [0], closed, GREEDY, 0, max_tokens=50))
    assert steps[-1].ending == "end token"
    assert json.loads(text(model, steps)) == {"a": 1}
    assert "\n\n\n" not in text(model, steps)


def test_b22_where_a_schema_allows_any_white_space_the_text_without_end_is_stopped_and_said():
    model = ToyModel(JSON_WORDS, always([1, 0, 0, 0, -1, 9, 5, 2]))
    loose = {**ONE_INTEGER, "x-guidance": {"whitespace_flexible": True}}
    held = constraint("json schema", json.dumps(loose))
    steps = list(generate_constrained(model, [0], held, GREEDY, 0, max_tokens=50))
    assert (len(steps), steps[-1].ending) == (50, "max tokens")
    assert not steps[-1].may_end


def test_b23_a_dead_end_on_the_way_is_said():
    words = ToyVocabulary(["y", "ye", "es", "n", "no", "<eos>"])
    model = ToyModel(words, always([0, 9, 0, 0, 0, 0]))
    steps = list(generate_constrained(model, [0], constraint("regex", "yes|no"), GREEDY, 0))
    assert [done.token.token_id for done in steps] == [1]
    assert steps[-1].ending == "dead end"


def test_forced_tokens_are_marked():
    words = ToyVocabulary(["a", "b", "c", "<eos>"])
    model = ToyModel(words, always([0, 1, 2, 3]))
    steps = list(generate_constrained(model, [0], constraint("regex", "a[bc]a"), GREEDY, 0))
    assert [done.forced for done in steps] == [True, False, True, True]
    assert [done.allowed for done in steps] == [1, 2, 1, 1]
    assert steps[0].removed_mass == pytest.approx(1 - np.exp(0) / np.exp([0, 1, 2, 3]).sum())


def test_a_full_context_ends_the_text():
    model = ToyModel(ToyVocabulary(["a", "<eos>"]), always([1, 0]))
    model.context_length = 5
    steps = list(generate_constrained(model, [0, 0], constraint("regex", "a*"), GREEDY, 0))
    assert (len(steps), steps[-1].ending) == (3, "context")


def test_a_text_that_was_interrupted_goes_on_as_if_it_had_not_been():
    words = ToyVocabulary(["a", "b", "ab", "<eos>"])
    model = ToyModel(words, always([1, 1, 1, 0.5]))
    held = constraint("regex", "(a|b){2,9}")
    for seed in range(20):
        whole = list(generate_constrained(model, [0], held, LLAMA, seed))
        path = [done.token.token_id for done in whole[:-1]][:2]
        again = list(generate_constrained(model, [0], held, LLAMA, seed, path=path))
        assert again == whole[len(path) :]


def test_the_numbers_are_those_of_the_free_text():
    model = ToyModel(ToyVocabulary(["a", "b", "<eos>"]), always([1, 1, -9]))
    free = [drawn.u for drawn in generate(model, [0], PLAIN, 3, max_tokens=6)]
    held = list(generate_constrained(model, [0], constraint("regex", "[ab]{6,}"), PLAIN, 3, max_tokens=6))
    assert [done.u for done in held] == free


def test_a_second_draw_has_a_number_far_along_the_same_stream():
    model = ToyModel(ToyVocabulary(["a", "b", "<eos>"]), always([1, 1, -9]))
    steps = list(generate_constrained(model, [0], constraint("regex", "a{20}"), LLAMA, 5, max_tokens=20))
    again = [(index, done.redraw_u) for index, done in enumerate(steps) if done.refused]
    assert again
    assert all(u == uniform(5, REDRAWS + index) for index, u in again)


def test_a_path_that_the_constraint_does_not_allow_is_refused():
    model = ToyModel(ToyVocabulary(["a", "b", "<eos>"]), always([1, 1, 1]))
    with pytest.raises(InputError):
        next(generate_constrained(model, [0], constraint("regex", "a+"), PLAIN, 0, path=[1]))


def test_a_mask_that_forbids_nothing_of_weight_leaves_the_law_alone():
    """Whole texts over {a, b}* of up to 3 tokens, by chi-square against the chain rule."""
    model = ToyModel(ToyVocabulary(["a", "b", "<eos>"]), always(np.log([0.5, 0.3, 0.2])))
    held = constraint("regex", "[ab]*")
    laws = {"": 0.2}
    laws |= {a: p * 0.2 for a, p in [("a", 0.5), ("b", 0.3)]}
    laws |= {a + b: p * q for a, p in [("a", 0.5), ("b", 0.3)] for b, q in [("a", 0.5), ("b", 0.3)]}
    places, counts = list(laws), np.zeros(len(laws))
    for seed in range(2000):
        counts[places.index(text(model, generate_constrained(model, [0], held, LLAMA, seed, 2)))] += 1
    assert chi_square(counts, list(laws.values())).p_value > 0.01


# The embedded model


def test_the_embedded_model_fills_in_a_date_that_it_would_not_have_written():
    model = embedded()
    ids = model.tokenizer.encode("The date of today is ")
    held = constraint("regex", "[0-9]{4}-[0-9]{2}-[0-9]{2}")
    steps = list(generate_constrained(model, ids, held, SamplerSettings(0.8), 1, max_tokens=20))
    assert steps[-1].ending == "end token"
    assert re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text(model, steps))


def test_the_embedded_models_call_conforms_to_the_schema_of_a_tool():
    model = embedded()
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 12}, "unit": {"enum": ["celsius", "kelvin"]}},
        "required": ["city", "unit"],
        "additionalProperties": False,
    }
    ids = model.tokenizer.encode("The arguments of get_weather for Berlin in celsius, as JSON: ")
    steps = list(
        generate_constrained(model, ids, constraint("json schema", json.dumps(schema)), GREEDY, 0, 40)
    )
    value = json.loads(text(model, steps))
    assert set(value) == {"city", "unit"}
    assert value["unit"] in ("celsius", "kelvin")


def test_the_mask_of_every_step_is_that_of_the_text_so_far():
    model = embedded()
    held = constraint("json schema", json.dumps(ONE_INTEGER))
    ids = model.tokenizer.encode("JSON: ")
    path: list[int] = []
    for done in generate_constrained(model, ids, held, PLAIN, 4, max_tokens=6):
        state = Matcher(held, model.tokenizer)
        for token_id in path:
            state.take(token_id)
        assert done.allowed == state.allowed().count
        assert done.token.allowed
        path.append(done.token.token_id)
