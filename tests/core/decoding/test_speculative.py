"""Speculative decoding against plain generation: in law on a table, and in text at T = 0."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.decoding import (
    ModelDraft,
    PromptLookup,
    Proposal,
    early_exit,
    generate,
    speculate,
    speculate_round,
)
from core.decoding.counts import chi_square
from core.errors import InputError
from core.lm import EmbeddedModel, embedded
from core.sampling import SamplerSettings, distribution
from tests.core.decoding.toy import END, TABLE, ToyModel

PLAIN = SamplerSettings()
GREEDY = SamplerSettings(temperature=0)
# Another table over the same tokens, so that q differs from p everywhere.
DRAFT = ModelDraft("toy", ToyModel(table=0.5 * TABLE[[1, 2, 3, 0, 4, 5]] + 0.5 / 6), 0.3)
SHORT = st.integers(0, 10**6)


def text_of(rounds) -> list[int]:
    return [token for done in rounds for token in done.tokens]


def law_of_texts(chosen: SamplerSettings, length: int) -> dict[tuple[int, ...], float]:
    """The chain rule on the table, from token 0 on, an end token ending a text."""
    rows = [distribution(row, chosen).probs for row in ToyModel().all_logits(range(6))]
    laws = {(0,): 1.0}
    for _ in range(length):
        longer: dict[tuple[int, ...], float] = {}
        for text, mass in laws.items():
            if text[-1] == END:
                longer[text] = mass
                continue
            for token in np.flatnonzero(rows[text[-1]]):
                longer[(*text, int(token))] = mass * rows[text[-1]][token]
        laws = longer
    return laws


@pytest.mark.parametrize(
    "chosen",
    [PLAIN, SamplerSettings(temperature=0.7, top_k=3), SamplerSettings(temperature=1.5, top_p=0.8)],
    ids=["T = 1", "T = 0.7, top-k 3", "T = 1.5, top-p 0.8"],
)
def test_whole_texts_have_the_law_of_the_target(chosen):
    """1,500 texts of up to 4 tokens, so that rejections, bonus tokens and the seam of rounds all occur."""
    laws = law_of_texts(chosen, 4)
    places = {text: place for place, text in enumerate(laws)}
    counts = np.zeros(len(laws))
    for seed in range(1500):
        rounds = speculate(ToyModel(), DRAFT, [0], chosen, seed, gamma=2, max_tokens=4)
        counts[places[(0, *text_of(rounds))]] += 1
    result = chi_square(counts, list(laws.values()))
    assert result.cells > 12
    assert result.p_value > 0.01


def test_on_a_draft_that_is_never_corrected_the_same_count_would_find_it():
    laws = law_of_texts(PLAIN, 2)
    places = {text: place for place, text in enumerate(laws)}
    counts = np.zeros(len(laws) + 1)
    for text in (generate(DRAFT.model, [0], PLAIN, seed, max_tokens=2) for seed in range(2000)):
        counts[places.get((0, *(token.token_id for token in text)), -1)] += 1
    assert chi_square(counts, [*laws.values(), 0.0]).p_value < 1e-6


@given(SHORT, st.integers(0, 4), st.integers(0, 6), st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_at_t_0_the_text_is_the_greedy_one(seed, first, gamma, length):
    greedy = [token.token_id for token in generate(ToyModel(), [first], GREEDY, 0, max_tokens=length)]
    for draft in (DRAFT, PromptLookup(6), ModelDraft("itself", ToyModel(), 1.0)):
        assert text_of(speculate(ToyModel(), draft, [first], GREEDY, seed, gamma, length)) == greedy


@given(SHORT, st.integers(1, 6), st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_rounds_add_up_to_at_most_the_tokens_asked_for_and_an_end_token_ends_them(seed, gamma, length):
    text = text_of(speculate(ToyModel(), DRAFT, [0], PLAIN, seed, gamma, length))
    assert len(text) == length or text[-1] == END
    assert END not in text[:-1]


def test_a_draft_that_is_the_target_is_always_accepted():
    itself = ModelDraft("itself", ToyModel(), 1.0)
    endless = [next(speculate(ToyModel(), itself, [0], PLAIN, seed, 3, 9)) for seed in range(20)]
    for done in endless:
        assert done.accepted == len(done.drafted)
        assert [token.overlap for token in done.drafted] == pytest.approx([1] * len(done.drafted))


def test_a_round_reads_one_position_more_than_it_drafts():
    done = speculate_round(ToyModel(), DRAFT, [0], PLAIN, 1, 0, 4, 50)
    assert (done.positions, done.draft_passes) == (len(done.drafted) + 1, len(done.drafted))


def test_the_numbers_of_a_round_are_its_place_in_the_stream_of_the_seed():
    stream = np.random.default_rng(5).random(14)
    for index in range(2):
        done = speculate_round(ToyModel(), DRAFT, [0], PLAIN, 5, index, 3, 50)
        mine = stream[7 * index : 7 * index + 7].tolist()
        assert [token.draft_u for token in done.drafted] == mine[: len(done.drafted)]
        tests = [token.u for token in done.drafted if token.u is not None]
        assert [*tests, done.last.u] == mine[3 : 4 + len(tests)]


def test_after_a_rejection_the_rest_is_not_tested_and_the_last_token_comes_from_the_residual():
    rounds = (speculate_round(ToyModel(), DRAFT, [0], PLAIN, seed, 0, 3, 50) for seed in range(100))
    done = next(done for done in rounds if done.accepted == 1 and len(done.drafted) == 3)
    assert [token.accepted for token in done.drafted] == [True, False, None]
    assert done.drafted[2].u is None
    assert done.drafted[1].u >= done.drafted[1].bar
    row = done.tokens[0]
    residual = np.maximum(TABLE[row] - DRAFT.model.table[row], 0)
    assert done.last.origin == "residual"
    assert dict(done.last.top) == pytest.approx(
        {token: mass / residual.sum() for token, mass in enumerate(residual) if mass}
    )


def test_bars_and_overlaps_are_those_of_the_two_tables():
    done = speculate_round(ToyModel(), DRAFT, [0], PLAIN, 3, 0, 1, 50)
    (token,), p, q = done.drafted, TABLE[0], DRAFT.model.table[0]
    assert token.bar == pytest.approx(min(1, p[token.token_id] / q[token.token_id]))
    assert token.overlap == pytest.approx(np.minimum(p, q).sum())
    assert token.match == pytest.approx((p * q).sum())
    for pair in token.top:
        assert (pair.p, pair.q) == pytest.approx((p[pair.token_id], q[pair.token_id]))


def test_a_full_context_ends_the_rounds():
    short = ToyModel(context_length=6)
    assert len(text_of(speculate(short, DRAFT, [0, 1], GREEDY, 0, 4))) == 4


def test_an_end_token_that_is_accepted_leaves_no_bonus_token():
    done = next(speculate(ToyModel(), ModelDraft("itself", ToyModel(), 1.0), [4], PLAIN, 0, 3))
    assert (done.tokens, done.last, done.accepted) == ((END,), None, 1)


@pytest.mark.parametrize("gamma", [-1, 17, 2.5])
def test_a_gamma_that_makes_no_sense_is_refused(gamma):
    with pytest.raises(InputError, match="γ"):
        next(speculate(ToyModel(), DRAFT, [0], PLAIN, 0, gamma))


# The embedded model

OPENINGS = ["The capital of France is", "Once upon a time", "In the beginning", "def add(a, b):", "One, two,"]
PLACES, LENGTH = 10, 2  # prompts of each opening, and tokens that are compared after each


@dataclass
class Guess:
    """Drafts from a text that it was given: right as often as one likes, at no cost."""

    text: list[int]
    model: EmbeddedModel
    name = "guess"
    cost = 0.0

    def propose(self, token_ids, settings, numbers):  # noqa: ARG002
        tokens = tuple(self.text[len(token_ids) : len(token_ids) + len(numbers)])
        probs = np.zeros((len(tokens), self.model.vocab_size))
        probs[np.arange(len(tokens)), tokens] = 1
        return Proposal(tokens, probs, 0)


def test_at_t_0_fifty_texts_of_the_embedded_model_are_greedy():
    """Plain generation reads a position at a time, speculation several at once.

    A prompt is an opening and the first 0 to 9 tokens that plain generation writes after it, so what plain
    generation writes after the prompt are the next ones: they need be generated once for ten prompts.
    """
    model = embedded()
    exit_, lookup = early_exit(model, 2), PromptLookup(model.vocab_size)
    for opening in OPENINGS:
        ids = model.tokenizer.encode(opening)
        drawn = generate(model, ids, GREEDY, 0, max_tokens=PLACES + LENGTH - 1)
        greedy = [token.token_id for token in drawn]
        right = [*ids, *greedy]
        wrong = [token if place % 2 else 0 for place, token in enumerate(right)]
        for place in range(PLACES):
            draft = [exit_, lookup, Guess(right, model), Guess(wrong, model)][min(place, 2 + place % 2)]
            prompt = [*ids, *greedy[:place]]
            text = text_of(speculate(model, draft, prompt, GREEDY, 0, gamma=2, max_tokens=LENGTH))
            assert text == greedy[place : place + LENGTH]
