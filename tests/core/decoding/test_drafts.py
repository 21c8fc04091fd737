"""What each draft proposes, against the model that it claims to be and against the text itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decoding import ModelDraft, PromptLookup, early_exit, last_tokens
from core.errors import InputError
from core.lm import EmbeddedModel, embedded
from core.sampling import SamplerSettings, distribution, draw
from tests.core.decoding.toy import END, ToyModel

PLAIN = SamplerSettings()
GREEDY = SamplerSettings(temperature=0)


# A model


def test_a_models_draft_is_drawn_token_by_token_under_the_settings():
    draft = ModelDraft("toy", ToyModel(), 0.5)
    proposal = draft.propose([0], SamplerSettings(top_k=2), [0.7, 0.8])
    # Row 0 with top-k 2 is 0.625 and 0.375 on tokens 1 and 2; row 2 is 0.9 and 0.1 on 3 and 2.
    assert proposal.tokens == (2, 3)
    np.testing.assert_allclose(proposal.probs[0], [0, 0.625, 0.375, 0, 0, 0])
    np.testing.assert_allclose(proposal.probs[1], [0, 0, 0.1, 0.9, 0, 0])
    assert proposal.passes == 2


def test_a_models_draft_ends_with_an_end_token():
    assert ModelDraft("toy", ToyModel(), 0.5).propose([4], PLAIN, [0.1, 0.1, 0.1]).tokens == (END,)


def test_without_numbers_nothing_is_drafted():
    proposal = ModelDraft("toy", ToyModel(), 0.5).propose([4], PLAIN, [])
    assert (proposal.tokens, len(proposal.probs), proposal.passes) == ((), 0, 0)


class Recorder(ToyModel):
    """Remembers what it was asked to read."""

    def next_logits(self, ids):
        self.read = [*getattr(self, "read", []), list(ids)]
        return super().next_logits(ids)


def test_a_draft_with_a_window_reads_the_last_tokens_alone():
    model = Recorder()
    ModelDraft("toy", model, 1.0, window=2).propose([0, 1, 2], GREEDY, [0.0, 0.0])
    assert model.read == [[1, 2], [2, 3]]


# The embedded model


def test_an_early_exit_drafts_what_the_stopped_model_draws():
    model = embedded()
    ids = model.tokenizer.encode("One, two, three,")
    proposal = early_exit(model, 3).propose(ids, PLAIN, [0.4])
    result = distribution(model.stopped_after(3).next_logits(ids), PLAIN)
    assert proposal.tokens == (draw(result, 0.4),)
    np.testing.assert_allclose(proposal.probs[0], result.probs, atol=1e-4)


def test_what_a_drafted_token_costs_is_the_share_of_weights_that_it_reads():
    model = embedded()
    # SmolLM2-135M: 49,152 x 576 for the logits, 3,540,096 for each of 30 layers (with two norms of 576).
    layer = 576 * (576 + 2 * 192) + 576 * 576 + 3 * 576 * 1536 + 2 * 576
    logits = 49_152 * 576
    assert early_exit(model, 15).cost == pytest.approx((15 * layer + logits) / (30 * layer + logits))
    assert last_tokens(model, 2).cost == 1


def test_the_last_tokens_draft_is_the_whole_model_on_them():
    model = embedded()
    ids = model.tokenizer.encode("The capital of France is Paris, and the capital of")
    proposal = last_tokens(model, 3).propose(ids, PLAIN, [0.5])
    expected = distribution(EmbeddedModel(model._weights, model.tokenizer).next_logits(ids[-3:]), PLAIN)
    np.testing.assert_allclose(proposal.probs[0], expected.probs, atol=1e-4)


@pytest.mark.parametrize("window", [0, -1, 1.5])
def test_a_window_of_nothing_is_refused(window):
    with pytest.raises(InputError):
        last_tokens(embedded(), window)


# Prompt lookup


def look_up(text: list[int], most: int) -> tuple[int, ...]:
    return PromptLookup(10).propose(text, PLAIN, [0.5] * most).tokens


def test_prompt_lookup_proposes_what_followed_the_same_three_tokens():
    assert look_up([1, 2, 3, 4, 5, 6, 9, 1, 2, 3], 3) == (4, 5, 6)


def test_the_latest_place_counts():
    assert look_up([1, 2, 4, 1, 2, 5, 1, 2], 1) == (5,)


def test_a_longer_match_counts_more_than_a_later_one():
    assert look_up([7, 1, 2, 4, 0, 2, 5, 7, 1, 2], 1) == (4,)


def test_a_repetition_is_continued_as_far_as_it_is_known():
    assert look_up([1, 2, 1, 2], 5) == (1, 2)


def test_where_nothing_was_seen_before_nothing_is_proposed():
    assert look_up([1, 2, 3], 4) == ()
    assert look_up([1], 4) == ()


def test_the_proposal_is_certain():
    proposal = PromptLookup(10).propose([1, 2, 1], PLAIN, [0.5, 0.5])
    np.testing.assert_array_equal(proposal.probs, np.eye(10)[[2, 1]])
    assert proposal.passes == 0


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(0, 5))
def test_what_is_proposed_stands_in_the_text_after_its_own_last_token(text, most):
    found = look_up(text, most)
    assert len(found) <= most
    if found:
        joined = [text[-1], *found]
        assert any(text[i : i + len(joined)] == joined for i in range(len(text)))
