"""The clock counts what both sides did, with a clock that the test sets."""

import itertools

import pytest

from core.decoding import ModelDraft, generate, speculate
from core.decoding import speculative_clock as module
from core.decoding.speculative_clock import Clock, pass_ratio, race
from core.sampling import SamplerSettings
from tests.core.decoding.toy import ToyModel

PLAIN = SamplerSettings()
DRAFT = ModelDraft("toy", ToyModel(), 0.5)


def test_both_texts_are_those_that_either_side_makes_alone():
    states = list(race(ToyModel(), DRAFT, [0], PLAIN, 3, 2, 12))
    alone = list(speculate(ToyModel(), DRAFT, [0], PLAIN, 3, 2, 12))
    assert list(states[-1].rounds) == alone
    assert states[-1].tokens == sum(len(done.tokens) for done in alone)
    plain = len(list(generate(ToyModel(), [0], PLAIN, 3, max_tokens=12)))
    assert states[-1].plain_tokens == min(plain, states[-1].tokens)


def test_seconds_go_to_the_side_that_took_them(monkeypatch: pytest.MonkeyPatch):
    # Read three times in a round: 1 s for speculation, 1 s for plain tokens, 1 s for whoever looks.
    ticks = itertools.count()
    monkeypatch.setattr(module.time, "perf_counter", lambda: float(next(ticks)))
    states = list(race(ToyModel(), DRAFT, [0], PLAIN, 3, 2, 6))
    last = states[-1]
    assert (last.seconds, last.plain_seconds) == (len(states), len(states))


def test_the_ratio_is_of_tokens_per_second():
    assert Clock(10, 2.0, 30, 3.0, ()).ratio == pytest.approx(2.0)  # 10 a second against 5
    assert Clock(0, 0.0, 3, 1.0, ()).ratio is None


class Timed(ToyModel):
    """A model that takes a second for each position, by the test's own clock."""

    now = 0.0

    def all_logits(self, ids, start=0):
        self.now += len(ids) - start
        return super().all_logits(ids, start)


def test_a_pass_is_timed_in_passes_over_one_position(monkeypatch: pytest.MonkeyPatch):
    model = Timed()
    monkeypatch.setattr(module.time, "perf_counter", lambda: model.now)
    assert pass_ratio(model, [0, 1, 2, 3], 3) == pytest.approx(3)
