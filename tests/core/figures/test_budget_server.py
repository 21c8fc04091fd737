"""The server's own count beside ours."""

import pytest

from core.figures.budget_server import ServerCount, server_count
from core.messages.types import AssistantMessage
from core.trace import Counting, ModelCall, Usage

TOLD = "1,000 counted by what answered"


def of(method, reported, total, window=None):
    counting = Counting(method=method, tokenizer="Toy", template="chatml")
    usage = Usage(input_tokens=reported)
    call = ModelCall(reply=AssistantMessage(), counting=counting, usage=usage, window=window)
    return server_count(call, total)


@pytest.mark.parametrize(
    ("method", "total", "told"),
    [
        ("exact", 1000, ServerCount(text=f"{TOLD}: the same")),
        ("exact", 988, ServerCount(text=f"{TOLD}: 12 more, written by its own template")),
        (
            "exact",
            3000,
            ServerCount(text=f"{TOLD}: 2,000 fewer than were sent: it cut the context", short=True),
        ),
        ("estimate", 1100, ServerCount(text=f"{TOLD}: 100 fewer than this estimate")),
        ("estimate", 990, ServerCount(text=f"{TOLD}: 10 more than this estimate")),
    ],
)
def test_the_difference_is_told_and_is_a_sign_of_a_cut_only_below_an_exact_count(method, total, told):
    assert of(method, 1000, total) == told


@pytest.mark.parametrize(("reported", "total"), [(None, 10), (10, None)])
def test_without_both_counts_nothing_is_compared(reported, total):
    assert of("exact", reported, total) is None


@pytest.mark.parametrize(
    ("total", "window", "short"),
    [
        (1600, 1024, True),  # messages fell out until the window held the rest
        (1600, 1996, True),  # the text was cut to half the window and two tokens
        (1600, 4096, False),  # another tokenizer
        (1400, 1024, False),  # another tokenizer, and it filled the window
        (1600, None, False),
    ],
)
def test_an_estimate_is_a_sign_of_a_cut_only_beside_the_window(total, window, short):
    count = of("estimate", 1000, total, window)
    assert count.short is short
    assert ("it has probably cut the context" in count.text) is short
