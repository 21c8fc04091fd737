"""What a file says wrongly, or in part, is told in a notice."""

import json

import pytest

from core.traces import load

ASKED = {"role": "user", "content": "q"}


def notices(value):
    return " ".join(load(json.dumps(value).encode()).origin.notices)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"messages": [ASKED], "tools": "oops"}, "The tools are not a list"),
        (
            [ASKED, {"role": "assistant", "content": "a", "tool_calls": "no"}],
            "tool calls of a message are not",
        ),
        ([ASKED, {"role": "assistant", "content": 42}], "neither text nor parts"),
        ({"messages": [ASKED], "usage": {"prompt_tokens": 3}}, "token counts beside the messages"),
        (
            [ASKED, {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}],
            "redacted thinking is not kept",
        ),
    ],
)
def test_what_is_left_out_of_a_file_is_told(value, words):
    assert words in notices(value)
