"""What a prompt cache does for a run, in words."""

from core.context.prefix_cache import Bill, CachedCall, Divergence
from core.figures.budget_cache import bills, partings, saying
from core.trace import Part


def call(part=None, total=100, cached=40):
    parting = part and Divergence(part=part, message=0, label="", was="1. You", now="9. You")
    return CachedCall(total=total, shared=cached, cached=cached, read=total - cached, divergence=parting)


def test_what_the_cache_holds_is_a_share_of_all_that_is_sent():
    assert saying([call(cached=0), call()]) == (
        "Of 200 tokens sent, the cache holds 40 (20 %); 160 are read anew."
    )


def test_a_run_that_only_adds_parts_nowhere():
    assert partings([call(), call()]) == (
        "Every call begins with all of the one before: only what was added is read.",
    )


def test_calls_in_a_row_that_part_in_the_same_part_make_one_sentence():
    assert partings([call(), call(Part.SYSTEM), call(Part.SYSTEM), call(), call(Part.TOOLS)]) == (
        "Calls 2 to 3 part from the one before in the system prompt, message 1: “1. You” became “9. You”.",
        "Call 5 parts from the one before in the tool schemas, message 1: “1. You” became “9. You”.",
    )


def test_only_what_was_entered_is_billed():
    paid = Bill(cost=None, cost_uncached=None, seconds=6, seconds_uncached=10)
    assert bills(paid) == ("Time of reading: 6.0 s with the cache, 10.0 s without.",)
    paid = Bill(cost=0.0014, cost_uncached=0.002, seconds=None, seconds_uncached=None)
    assert bills(paid) == ("Cost of reading: 0.0014 with the cache, 0.0020 without.",)


def test_the_price_without_a_cache_alone_is_no_comparison():
    (said,) = bills(Bill(cost=None, cost_uncached=0.002, seconds=None, seconds_uncached=None))
    assert said == "Cost of reading: 0.0020 without; for the price with it, enter that too."
