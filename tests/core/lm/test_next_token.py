"""What servers report, as one value."""

import math

import pytest

from core.errors import InputError
from core.lm.next_token import BadReply, ReportedToken, next_token, read_entries, read_logprob, sendable


def entry(text: str, prob: float) -> tuple[ReportedToken, float]:
    return ReportedToken(text), math.log(prob)


def test_tokens_come_by_falling_log_probability() -> None:
    told = next_token([entry("b", 0.2), entry("a", 0.7)], 9, "S 1", "m")
    assert [token.text for token in told.tokens] == ["a", "b"]
    assert told.logprobs.tolist() == [math.log(0.7), math.log(0.2)]


def test_tokens_that_look_alike_are_not_merged() -> None:
    told = next_token([entry("\ufffd", 0.3), entry("\ufffd", 0.2)], 9, "S 1", "m")
    assert len(told.tokens) == 2


def test_the_source_line_names_server_model_and_what_it_tells() -> None:
    told = next_token([entry("a", 0.7), entry("b", 0.2)], 9, "Ollama 0.30.2", "qwen2.5:7b")
    assert told.source_line == "Ollama 0.30.2 · qwen2.5:7b · 2 log-probabilities at T = 1"


def test_a_whole_vocabulary_is_called_all() -> None:
    told = next_token([entry("a", 0.7), entry("b", 0.3)], 2, "S 1", "m")
    assert (told.badge, told.source_line) == ("exact", "S 1 · m · all 2 log-probabilities at T = 1")


def test_an_entry_has_text_bytes_and_id() -> None:
    [(token, logprob)] = read_entries([{"token": " a", "logprob": -1, "bytes": [32, 97], "id": 7}])
    assert (token, logprob) == (ReportedToken(" a", b" a", 7), -1.0)


def test_bytes_tell_what_the_text_cannot() -> None:
    [(token, _)] = read_entries([{"token": "\ufffd", "logprob": -1, "bytes": [0xE6]}])
    assert token.shown == "⟨E6⟩"


def test_bytes_made_from_a_broken_text_are_none() -> None:
    [(token, _)] = read_entries([{"token": "\ufffd", "logprob": -1, "bytes": [0xEF, 0xBF, 0xBD]}])
    assert token.raw is None


def test_spaces_are_shown() -> None:
    assert ReportedToken(" a\n").shown == "·a↵"


def test_half_a_surrogate_pair_is_shown() -> None:
    assert ReportedToken("\ud83d").shown == "⟨ED A0 BD⟩"


@pytest.mark.parametrize("value", [-9999.0, -3.4028234663852886e38])
def test_what_stands_for_minus_infinity_is_that(value) -> None:
    assert read_logprob(value) == -math.inf


@pytest.mark.parametrize("value", [None, True, "-1", math.nan])
def test_a_log_probability_that_is_no_number_is_a_bad_reply(value) -> None:
    with pytest.raises(BadReply):
        read_logprob(value)


@pytest.mark.parametrize(
    "reported",
    [
        None,
        {"a": -1},
        ["a"],
        [{"token": "a"}],
        [{"token": 1, "logprob": -1}],
        [{"token": "a", "logprob": -1, "bytes": 10**12}],
        [{"token": "a", "logprob": -1, "bytes": [256]}],
    ],
)
def test_entries_of_another_form_are_a_bad_reply(reported) -> None:
    with pytest.raises(BadReply):
        read_entries(reported)


def test_a_prompt_that_is_no_text_is_not_sendable() -> None:
    with pytest.raises(InputError, match="Character 3 of the prompt is half of a surrogate pair"):
        sendable("ab\ud83d")
