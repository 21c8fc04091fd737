"""Which pass gives the answer."""

import pytest

from core.teaching.thought.passes import LONGEST, answer_pass, written
from tests.core.teaching.thought.characters import CharacterModel, following


@pytest.mark.parametrize(
    ("pieces", "last", "expected"),
    [
        ([" odd", "\n"], "", 1),
        ([" ", "2", "4"], "", 2),  # a blank is no answer yet
        (["A", ":", " on", "\n", "After", " A", ":", " on"], "After", 8),
        (["Sum", ":", " ", "9"], "Sum", 4),
        (["A", ":", " on", "\n"], "After", None),
        ([], "", None),
    ],
)
def test_the_answer_is_the_first_token_behind_the_colon(pieces, last, expected):
    assert answer_pass(pieces, last) == expected


def test_a_text_ends_with_the_line_of_its_answer():
    model = CharacterModel(following("Q\n1+2\nSum: 3\nand on and on"))
    assert model.tokenizer.decode(list(written(model, "Q\n", "Sum"))[-1]) == "1+2\nSum: 3\n"


def test_a_text_without_an_answer_is_given_up():
    model = CharacterModel(lambda _: "x")
    assert len(list(written(model, "Q", "Sum"))) == LONGEST
