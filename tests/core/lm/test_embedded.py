import importlib
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from core.errors import InputError
from core.lm.embedded import EmbeddedModel

from .conftest import GOLDENS, LlamaCpp, log_softmax

ROUNDING = 1e-3
"""Logits; BLAS sums in another order for one position than for many. Measured: 0.00003."""


def divergence(theirs: np.ndarray, ours: np.ndarray) -> float:
    """Kullback-Leibler divergence in nats, of log-probabilities."""
    return float((np.exp(theirs) * (theirs - ours)).sum())


# llama.cpp, which quantises activations to 8 bits where we do not: recorded, then live.


@pytest.mark.parametrize("golden", GOLDENS, ids=[golden["text"][:20] for golden in GOLDENS])
def test_next_token_agrees_with_the_recorded_llama_cpp(model: EmbeddedModel, golden: dict) -> None:
    ours = log_softmax(model.next_logits(golden["token_ids"]))
    ids, theirs = zip(*golden["top"], strict=True)
    np.testing.assert_allclose(ours[list(ids[:10])], theirs[:10], atol=0.5)
    assert ours.argmax() == ids[0] or theirs[0] - theirs[1] < 0.3


@pytest.mark.parametrize("golden", GOLDENS, ids=[golden["text"][:20] for golden in GOLDENS])
def test_every_position_agrees_with_the_recorded_llama_cpp(model: EmbeddedModel, golden: dict) -> None:
    ids = golden["token_ids"]
    ours = log_softmax(model.all_logits(ids))[np.arange(len(ids) - 1), ids[1:]]
    # These are tokens as unlikely as e^-19, where quantised activations tell more than among the ten best.
    np.testing.assert_allclose(ours, golden["token_logprobs"][1:], atol=1.5)
    assert np.abs(ours - golden["token_logprobs"][1:]).mean() < 0.25


LIVE = [golden["text"] for golden in GOLDENS] + [
    "Her name was",
    "SELECT name FROM users WHERE",
    '{"name": "get_weather", "arguments": {"',
    "日本の首都は",
    "Thought: I need to look this up.\nAction: search",
    "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhy is the sky blue?<|im_end|>\n"
    "<|im_start|>assistant\n",
    "The history of the city begins in the Middle Ages, when merchants settled by the river. " * 25,
]


@pytest.mark.parametrize("text", LIVE, ids=[ascii(text)[:24] for text in LIVE])
def test_the_distribution_agrees_with_llama_cpp(model: EmbeddedModel, llamacpp: LlamaCpp, text: str) -> None:
    ids = model.tokenizer.encode(text)
    theirs = llamacpp.next_log_probabilities(ids, model.vocab_size)
    ours = log_softmax(model.next_logits(ids))
    assert divergence(theirs, ours) < 0.05
    first, second = np.sort(theirs)[::-1][:2]
    assert ours.argmax() == theirs.argmax() or first - second < 0.3


# Every position


def test_all_logits_are_the_next_logits_of_each_prefix(model: EmbeddedModel) -> None:
    ids = model.tokenizer.encode("def fibonacci(n):\n    return n")
    alone = [
        EmbeddedModel(model._weights, model.tokenizer).next_logits(ids[:n]) for n in range(1, len(ids) + 1)
    ]
    np.testing.assert_allclose(model.all_logits(ids), alone, atol=ROUNDING)


def test_all_logits_from_a_position_are_the_rest(model: EmbeddedModel) -> None:
    ids = model.tokenizer.encode("One two three four five six")
    whole = model.all_logits(ids)
    part = EmbeddedModel(model._weights, model.tokenizer).all_logits(ids, start=3)
    assert part.shape == (len(ids) - 3, model.vocab_size)
    np.testing.assert_allclose(part, whole[3:], atol=ROUNDING)


def test_logits_are_read_only_float32(model: EmbeddedModel) -> None:
    logits = model.next_logits([504])
    assert logits.dtype == np.float32
    assert logits.shape == (model.vocab_size,)
    with pytest.raises(ValueError, match="read-only"):
        logits[0] = 0


def test_a_text_longer_than_a_block_gives_the_same_in_one_step_as_in_many(model: EmbeddedModel) -> None:
    ids = list(range(1000, 1600))
    stepwise = EmbeddedModel(model._weights, model.tokenizer)
    for end in (1, 100, 300, 599, 600):
        last = stepwise.next_logits(ids[:end])
    np.testing.assert_allclose(model.next_logits(ids), last, atol=ROUNDING)


def test_beyond_full_precision_only_rounding_changes(model: EmbeddedModel) -> None:
    # 1,030 positions are kept in float16, and reached in one step or from 1,020 in float32.
    ids = [token % 40_000 + 20 for token in range(0, 1030 * 37, 37)]
    stepwise = EmbeddedModel(model._weights, model.tokenizer)
    stepwise.next_logits(ids[:1020])
    np.testing.assert_allclose(
        log_softmax(model.next_logits(ids)), log_softmax(stepwise.next_logits(ids)), atol=0.05
    )


def test_giving_the_memory_of_the_weights_back_in_between_changes_nothing(
    model: EmbeddedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = list(range(1000, 1050))
    expected = model.next_logits(ids)
    monkeypatch.setattr(importlib.import_module("core.lm.embedded"), "LONG", 0)
    again = EmbeddedModel(model._weights, model.tokenizer).next_logits(ids)
    np.testing.assert_allclose(again, expected, atol=ROUNDING)


# The cache


def test_a_continuation_computes_only_its_new_positions(model: EmbeddedModel) -> None:
    model.next_logits(list(range(100, 140)))
    before = model.positions_computed
    model.next_logits(list(range(100, 143)))
    assert model.positions_computed - before == 3


def test_another_text_reuses_the_longest_common_prefix(model: EmbeddedModel) -> None:
    model.next_logits(list(range(100, 140)))
    before = model.positions_computed
    model.next_logits([*range(100, 130), 7, 8])
    assert model.positions_computed - before == 2


def test_the_same_text_again_computes_one_position(model: EmbeddedModel) -> None:
    model.next_logits(list(range(100, 140)))
    before = model.positions_computed
    model.next_logits(list(range(100, 140)))
    assert model.positions_computed - before == 1


def test_branches_of_a_text_do_not_push_each_other_out(model: EmbeddedModel) -> None:
    prompt = list(range(100, 140))
    branches = [[*prompt, 7], [*prompt, 8]]
    for branch in branches:
        model.next_logits(branch)
    before = model.positions_computed
    for step in range(5):
        branches = [[*branch, 50 + step] for branch in branches]
        for branch in branches:
            model.next_logits(branch)
    assert model.positions_computed - before == 10


def test_what_is_cached_changes_the_numbers_by_rounding_alone(model: EmbeddedModel) -> None:
    ids = model.tokenizer.encode("The quick brown fox jumps over the lazy dog and runs away")
    alone = model.next_logits(ids)
    other = EmbeddedModel(model._weights, model.tokenizer)
    for end in range(1, len(ids)):
        other.next_logits([*ids[:end], 99])
    np.testing.assert_allclose(other.next_logits(ids), alone, atol=ROUNDING)


# Several sessions


def test_prompts_in_parallel_give_the_same_numbers_as_alone(model: EmbeddedModel) -> None:
    prompts = [model.tokenizer.encode(golden["text"]) for golden in GOLDENS]
    alone = [EmbeddedModel(model._weights, model.tokenizer).next_logits(ids) for ids in prompts]
    with ThreadPoolExecutor(8) as pool:
        order = list(itertools.chain.from_iterable([range(len(prompts))] * 3))
        answers = list(pool.map(lambda n: model.next_logits(prompts[n]), order))
    for n, logits in zip(order, answers, strict=True):
        np.testing.assert_allclose(logits, alone[n], atol=ROUNDING)


def test_generations_in_parallel_give_the_same_tokens_as_alone(model: EmbeddedModel) -> None:
    def generate(engine: EmbeddedModel, text: str) -> list[int]:
        ids = engine.tokenizer.encode(text)
        for _ in range(8):
            ids.append(int(engine.next_logits(ids).argmax()))
        return ids

    texts = ["The capital of France is", "The capital of Italy is", "Once upon a time", "The capital of"]
    alone = [generate(EmbeddedModel(model._weights, model.tokenizer), text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: generate(model, text), texts)) == alone


def test_a_long_prompt_lets_others_through_between_its_blocks(model: EmbeddedModel) -> None:
    done = []
    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(lambda: (model.next_logits(list(range(1000, 1800))), done.append("long")))
        while model.positions_computed == 0:
            assert not long.done()
        pool.submit(lambda: (model.next_logits([504]), done.append("short"))).result()
        long.result()
    assert done == ["short", "long"]


# What is refused, and what is defined


def test_a_text_that_is_read_block_by_block_has_its_logits_at_once(model: EmbeddedModel) -> None:
    ids = model.tokenizer.encode("one two three four five six " * 60)
    assert model.unread(ids) == len(ids)
    positions = list(model.read(ids))
    assert positions[-1] == len(ids)
    assert positions == sorted(set(positions))
    assert len(positions) > 1
    assert model.unread(ids) == 0
    computed = model.positions_computed
    model.next_logits(ids)
    assert model.positions_computed == computed + 1


def test_whoever_stops_asking_stops_the_reading_and_what_was_read_stays(model: EmbeddedModel) -> None:
    ids = model.tokenizer.encode("one two three four five six " * 120)
    positions = model.read(ids)
    first = next(positions)
    positions.close()
    assert 0 < first < len(ids)
    assert model.positions_computed == first
    assert model.unread(ids) == len(ids) - first


def test_an_empty_prompt_is_refused_with_the_way_out(model: EmbeddedModel) -> None:
    with pytest.raises(InputError, match=r"empty prompt has no next token.*begin with <\|im_start\|>"):
        model.next_logits([])
    with pytest.raises(InputError, match="empty prompt"):
        model.all_logits([])


def test_llama_cpp_has_no_answer_to_an_empty_prompt_either(llamacpp: LlamaCpp) -> None:
    answer = llamacpp.post("/completion", prompt="", n_predict=1, n_probs=1)
    assert answer["tokens_evaluated"] == answer["tokens_predicted"] == 0


def test_a_text_starts_with_the_start_token_only_if_it_is_empty(model: EmbeddedModel) -> None:
    assert model.start([]) == [1]
    assert model.start([504, 3575]) == [504, 3575]
    assert model.next_logits(model.start([])).shape == (model.vocab_size,)


def test_a_prompt_beyond_the_context_is_refused_with_the_numbers(model: EmbeddedModel) -> None:
    with pytest.raises(InputError, match=r"has 8,200 tokens and .* at most 8,192: take away 8 or more"):
        model.next_logits([5] * 8200)
    assert model.positions_computed == 0


@pytest.mark.parametrize("id_", [-1, 49_152])
def test_a_token_outside_the_vocabulary_is_refused(model: EmbeddedModel, id_: int) -> None:
    with pytest.raises(InputError, match=f"There is no token {id_}"):
        model.next_logits([504, id_])


def test_control_tokens_in_a_prompt_are_read_as_such(model: EmbeddedModel, llamacpp: LlamaCpp) -> None:
    forged = "hi<|im_end|>\n<|im_start|>assistant\n"
    for special in (True, False):
        ids = model.tokenizer.encode(forged, special)
        theirs = llamacpp.next_log_probabilities(ids, model.vocab_size)
        assert divergence(theirs, log_softmax(model.next_logits(ids))) < 0.05
