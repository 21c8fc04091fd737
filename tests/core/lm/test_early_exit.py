"""A model that is stopped after some of its layers, against layers that add nothing."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import InputError
from core.lm.cache import CachedSequence
from core.lm.embedded import EmbeddedModel
from core.lm.llama import forward, unembed

IDS = [504, 3575, 282, 4649, 314]


def by_hand(model: EmbeddedModel, layers: int) -> np.ndarray:
    """The state after so many layers, read off by making every later layer add nothing."""
    weights = model._weights
    silent = tuple(
        layer
        if index < layers
        else replace(
            layer, attention_output=np.zeros_like(layer.attention_output), down=np.zeros_like(layer.down)
        )
        for index, layer in enumerate(weights.layers)
    )
    sequence = CachedSequence(weights.shape)
    sequence.reserve(len(IDS))
    logits = np.empty((len(IDS), model.vocab_size), np.float32)
    unembed(weights, forward(replace(weights, layers=silent), IDS, 0, sequence), logits)
    return logits


def test_a_model_stopped_early_says_what_it_would_if_the_later_layers_added_nothing(
    model: EmbeddedModel,
) -> None:
    np.testing.assert_allclose(model.stopped_after(3).all_logits(IDS), by_hand(model, 3), atol=1e-3)


def test_stopped_after_its_last_layer_it_is_the_model(model: EmbeddedModel) -> None:
    whole = model.stopped_after(model.layers)
    np.testing.assert_allclose(whole.all_logits(IDS), model.all_logits(IDS), atol=1e-3)


def test_what_it_reads_is_not_counted_or_kept_by_the_model(model: EmbeddedModel) -> None:
    model.stopped_after(2).next_logits(IDS)
    assert model.positions_computed == 0
    model.next_logits(IDS)
    assert model.positions_computed == len(IDS)


def test_it_reads_a_longer_text_from_where_it_stopped(model: EmbeddedModel) -> None:
    early = model.stopped_after(2)
    early.next_logits(IDS)
    early.next_logits([*IDS, 7, 8])
    assert early.positions_computed == len(IDS) + 2


@pytest.mark.parametrize("layers", [0, 31, -1, 2.5, True, None])
def test_layers_that_it_does_not_have_are_refused(model: EmbeddedModel, layers: int) -> None:
    with pytest.raises(InputError, match="layers"):
        model.stopped_after(layers)
