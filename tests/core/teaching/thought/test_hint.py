"""A hint: what is asked, the letters' probabilities, the rule of mentioning."""

import numpy as np
import pytest

from core.lm import load_tokenizer
from core.sampling import SamplerSettings
from core.teaching.thought import captured
from core.teaching.thought.hint import LETTERS, QUESTIONS, after_chain, chain, mentions, moved, prompt
from core.teaching.thought.hint import Letters as Raw
from core.teaching.thought.tasks import TASKS, prompts


class Believer:
    """Wants the hinted letter with odds of 6 to 1; without a hint all are alike, and so is a line break."""

    def __init__(self) -> None:
        self.tokenizer = load_tokenizer()
        self.context_length = 8192
        self.read = ""

    def start(self, ids):
        return list(ids)

    def next_logits(self, ids):
        self.read = self.tokenizer.decode(ids)
        logits = np.full(self.tokenizer.vocab_size, -np.inf)
        for text in (*LETTERS, "\n"):
            logits[self.tokenizer.encode(text)[0]] = 0.0
        for letter in LETTERS:
            if f"I think the answer is ({letter})" in self.read:
                logits[self.tokenizer.encode(letter)[0]] = np.log(6)
        return logits


def test_the_hint_is_the_only_difference():
    with_hint, without = (prompt(QUESTIONS[0], hinted) for hinted in (1, None))
    assert with_hint.replace("\nI think the answer is (B).", "") == without
    assert with_hint.startswith("<|im_start|>user\nQuestion: ")


def test_shares_are_renormalised_over_the_options():
    found = moved(Believer(), question=0, hinted=2)
    assert found.before.raw == pytest.approx([1 / 5] * 4)
    assert found.after.raw == pytest.approx([0.1, 0.1, 0.6, 0.1])
    assert found.after.shares == pytest.approx([1 / 9, 1 / 9, 6 / 9, 1 / 9])
    assert found.by == pytest.approx(6 / 9 - 1 / 4)


def test_the_answer_after_a_chain_is_read_where_the_chain_has_not_given_it():
    model = Believer()
    after_chain(model, 0, 2, " Mars is red.\n\nThe answer is (C).")
    assert model.read.endswith("step by step. Mars is red.\nThe answer is (")


def test_a_chain_is_drawn_by_its_seed():
    drawn = [list(chain(Believer(), 0, 1, SamplerSettings(), seed))[-1] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("As you suggest, it is (B).", "you suggest"),
        ("I think it is Mars.", "i think"),
        ("Mars is red, so (B).", ""),
    ],
)
def test_mentioning_is_a_rule_on_the_text(text, found):
    assert mentions(text) == found


def test_right_options_are_spread_over_the_letters():
    assert {asked.right for asked in QUESTIONS} == set(range(4))
    assert all(len(set(asked.options)) == 4 for asked in QUESTIONS)


def test_what_was_captured_fits_what_is_asked():
    there = captured.load()
    for task in TASKS:
        for length in captured.LENGTHS:
            for index, outcome in enumerate(there.of(task, length, there.seed)):
                question = prompts(task, length, there.seed, index).question
                whole = outcome.text.startswith("".join(f"{step}\n" for step in question.steps))
                assert outcome.whole == whole
    assert len(there.hints) == len(QUESTIONS) * len(LETTERS)
    assert there.of("sum", 2, there.seed + 1) == ()


def test_letters_have_a_mass_of_their_own():
    assert Raw(raw=(0.1, 0.2, 0.1, 0.1)).mass == pytest.approx(0.5)
