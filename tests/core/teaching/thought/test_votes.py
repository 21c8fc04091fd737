"""Self-consistency: the answer that comes most often, and what was captured of it."""

import numpy as np
import pytest

from core.lm import load_tokenizer
from core.sampling import SamplerSettings
from core.teaching.thought import captured
from core.teaching.thought.hint import LETTERS, QUESTIONS, Letters
from core.teaching.thought.votes import Vote, majority, vote


@pytest.mark.parametrize(
    ("answers", "first"), [([1, 2, 1], 1), ([1, 2], None), ([2], 2), ([], None), ([3, 1, 1, 3, 2, 3], 3)]
)
def test_the_majority_is_the_answer_that_comes_most_often_and_no_other(answers, first):
    assert majority(answers) == first


def test_an_answer_is_the_most_probable_letter():
    assert Vote(text="", letters=Letters(raw=(0.1, 0.2, 0.4, 0.3))).answer == 2


class Settled:
    """Writes "x", then the end, and after that answers (C): whatever the question."""

    def __init__(self) -> None:
        self.tokenizer = load_tokenizer()
        self.context_length = 8192

    def start(self, ids):
        return list(ids)

    def next_logits(self, ids):
        read = self.tokenizer.decode(ids)
        (end, *_) = self.tokenizer.end_ids
        wanted = (
            self.tokenizer.encode("C")[0]
            if read.endswith("The answer is (")
            else end
            if read.endswith("x")
            else self.tokenizer.encode("x")[0]
        )
        logits = np.full(self.tokenizer.vocab_size, -20.0)
        logits[wanted] = 0.0
        return logits


def test_a_chain_is_told_token_by_token_and_its_answer_read_after_it():
    drawing, told = vote(Settled(), 0, SamplerSettings(temperature=0), seed=0), []
    while True:
        try:
            told.append(next(drawing))
        except StopIteration as done:
            drawn = done.value
            break
    assert told == ["x"]
    assert (drawn.text, LETTERS[drawn.answer]) == ("x", "C")


def test_each_bundled_question_has_as_many_captured_chains_as_the_others():
    bundled = captured.load()
    assert len(bundled.greedy) == len(bundled.votes) == len(QUESTIONS)
    assert {len(drawn) for drawn in bundled.votes} == {7}
