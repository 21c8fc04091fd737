"""Checks by other means than the grammar, and the comparison of free and masked texts."""

import json

import numpy as np
import pytest

from core.decoding import constrained_captured
from core.decoding.constrained_check import check
from core.decoding.constrained_examples import CONSTRAINT_EXAMPLES
from core.decoding.constrained_grammar import constraint
from core.decoding.constrained_trial import first_fits, pair_by_tokens, trial
from core.lm import embedded, load_tokenizer
from core.sampling import SamplerSettings
from tests.core.decoding.masks_toy import ToyModel, ToyVocabulary, always

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def verdict(kind, constraint_text, text):
    found = check(constraint(kind, constraint_text), text, load_tokenizer())
    assert (found.problem == "") == found.conforms
    return found.parses, found.conforms


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('{"n": 1}', (True, True)),
        (' {"n": 1}\n', (True, True)),
        ('{"n": "1"}', (True, False)),
        ("{}", (True, False)),
        ('{"n": 1', (False, False)),
        ('{"n": 1, "n": 2}', (False, False)),
        ('Here it is: {"n": 1}', (False, False)),
        ("", (False, False)),
        ("NaN", (False, False)),
    ],
)
def test_json_is_parsed_first_and_validated_then(text, right):
    assert verdict("json schema", json.dumps(SCHEMA), text) == right


@pytest.mark.parametrize(
    ("text", "right"), [("2026-01", True), ("2026-1", False), (" 2026-01", False), ("", False)]
)
def test_an_expression_must_match_the_whole_text(text, right):
    assert verdict("regex", "[0-9]{4}-[0-9]{2}", text) == (right, right)


def test_a_character_without_a_token_does_not_vanish_from_the_check():
    assert verdict("regex", "ab", "a\x04b") == (False, False)


def test_a_choice_is_one_of_the_lines():
    assert verdict("choice", "yes\nno", "no") == (True, True)
    assert verdict("choice", "yes\nno", "no ") == (False, False)


def test_a_grammar_is_asked_itself():
    assert verdict("grammar", 'start: "(" start ")" | "x"', "((x))") == (True, True)
    assert verdict("grammar", 'start: "(" start ")" | "x"', "((x)") == (False, False)


class Words(ToyVocabulary):
    def encode(self, text, special=True):  # noqa: ARG002
        return [next(i for i, t in enumerate(self.tokens) if t == c.encode()) for c in text]


def test_of_free_and_masked_texts_it_counts_which_conform():
    """Free texts are one letter and the end: "a" with probability 0.9. The mask allows "b" alone."""
    words = Words(["a", "b", "<eos>"])

    def logits(count: int) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log([0.9, 0.1, 0.0] if count == 1 else [0.0, 0.0, 1.0])

    progress = list(
        trial(ToyModel(words, logits), [0], constraint("regex", "b"), SamplerSettings(), range(40))
    )
    last = progress[-1]
    assert [p.free.conforms.total for p in progress] == list(range(1, 41))
    assert last.free.conforms.count == sum(p.free_text.text == "b" for p in progress)
    assert 0 < last.free.conforms.count < 15
    assert (last.masked.conforms.count, last.masked.parses.count, last.masked.complete.count) == (40, 40, 40)
    assert last.masked.conforms.low == pytest.approx(1 / (1 + 1.96**2 / 40), abs=1e-4)
    assert {p.masked_text.text for p in progress} == {"b"}


def exhausted(drawing):
    told = []
    while True:
        try:
            told.append(next(drawing))
        except StopIteration as done:
            return told, done.value


def test_the_text_without_the_instruction_is_drawn_from_its_own_prompt():
    """After one token of prompt comes "a", after two "b", then the end: the instruction is one token."""
    words = Words(["a", "b", "<eos>"])

    def logits(count: int) -> np.ndarray:
        return np.array([[9, 0, 0], [0, 9, 0], [0, 0, 9], [0, 0, 9]][count - 1], float)

    settings = SamplerSettings(temperature=0)
    drawing = pair_by_tokens(ToyModel(words, logits), [0, 0], constraint("regex", "b"), settings, 0, 1, [0])
    told, pair = exhausted(drawing)
    assert (pair.unasked.text, pair.free.text, pair.masked.text) == ("a", "b", "b")
    assert told == [1, 2, 3]
    assert not pair.unasked.check.conforms


def test_the_chance_of_a_first_token_that_fits_is_computed():
    words = Words(["a", "b", "<eos>"])
    model = ToyModel(words, always(np.log([0.5, 0.3, 0.2])))
    fits = [first_fits(model, [0], constraint("regex", held), SamplerSettings()) for held in ("b", "a|b")]
    assert fits == pytest.approx([0.3, 0.8])
    # At T = 1/2 probabilities are squared, then renormalised.
    cold = first_fits(model, [0], constraint("regex", "b"), SamplerSettings(temperature=0.5))
    assert cold == pytest.approx(0.09 / 0.38)


def test_a_text_that_is_cut_off_is_not_complete_and_does_not_conform():
    words = Words(["a", "b", "<eos>"])
    model = ToyModel(words, always([5, 0, 0]))
    held = constraint("regex", "a*b")
    (only,) = trial(model, [0], held, SamplerSettings(temperature=0), [0], max_tokens=5)
    assert (only.masked_text.text, only.masked_text.complete) == ("aaaaa", False)
    assert not only.masked_text.check.conforms


def test_on_the_embedded_model_an_instruction_fails_where_the_mask_does_not():
    model = embedded()
    schema = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"]}
    held = constraint("json schema", json.dumps({**schema, "additionalProperties": False}))
    ids = model.tokenizer.encode("Answer only in JSON. How many poles has the Earth?\n")
    (one,) = trial(model, ids, held, SamplerSettings(), [1], max_tokens=16)
    assert not one.free_text.check.parses
    assert one.masked_text.check.conforms


def test_captured_pairs_are_what_the_check_says_and_of_the_seeds_in_order():
    for example in CONSTRAINT_EXAMPLES:
        held = constraint(example.kind, example.text)
        pairs = constrained_captured.load().get(example.slug, ())
        assert [pair.seed for pair in pairs] == list(range(len(pairs)))
        for attempt in (one for pair in pairs for one in (pair.unasked, pair.free, pair.masked)):
            assert attempt.check == check(held, attempt.text, load_tokenizer())
    assert {"call", "date", "mood"} == set(constrained_captured.load())
