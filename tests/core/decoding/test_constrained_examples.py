"""The examples are what they say: each takes a right answer to its question, and refuses another."""

import numpy as np
import pytest

from core.decoding.constrained_examples import CONSTRAINT_EXAMPLES
from core.decoding.constrained_grammar import KINDS, constraint
from core.decoding.constrained_matcher import Matcher
from core.lm import load_tokenizer

ANSWERS = {
    "call": (
        '{"name": "get_weather", "arguments": {"city": "Berlin", "unit": "celsius"}}',
        '{"name": "get_weather", "arguments": {"city": "Berlin"}}',
    ),
    "book": (
        '{"title": "Sense and Sensibility", "year": 1811, "genres": ["novel"]}',
        '{"title": "Sense and Sensibility", "year": 1811, "genres": []}',
    ),
    "date": ("1969-07-20", "1969-13-20"),
    "thought": (
        "Thought: I should look up Berlin.\nAction: search[Berlin]",
        "Thought: I should look up Berlin.\nAction: open[Berlin]",
    ),
    "mood": ("neutral", "Neutral"),
    "sum": ("3*60+60/2", "3*60+"),
    "lists": ("[[], [[]]]", "[[], [1]]"),
}


@pytest.mark.parametrize("example", CONSTRAINT_EXAMPLES, ids=lambda example: example.slug)
def test_without_the_instruction_the_question_is_the_same(example):
    assert example.unasked == example.prompt.replace(f"{example.instruction} ", "")
    assert example.unasked != example.prompt


@pytest.mark.parametrize("example", CONSTRAINT_EXAMPLES, ids=lambda example: example.slug)
def test_an_example_takes_a_right_answer_and_refuses_a_wrong_one(example):
    tokenizer = load_tokenizer()
    state = Matcher(constraint(example.kind, example.text), tokenizer)
    right, wrong = (state.accepts(tokenizer.encode(answer)) for answer in ANSWERS[example.slug])
    assert right
    assert not wrong


@pytest.mark.parametrize("example", CONSTRAINT_EXAMPLES, ids=lambda example: example.slug)
def test_b25_no_state_that_is_reached_at_random_is_a_dead_end(example):
    tokenizer, random = load_tokenizer(), np.random.default_rng(0)
    first = Matcher(constraint(example.kind, example.text), tokenizer)
    for _ in range(20):
        state = first.copy()
        for _ in range(30):
            allowed = state.allowed()
            assert not allowed.dead_end
            mask = allowed.mask.copy()
            mask[list(tokenizer.end_ids)] = False
            going_on = np.flatnonzero(mask)
            if not len(going_on):
                break
            state.take(int(going_on[random.integers(len(going_on))]))


def test_there_is_an_example_of_each_kind():
    assert {example.kind for example in CONSTRAINT_EXAMPLES} == set(KINDS)


def test_a_prompt_is_one_turn_of_a_chat():
    for example in CONSTRAINT_EXAMPLES:
        tokens = load_tokenizer().encode(example.prompt)
        assert tokens[0] == load_tokenizer().start_id
        assert example.prompt.endswith("<|im_start|>assistant\n")


def test_a_right_answer_says_the_fact_that_is_known():
    for example in CONSTRAINT_EXAMPLES:
        if example.fact:
            assert example.fact in ANSWERS[example.slug][0]
