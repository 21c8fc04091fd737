"""A window in which a strategy has something to do, checked on the five messages of 76 tokens."""

import pytest

from core.context import Strategy, Supposition, TokenCounter
from core.context.fitting import tighter_window
from core.context.what_if import Replay
from tests.core.context.test_what_if import FIVE
from tests.core.context.toy import ToyTokenizer


def tighter(strategy, **fields):
    asked = Supposition.of(**{"window": 8192, "strategy": strategy} | fields)
    replay = Replay(FIVE, TokenCounter(ToyTokenizer()))
    return tighter_window(replay, replay.suppose(asked))


@pytest.mark.parametrize("strategy", [Strategy.OLLAMA, Strategy.OLDEST, Strategy.BLOCKS])
def test_the_largest_power_of_two_that_is_smaller_than_the_call_makes_a_strategy_act(strategy):
    assert tighter(strategy) == 64


def test_a_strategy_with_a_threshold_acts_in_a_larger_window():
    """80 % of 64 tokens are 51; half of 128 are 64."""
    assert tighter(Strategy.COMPACT, keep_last=2) == 64
    assert tighter(Strategy.COMPACT, keep_last=2, threshold=50, summary="s") == 128


def test_where_nothing_can_be_left_out_there_is_no_such_window():
    """The only result has no answer yet, so it is not elided."""
    assert tighter(Strategy.ELIDE) is None
    assert tighter(Strategy.NONE) is None


def test_the_reserve_needs_its_room():
    assert tighter(Strategy.BLOCKS, reserve=100) == 128
    assert tighter(Strategy.BLOCKS, reserve=1000) == 1024
