"""Generation against numpy's own inverse draws on a table, and against argmax on the embedded model."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding import Drawn, ending, generate, replay, step, taken
from core.errors import InputError
from core.lm import embedded
from core.sampling import SamplerSettings
from tests.core.decoding.toy import END, TABLE, ToyModel

PLAIN = SamplerSettings()
GREEDY = SamplerSettings(temperature=0)
SEEDS = st.integers(0, 10**6)


def ids_of(drawn) -> list[int]:
    return [token.token_id for token in drawn]


def by_numpy(first: int, seed: int, count: int) -> list[int]:
    """The text that the table gives under a seed: each row by falling probability, then searchsorted."""
    text, last = [], first
    for u in np.random.default_rng(seed).random(count):
        order = np.argsort(-TABLE[last], kind="stable")
        last = int(order[np.searchsorted(np.cumsum(TABLE[last][order]), u, side="right")])
        text.append(last)
        if last == END:
            break
    return text


@given(SEEDS, st.integers(0, 4))
@settings(deadline=None)
def test_the_text_is_the_one_that_the_seeds_numbers_draw(seed, first):
    assert ids_of(generate(ToyModel(), [first], PLAIN, seed, max_tokens=30)) == by_numpy(first, seed, 30)


@given(SEEDS, st.integers(0, 29))
@settings(deadline=None, max_examples=40)
def test_a_text_that_was_interrupted_goes_on_as_if_it_had_not_been(seed, pause):
    whole = list(generate(ToyModel(), [0], PLAIN, seed, max_tokens=30))
    before = whole[:pause]
    if len(before) == pause and not (before and before[-1].token_id == END):
        after = generate(ToyModel(), [0, *ids_of(before)], PLAIN, seed, pause, 30 - pause)
        assert before + list(after) == whole


def test_greedy_follows_the_largest_entry_and_has_no_u():
    drawn = list(generate(ToyModel(), [0], GREEDY, seed=1, max_tokens=8))
    assert ids_of(drawn) == [1, 2, 3, 0, 1, 2, 3, 0]
    assert {token.u for token in drawn} == {None}


def test_a_drawn_token_comes_with_the_facts_of_its_distribution():
    # Row 0 with top-k 2: 0.5 and 0.3 of 0.8. u = 0.7 lies beyond 0.625, on the second token.
    drawn = step(ToyModel(), [0], SamplerSettings(top_k=2), 0.7)
    entropy = -(0.625 * math.log2(0.625) + 0.375 * math.log2(0.375))
    assert (drawn.token_id, drawn.u, drawn.rank, drawn.kept, drawn.by_hand) == (2, 0.7, 1, 2, False)
    assert (drawn.prob, drawn.model_prob, drawn.entropy_bits) == pytest.approx((0.375, 0.3, entropy))
    assert drawn.surprisal_bits == pytest.approx(-math.log2(0.3))


def test_a_drawn_token_comes_with_the_roads_not_taken():
    drawn = step(ToyModel(), [0], SamplerSettings(top_k=2), 0.7)
    assert [(token.token_id, token.cut_by) for token in drawn.top[:3]] == [(1, None), (2, None), (3, "top-k")]
    assert drawn.tail.tokens == 0
    assert drawn.settings == SamplerSettings(top_k=2)


def test_a_token_put_by_hand_may_be_one_that_the_sampler_cuts():
    drawn = taken(ToyModel(), [0], SamplerSettings(top_k=2), 3)
    assert (drawn.token_id, drawn.u, drawn.prob, drawn.by_hand) == (3, None, 0, True)
    assert drawn.model_prob == pytest.approx(0.2)


def test_a_token_outside_the_vocabulary_is_refused():
    with pytest.raises(InputError):
        taken(ToyModel(), [0], PLAIN, 6)


def test_a_token_that_the_model_excludes_surprises_it_infinitely():
    assert taken(ToyModel(), [0], PLAIN, 4).surprisal_bits == math.inf


def test_generation_ends_with_an_end_token_which_is_part_of_it():
    assert ids_of(generate(ToyModel(), [4], PLAIN, seed=0)) == [END]
    assert ending(ToyModel(), [4, END], generated=1) == "end token"


def test_an_end_token_of_the_prompt_ends_nothing():
    assert ids_of(generate(ToyModel(), [4, END], GREEDY, seed=0, max_tokens=1)) == [0]


def test_generation_ends_where_the_context_is_full():
    assert len(list(generate(ToyModel(context_length=6), [0, 1], GREEDY, seed=0))) == 4
    assert ending(ToyModel(context_length=6), [0] * 6, generated=4) == "context"


def test_an_empty_prompt_starts_from_the_start_token():
    assert ids_of(generate(ToyModel(), [], GREEDY, seed=0, max_tokens=2)) == [1, 2]


@pytest.mark.parametrize(
    "chosen", [PLAIN, GREEDY, SamplerSettings(0.7, 2), SamplerSettings(1.5, top_p=0.9)], ids=str
)
def test_a_replayed_text_has_the_facts_with_which_it_was_generated(chosen):
    """70 tokens span two blocks."""
    endless = np.vstack([TABLE[:3], [0.6, 0.3, 0.0, 0.1, 0.0, 0.0], TABLE[5:], TABLE[5:]])
    model = ToyModel(300, endless)
    drawn = list(generate(model, [0], chosen, 8, max_tokens=70))
    assert len(drawn) == 70
    assert list(replay(model, [0], ids_of(drawn), chosen, 8)) == drawn


def test_a_replayed_token_that_the_seed_does_not_draw_was_put_there_by_hand():
    drawn: list[Drawn] = list(replay(ToyModel(), [0], [1, 4], GREEDY, seed=0))
    assert [token.by_hand for token in drawn] == [False, True]
    assert [token.model_prob for token in drawn] == pytest.approx([0.5, 0.1])


def test_greedy_on_the_embedded_model_is_repeated_argmax():
    model = embedded()
    ids = model.tokenizer.encode("The capital of France is")
    drawn = list(generate(model, ids, GREEDY, seed=0, max_tokens=6))
    for token in drawn:
        assert token.token_id == int(np.argmax(model.next_logits(ids)))
        ids.append(token.token_id)
    assert model.tokenizer.decode(ids).startswith("The capital of France is Paris")


def test_replay_on_the_embedded_model_reads_the_same_text_within_rounding():
    model = embedded()
    ids = model.tokenizer.encode("Her name was")
    drawn = list(generate(model, ids, PLAIN, seed=3, max_tokens=12))
    again = list(replay(model, ids, ids_of(drawn), PLAIN, seed=3))
    assert ids_of(again) == ids_of(drawn)
    assert [token.model_prob for token in again] == pytest.approx(
        [token.model_prob for token in drawn], rel=1e-2
    )
