"""The bundled run of the embedded model is what the model does."""

import math

import pytest

from core.lm import load_tokenizer
from core.lm.install import install
from core.scenarios.embedded_run import QUESTION, embedded_run
from core.scenarios.tools import GET_WEATHER
from core.trace import TokenChoice
from scripts.record_embedded_run import recorded


def tokens() -> list[TokenChoice]:
    return [token for call in embedded_run().calls for token in call.tokens or ()]


def test_it_is_a_recording_that_ends_in_an_answer() -> None:
    run = embedded_run()
    assert (run.source, run.stop_reason, run.messages[0].content) == ("recorded", "answer", QUESTION)


def test_its_observation_is_what_the_tool_returns() -> None:
    [observation] = [message for message in embedded_run().messages if message.role == "tool"]
    assert observation.content == GET_WEATHER.execute({"city": "Oslo"})


def test_each_token_has_eight_alternatives_by_falling_probability() -> None:
    for token in tokens():
        logprobs = [other.logprob or 0.0 for other in token.alternatives]
        assert len(logprobs) == 8
        assert logprobs == sorted(logprobs, reverse=True)
        assert sum(map(math.exp, logprobs)) < 1.001


def test_its_tokens_are_those_of_the_vocabulary() -> None:
    for token in tokens():
        assert load_tokenizer().token_bytes(token.token_id or 0).decode() == token.text


def test_its_counts_are_those_of_the_context_that_was_sent() -> None:
    for call in embedded_run().calls:
        assert call.segments is not None
        assert call.usage.input_tokens == sum(len(segment.token_ids or ()) for segment in call.segments)
        assert call.usage.output_tokens == len(call.tokens or ())


def test_the_model_does_it_again() -> None:
    install(lambda *_: None)
    again = recorded()
    assert again.model_copy(update={"steps": ()}) == embedded_run().model_copy(update={"steps": ()})
    assert again.messages == embedded_run().messages
    for before, now in zip(embedded_run().calls, again.calls, strict=True):
        for one, other in zip(before.tokens or (), now.tokens or (), strict=True):
            assert (one.token_id, one.logprob) == (other.token_id, pytest.approx(other.logprob, abs=0.01))
