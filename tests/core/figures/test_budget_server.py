"""The server's own count beside ours."""

import pytest

from core.figures.budget_server import ServerCount, server_count
from core.messages.types import AssistantMessage
from core.trace import Counting, ModelCall, Usage

TOLD = "1,000 counted by what answered"


def of(method, reported, total):
    counting = Counting(method=method, tokenizer="Toy", template="chatml")
    usage = Usage(input_tokens=reported)
    return server_count(ModelCall(reply=AssistantMessage(), counting=counting, usage=usage), total)


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
