"""The dials of a request are checked before anything is sent."""

from typing import Any

import pytest

from core.errors import InputError
from core.lm.chat_options import ChatOptions


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -1},
        {"temperature": "hot"},
        {"top_k": -2},
        {"top_k": 1.5},
        {"top_p": 2},
        {"min_p": "x"},
        {"seed": -1},
        {"seed": 2**31},
        {"max_tokens": 0},
        {"max_tokens": True},
        {"stop": "Observation:"},
        {"stop": ("",)},
        {"stop": (3,)},
        {"alternatives": 21},
        {"alternatives": None},
    ],
)
def test_a_wrong_value_is_refused_with_its_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refusal:
        ChatOptions(**wrong)
    assert next(iter(wrong)) in str(refusal.value).lower()


def test_only_what_is_set_is_given_and_zero_is_set() -> None:
    options = ChatOptions(temperature=0, stop=("x",))
    assert options.given(t="temperature", p="top_p", s="stop") == {"t": 0, "s": ["x"]}
