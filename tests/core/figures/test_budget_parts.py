"""What each part of a context is, and the sum that the lecture makes of them."""

from core.figures.budget_parts import ABOUT, sum_of
from core.trace import Part


def test_every_part_says_what_it_is():
    assert set(ABOUT) == set(Part)


def test_a_context_is_its_history_and_what_the_runtime_adds():
    tokens = {part: 10 * place for place, part in enumerate(Part, start=1)}
    added = "tool schemas 20 + retrieved 70 + memory 80 + template 90"
    assert sum_of(tokens) == f"history 190 + what the runtime adds: {added}"  # 10 + 30 + 40 + 50 + 60


def test_what_is_not_added_is_not_named():
    assert (
        sum_of({Part.SYSTEM: 1000, Part.TEMPLATE: 5, Part.MEMORY: 0})
        == "history 1,000 + what the runtime adds: template 5"
    )
