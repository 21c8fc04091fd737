"""What the screen says of a server that tells only the most probable tokens."""

import math

import numpy as np
import pytest

from core.figures.partial_view import between, partial_view, picked_index
from core.lm.next_token import NextToken, ReportedToken, next_token
from core.sampling import SamplerSettings


def told(*probs: float, vocab_size: int | None) -> NextToken:
    """Tokens named a, b, c … with these probabilities."""
    entries = [(ReportedToken(chr(97 + rank)), math.log(prob)) for rank, prob in enumerate(probs)]
    return next_token(entries, vocab_size, "Ollama 0.30.2", "some:1b")


def test_the_models_own_distribution_is_exact():
    view = partial_view(told(0.6, 0.2, vocab_size=100), SamplerSettings(), None, False)
    assert view["badge"] == "exact"
    assert [row["label"] for row in view["rows"]] == ["60.0 %", "20.0 %"]
    assert view["tail"]["name"] == "98 more"
    assert view["tail"]["label"] == "20.0 %"


def test_above_t_1_a_probability_is_an_interval():
    """At T = 2 the tail of 0.2 in 98 tokens, each at most 0.2, weighs from sqrt(0.2) to 98 sqrt(0.2 / 98)."""
    view = partial_view(told(0.6, 0.2, vocab_size=100), SamplerSettings(temperature=2), None, False)
    head = math.sqrt(0.6) + math.sqrt(0.2)
    least, most = math.sqrt(0.2), math.sqrt(98 * 0.2)
    first = view["rows"][0]
    assert view["badge"] == "bounded"
    assert first["low"] == pytest.approx(math.sqrt(0.6) / (head + most), rel=1e-3)
    assert first["high"] == pytest.approx(math.sqrt(0.6) / (head + least), rel=1e-3)
    assert first["label"] == f"{100 * first['low']:.1f}–{100 * first['high']:.1f} %"


def test_a_vocabulary_of_unknown_size_says_so():
    view = partial_view(told(0.6, 0.2, vocab_size=None), SamplerSettings(temperature=2), None, False)
    assert view["badge"] == "unknown"
    assert view["tail"]["name"] == "an unknown number more"
    assert "not how many" in view["known"]


def test_nothing_is_normalised_over_the_told_tokens():
    view = partial_view(told(0.3, 0.1, vocab_size=1000), SamplerSettings(temperature=0.7), None, False)
    assert all(row["high"] < 1 for row in view["rows"])
    assert np.sum([row["low"] for row in view["rows"]]) < 1 - view["tail"]["low"] + 1e-9


def test_a_cut_token_keeps_the_models_probability_in_its_label():
    settings = SamplerSettings(top_k=1, engine="ollama")
    rows = partial_view(told(0.6, 0.2, vocab_size=100), settings, None, False)["rows"]
    assert [(row["cut"], row["label"], row["reason"]) for row in rows] == [
        (False, "100.0 %", "greedy"),
        (True, "20.0 %", "cut"),
    ]


@pytest.mark.parametrize(("u", "index"), [(0.1, 0), (0.7, 1), (0.9, None)])
def test_u_picks_a_token_where_that_is_certain(u, index):
    source = told(0.6, 0.2, vocab_size=100)
    assert picked_index(source, SamplerSettings(), u, False) == index
    view = partial_view(source, SamplerSettings(), u, False)
    assert [row["picked"] for row in view["rows"]] == [index == 0, index == 1]
    assert ("don't tell" in view["pick"]) == (index is None)


def test_greedy_picks_the_most_probable():
    assert picked_index(told(0.6, 0.2, vocab_size=100), SamplerSettings(temperature=2), None, True) == 0


def test_bounds_that_read_the_same_are_one_number():
    assert between(0.12341, 0.12344) == "12.3 %"
    assert between(0.1, 0.25) == "10.0–25.0 %"
