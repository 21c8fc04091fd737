"""Over temperature: the limits and the turning points that the formula gives."""

import math

import pytest

from core.sampling import SamplerSettings, logits_from_probs, presort, softmax, sweep

LOGITS = [2.0, 1.0, 0.0, -1.0]


def test_each_temperature_has_the_probabilities_of_its_own_softmax():
    result = sweep(presort(LOGITS), SamplerSettings(), tokens=2, temperatures=(0.5, 2.0))
    assert result.probs[0].tolist() == pytest.approx(softmax(LOGITS, 0.5)[:2].tolist())
    assert result.probs[1].tolist() == pytest.approx(softmax(LOGITS, 2.0)[:2].tolist())


def test_entropy_rises_from_nothing_to_that_of_the_uniform_distribution():
    entropy = sweep(presort(LOGITS), SamplerSettings(), temperatures=(0, 0.5, 1, 2, 1e9)).entropy_bits
    assert entropy[0] == 0
    assert entropy[-1] == pytest.approx(math.log2(4))
    assert sorted(entropy) == entropy.tolist()


def test_the_nucleus_grows_with_the_temperature_if_temperature_comes_first():
    ranked = presort(logits_from_probs([0.4, 0.3, 0.25, 0.03, 0.02]))
    # T = 0.2 takes fifth powers (two reach 0.93), T = 1 needs three for 0.9, T = 1e9 is uniform: five of 0.2.
    kept = sweep(ranked, SamplerSettings(top_p=0.9), temperatures=(0.2, 1, 1e9)).kept
    assert kept.tolist() == [2, 3, 5]


def test_the_nucleus_stays_if_temperature_comes_last():
    ranked = presort(logits_from_probs([0.4, 0.3, 0.25, 0.03, 0.02]))
    settings = SamplerSettings(top_p=0.9, engine="llama.cpp")
    assert sweep(ranked, settings, temperatures=(0.2, 1, 1e9)).kept.tolist() == [3, 3, 3]
