import numpy as np
import pytest

from core.lm.embedded import EmbeddedModel
from core.lm.examples import BUNDLED, Example, load_examples
from core.lm.tokenizer import Tokenizer

from .conftest import log_softmax

EXAMPLES = {example.name: example for example in load_examples()}


def probability(example: Example, tokenizer: Tokenizer, text: str) -> float:
    (id_,) = tokenizer.encode(text)
    return float(np.exp(log_softmax(example.logits)[id_]))


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_the_logits_are_those_of_the_model(model: EmbeddedModel, example: Example) -> None:
    assert list(example.token_ids) == model.tokenizer.encode(example.text)
    # Another BLAS sums in another order.
    np.testing.assert_allclose(example.logits, model.next_logits(example.token_ids), atol=1e-3)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_they_are_whole_exact_and_read_only(example: Example) -> None:
    assert example.logits.shape == (49_152,)
    assert example.logits.dtype == np.float32
    assert not example.logits.flags.writeable


def test_the_file_is_small() -> None:
    assert BUNDLED.stat().st_size < 1_500_000


# What each note says, of these numbers.


def test_peaked_one_token_has_three_quarters(tokenizer: Tokenizer) -> None:
    assert probability(EXAMPLES["peaked"], tokenizer, " Paris") == pytest.approx(0.77, abs=0.02)


def test_flat_no_token_reaches_three_percent_and_half_the_mass_needs_a_hundred() -> None:
    probabilities = np.sort(np.exp(log_softmax(EXAMPLES["flat"].logits)))[::-1]
    assert probabilities[0] < 0.03
    assert np.searchsorted(probabilities.cumsum(), 0.5) > 100


def test_code_the_recursive_call_comes_second(tokenizer: Tokenizer) -> None:
    order = np.argsort(-EXAMPLES["code"].logits)
    assert [tokenizer.decode([id_]) for id_ in order[:2]] == [" n", " fib"]


def test_chat_the_form_leads_far_ahead_of_the_fact(tokenizer: Tokenizer) -> None:
    chat = EXAMPLES["chat"]
    assert tokenizer.decode([int(chat.logits.argmax())]) == "The"
    assert probability(chat, tokenizer, "The") > 4 * probability(chat, tokenizer, "Paris")


def test_tool_call_the_arguments_name_gets_over_ninety_percent(tokenizer: Tokenizer) -> None:
    assert probability(EXAMPLES["tool-call"], tokenizer, "city") > 0.9
