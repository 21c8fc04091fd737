"""What a person pastes: how it is read, and the sentence where it cannot be."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.sampling import SamplerSettings, distribution
from core.sampling.pasted import read_pasted

FINITE = st.floats(allow_nan=False, allow_infinity=False)
NAME = st.from_regex(r"[a-zA-Zäß·][a-zA-Zäß·_'()-]{0,8}", fullmatch=True).filter(
    lambda name: name.lower().lstrip("+-") not in {"nan", "inf", "infinity"} and name == name.strip("\"'")
)


@settings(deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=50), st.sampled_from([", ", ";", "; ", "\n", " ", "\t", "\r\n"]))
def test_numbers_come_back_whatever_separates_them(values, separator) -> None:
    assert read_pasted(separator.join(map(repr, values)), "logits").values == tuple(values)


@settings(deadline=None)
@given(st.lists(st.tuples(NAME, FINITE), min_size=1, max_size=20), st.sampled_from([": ", ":", " ", " : "]))
def test_names_come_back_whatever_follows_them(pairs, between) -> None:
    pasted = read_pasted("\n".join(f"{name}{between}{value!r}" for name, value in pairs), "logits")
    assert list(zip(pasted.names, pasted.values, strict=True)) == pairs


@settings(deadline=None)
@given(st.lists(FINITE, min_size=2, max_size=20))
def test_decimal_commas_come_back_where_semicolons_separate(values) -> None:
    text = "; ".join(repr(value).replace(".", ",") for value in values)
    assert read_pasted(text, "logits").values == tuple(values)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_sentence(text) -> None:
    with contextlib.suppress(InputError):
        assert read_pasted(text, "logits").values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.5,0.3,0.2", (0.5, 0.3, 0.2)),
        ("[0.5, 0.3, 0.2]", (0.5, 0.3, 0.2)),
        ("1,2,3", (1, 2, 3)),
        ("1, 2", (1, 2)),
        ("2.5\n\n-1 , 3;\n", (2.5, -1, 3)),
        ("1e-05,1e-06", (1e-05, 1e-06)),
        (".5 −2 +3", (0.5, -2, 3)),
        ("0,5; 0,3; 0,2", (0.5, 0.3, 0.2)),
        ("0,5;1", (0.5, 1)),
        ("2.0, -inf", (2, -math.inf)),
    ],
)
def test_ways_to_write_numbers(text, values) -> None:
    assert read_pasted(text, "logits").values == values


@pytest.mark.parametrize(
    ("text", "names", "values"),
    [
        ("Paris: 0.7; London: 0.3", ("Paris", "London"), (0.7, 0.3)),
        ("Paris 0.7 New York 0.3", ("Paris", "New York"), (0.7, 0.3)),
        ("Paris: 0,7\nNew York: 0,3", ("Paris", "New York"), (0.7, 0.3)),
        ('{"Paris": 0.7, "London": 0.3}', ("Paris", "London"), (0.7, 0.3)),
        ("a:0.7,b:0.3", ("a", "b"), (0.7, 0.3)),
        ("gpt 4: 0.7\nnan: 0.3", ("gpt 4", "nan"), (0.7, 0.3)),
        ("the 0.7\nthe 0.3", ("the", "the"), (0.7, 0.3)),
        ("0.7 0.3", ("1", "2"), (0.7, 0.3)),
    ],
)
def test_ways_to_write_names(text, names, values) -> None:
    pasted = read_pasted(text, "probabilities")
    assert (pasted.names, pasted.values) == (names, values)


def test_percentages_are_hundredths() -> None:
    assert read_pasted("Paris 62 %, London 38%", "probabilities").values == (0.62, 0.38)


@pytest.mark.parametrize("text", ["0,5 0,3 0,2", "0,5\n0,5", "0,5", "0,5, 0,3", "1,2,3 4,5"])
def test_a_comma_with_two_readings_is_refused(text) -> None:
    with pytest.raises(InputError, match="can be a decimal comma or stand between two numbers"):
        read_pasted(text, "probabilities")


def test_probabilities_that_sum_to_one_have_no_problem() -> None:
    assert read_pasted("0.1 0.2 0.3 0.4", "probabilities").problem is None


def test_another_sum_is_said() -> None:
    pasted = read_pasted("0.5, 0.3, 0.1", "probabilities")
    assert pasted.total == pytest.approx(0.9)
    assert pasted.problem == "These probabilities sum to 0.9, not to 1. Divided by that sum, they would."


def test_normalising_divides_by_the_sum() -> None:
    fixed = read_pasted("a 5, b 3, c 2", "probabilities").normalised()
    assert (fixed.names, fixed.values, fixed.problem) == (("a", "b", "c"), (0.5, 0.3, 0.2), None)


@settings(deadline=None)
@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=50))
def test_normalised_probabilities_have_no_problem(values) -> None:
    assert read_pasted(" ".join(map(repr, values)), "probabilities").normalised().problem is None


def test_logits_have_no_sum() -> None:
    pasted = read_pasted("3 2 1", "logits")
    assert (pasted.total, pasted.problem, pasted.normalised()) == (None, None, pasted)


def test_the_distribution_of_pasted_probabilities_is_them() -> None:
    logits = read_pasted("0.5 0.5 0", "probabilities").logits()
    assert distribution(logits, SamplerSettings()).probs == pytest.approx([0.5, 0.5, 0])


def test_the_distribution_of_pasted_logits_is_their_softmax() -> None:
    logits = read_pasted("2 1", "logits").logits()
    assert distribution(logits, SamplerSettings()).probs[0] == pytest.approx(1 / (1 + np.exp(-1)))


def test_unsolved_probabilities_give_no_logits() -> None:
    with pytest.raises(InputError, match=r"sum to 0.9, not to 1"):
        read_pasted("0.5 0.4", "probabilities").logits()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no number yet"),
        (" ;\n, ", "no number yet"),
        ("0.5 -0.1", "-0.1 is negative"),
        ("0.5 nan", "not a number"),
        ("0.5 inf", "inf is too large"),
        ("0.5 1e999", "1e999 is too large"),
        ("0 0", "sum to 0"),
        ("1e308 1e308", "sum to inf"),
        ("0.5 x", "x is not a number, and no number follows"),
        ("0.5 0.3 Paris: 0.2", "0.5 has no name while others do"),
        ("0.1 " * 1001, "1,001 numbers; at most 1,000"),
        ("x" * 50_001, "at most 50,000 characters"),
    ],
)
def test_what_no_probabilities_are_is_refused(text, sentence) -> None:
    with pytest.raises(InputError, match=sentence):
        read_pasted(text, "probabilities")


def test_a_single_number_is_counted_as_one() -> None:
    assert read_pasted("A: 1", "probabilities").counted == "1 probability as you gave it"
    assert read_pasted("2 1", "logits").counted == "2 logits as you gave them"


def test_a_percentage_is_no_logit() -> None:
    with pytest.raises(InputError, match="40% is a percentage"):
        read_pasted("40% 60%", "logits")


def test_logits_that_forbid_everything_are_refused() -> None:
    with pytest.raises(InputError, match="no token is left"):
        read_pasted("-inf -inf", "logits")


def test_a_logit_that_only_rounds_to_minus_infinity_is_refused() -> None:
    with pytest.raises(InputError, match="-1e400 is too far below 0"):
        read_pasted("0, -1e400", "logits")


def test_a_refusal_does_not_repeat_a_huge_paste() -> None:
    with pytest.raises(InputError) as refusal:
        read_pasted("x" * 50_000, "logits")
    assert len(str(refusal.value)) < 120


@pytest.mark.timeout(5)
@pytest.mark.parametrize("unit", ["9", " ", ":", "a:", "1,", "e", "%", "0,5 "])
def test_a_long_paste_takes_no_longer_than_its_length(unit) -> None:
    with contextlib.suppress(InputError):
        read_pasted("1" + unit * (49_000 // len(unit)) + "x", "logits")
