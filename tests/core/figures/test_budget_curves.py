"""The curves of a run, point by point."""

from core.context import CallBudget, RunBudget
from core.context.prefix_cache import CachedCall
from core.figures.budget_curves import growth, reading
from core.trace import Part


def counted(total, resent, new):
    parts = {Part.USER: total} if total else {}
    return CallBudget(parts=parts, total=total, window=None, resent=resent, new=new, new_parts=None)


def run(*calls):
    return RunBudget(calls=calls, window=None, sent=None, unique=None, resent=None)


def lines(figure):
    return {line.name: list(line.y) for line in figure.data}


def test_occupancy_is_that_of_each_call_and_what_is_sent_adds_up():
    calls = (counted(10, 0, 10), counted(15, 10, 5), counted(22, 15, 7))
    assert lines(growth(run(*calls), None)) == {
        "in the window": [10, 15, 22],
        "sent": [10, 25, 47],
        "of it re-sent": [0, 10, 25],
        "unique": [10, 15, 22],
    }


def test_after_a_call_that_is_not_counted_there_is_no_sum():
    drawn = lines(growth(run(counted(10, 0, 10), counted(None, None, None), counted(5, None, None)), None))
    assert drawn["in the window"] == [10, None, 5]
    assert drawn["sent"] == [10, None, None]


def test_a_window_far_above_the_calls_is_not_drawn():
    calls = run(counted(10, 0, 10))
    assert [len(growth(calls, window).layout.shapes) for window in (25, 26)] == [1, 0]


def test_what_is_read_anew_stands_on_what_the_cache_holds():
    figure = reading(
        [CachedCall(total=10, shared=0, cached=0, read=10), CachedCall(total=15, shared=10, cached=8, read=7)]
    )
    assert lines(figure) == {"from the cache": [0, 8], "read anew": [10, 7]}
    assert figure.layout.barmode == "stack"
