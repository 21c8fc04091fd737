"""Beam search against every text there is, and against greedy."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from core.decoding.beams import START, Beam, Search, further, widened

END = 2


class Chain:
    """After each token of `law` the probabilities of the next one: tokens a, b and the end."""

    def __init__(self, law):
        self.law, self.context_length = law, 99
        self.tokenizer = SimpleNamespace(end_ids=frozenset([END]))

    def start(self, ids):
        return list(ids)

    def next_logits(self, ids):
        with np.errstate(divide="ignore"):
            return np.log(self.law[ids[-1]])


# "a" looks better at first, but after "b" one token is almost certain.
TRAP = Chain({0: [0.5, 0.45, 0.05], 1: [0.9, 0.05, 0.05]})


def run(model, width, steps):
    beams = (START,)
    for _ in range(steps):
        beams = widened(model, [0], beams, width)
    return beams


def test_a_search_finds_what_greedy_misses():
    (greedy,), found = run(TRAP, 1, 2), run(TRAP, 2, 2)
    assert (greedy.path, greedy.log_prob) == ((0, 0), pytest.approx(math.log(0.25)))
    assert (found[0].path, found[0].log_prob) == ((1, 0), pytest.approx(math.log(0.45 * 0.9)))


def test_a_search_as_wide_as_all_texts_finds_the_most_probable_ones_in_order():
    texts = {
        path: math.prod(TRAP.law[before][token] for before, token in zip((0, *path), path, strict=False))
        for path in itertools.product((0, 1), repeat=3)
    }
    found = [beam for beam in run(TRAP, 27, 3) if END not in beam.path]
    assert {beam.path for beam in found} == set(texts)
    falling = sorted(texts.values(), reverse=True)
    assert [texts[beam.path] for beam in found] == pytest.approx(falling)
    assert [math.exp(beam.log_prob) for beam in found] == pytest.approx(falling)


def test_a_text_that_is_over_competes_as_it_is():
    over = Beam((END,), (0.9,))
    assert widened(TRAP, [0], (over, Beam((1,), (0.05,))), 1) == (over,)


def test_a_search_ends_where_all_its_texts_do():
    done = Search((Beam((END,), (0.5,)),), Beam((END,), (0.5,)))
    assert further(TRAP, [0], done, 2) is None


def test_the_greedy_text_grows_beside_the_beams():
    search = further(TRAP, [0], further(TRAP, [0], Search(), 2), 2)
    assert (search.greedy.path, search.beams[0].path) == ((0, 0), (1, 0))
