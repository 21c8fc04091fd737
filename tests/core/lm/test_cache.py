import threading

import numpy as np
import pytest

from core.lm.cache import FULL_PRECISION, CachedSequence, PrefixCache, bytes_per_position, capacity_for
from core.lm.llama import Shape

SHAPE = Shape(
    vocab_size=50,
    context_length=4096,
    layers=2,
    width=8,
    heads=2,
    kv_heads=1,
    head_width=4,
    mlp_width=8,
    rope_base=10_000.0,
    norm_epsilon=1e-5,
)
ROOM_FOR_64 = 64 * bytes_per_position(SHAPE, 64)


def fill(sequence: CachedSequence, ids: list[int]) -> None:
    """Compute what is missing, as the model does; the key of a position is its token."""
    start = len(sequence.ids)
    new = np.array(ids[start:], np.float32).reshape(1, -1, 1).repeat(SHAPE.head_width, axis=2)
    for layer in range(SHAPE.layers):
        sequence.extend(layer, start, new, -new)
    sequence.ids += ids[start:]


def use(cache: PrefixCache, ids: list[int]) -> int:
    """Go through the text once and return how many positions were there already."""
    sequence = cache.take(ids, reusable=len(ids))
    there = len(sequence.ids)
    fill(sequence, ids)
    cache.give_back(sequence)
    return there


@pytest.mark.parametrize("length", [10, 100, FULL_PRECISION + 10])
def test_what_is_stored_is_what_is_read(length: int) -> None:
    cache = PrefixCache(SHAPE, 10 * ROOM_FOR_64)
    ids = [n % 50 for n in range(length)]
    use(cache, ids[: length // 2])
    sequence = cache.take(ids, reusable=length)
    fill(sequence, ids)
    empty = np.empty((1, 0, SHAPE.head_width), np.float32)
    keys, values = sequence.extend(1, length, empty, empty)
    assert keys.dtype == values.dtype == np.float32
    np.testing.assert_array_equal(keys[0, :, 0], ids)
    np.testing.assert_array_equal(values[0, :, 0], np.negative(ids))


def test_the_longest_common_prefix_is_reused() -> None:
    cache = PrefixCache(SHAPE, 10 * ROOM_FOR_64)
    use(cache, [1, 2, 3])
    use(cache, [1, 2, 7, 8])
    assert use(cache, [1, 2, 7, 9]) == 3


def test_at_most_the_positions_that_the_caller_can_use_are_reused() -> None:
    cache = PrefixCache(SHAPE, 10 * ROOM_FOR_64)
    use(cache, [1, 2, 3])
    assert len(cache.take([1, 2, 3], reusable=2).ids) == 2


def test_a_branch_leaves_the_text_it_branches_from_whole() -> None:
    cache = PrefixCache(SHAPE, 10 * ROOM_FOR_64)
    use(cache, [1, 2, 3, 4])
    use(cache, [1, 2, 9])
    assert use(cache, [1, 2, 3, 4, 5]) == 4


def test_a_text_in_use_can_be_branched_from() -> None:
    cache = PrefixCache(SHAPE, 10 * ROOM_FOR_64)
    busy = cache.take([1, 2, 3], reusable=3)
    fill(busy, [1, 2, 3])
    branch = cache.take([1, 2, 4], reusable=3)
    fill(branch, [1, 2, 4])
    assert (busy.ids, branch.ids) == ([1, 2, 3], [1, 2, 4])


def test_the_least_recently_used_text_is_forgotten_first() -> None:
    cache = PrefixCache(SHAPE, 2 * ROOM_FOR_64)
    use(cache, [1, 1])
    use(cache, [2, 2])
    use(cache, [1, 1])
    use(cache, [3, 3])
    assert use(cache, [1, 1]) == 2
    assert use(cache, [2, 2]) == 0


def test_where_two_find_no_room_the_branch_takes_the_place_of_the_text() -> None:
    cache = PrefixCache(SHAPE, ROOM_FOR_64)
    use(cache, [1, 2, 3, 4])
    assert use(cache, [1, 2, 9]) == 2
    assert use(cache, [1, 2, 3, 4]) == 2


def test_a_text_longer_than_the_budget_is_served() -> None:
    cache = PrefixCache(SHAPE, ROOM_FOR_64)
    use(cache, [1, 2])
    assert use(cache, [n % 50 for n in range(200)]) == 0
    assert use(cache, [1, 2]) == 0


def test_a_call_waits_until_there_is_room_for_it() -> None:
    cache = PrefixCache(SHAPE, ROOM_FOR_64)
    cache.take([0] * 200, reusable=1)  # the largest is beside the budget
    first = cache.take([1], reusable=1)
    served = threading.Event()
    waiting = threading.Thread(target=lambda: (cache.take([2], reusable=1), served.set()))
    waiting.start()
    assert not served.wait(0.1)
    cache.give_back(first)
    assert served.wait(60)
    waiting.join()


def test_a_short_text_does_not_wait_for_one_that_is_longer_than_the_budget() -> None:
    cache = PrefixCache(SHAPE, ROOM_FOR_64)
    cache.take([0] * 200, reusable=1)
    assert cache.take([1], reusable=1).capacity == 64


def test_a_text_longer_than_the_budget_does_not_wait_for_short_ones() -> None:
    cache = PrefixCache(SHAPE, ROOM_FOR_64)
    cache.take([1], reusable=1)
    assert cache.take([0] * 200, reusable=1).capacity == 256


def test_memory_grows_in_steps_and_halves_its_precision_when_long() -> None:
    assert [capacity_for(length) for length in (1, 64, 65)] == [64, 64, 128]
    assert bytes_per_position(SHAPE, FULL_PRECISION) == 2 * bytes_per_position(SHAPE, FULL_PRECISION + 64)
