"""Which tokens a grammar allows, against the definition, tried on small sets with Python's `re`."""

import itertools
import json
import re

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from core.decoding.constrained_grammar import constraint
from core.decoding.constrained_matcher import Matcher, TooIntricate
from core.errors import InputError
from core.lm import load_tokenizer
from tests.core.decoding.masks_toy import ToyVocabulary


def matcher(kind: str, text: str, vocabulary, *before: int) -> Matcher:
    state = Matcher(constraint(kind, text), vocabulary)
    for token_id in before:
        state.take(token_id)
    return state


# The cases


def test_b20_the_end_is_allowed_exactly_where_the_text_is_a_full_match():
    words = ToyVocabulary(["0", "1", "7", "42", "123", "a", "<eos>"])
    for before, right in [
        ([], ["0", "1", "7", "42"]),
        (["1"], ["0", "1", "7", "<eos>"]),
        (["42"], ["<eos>"]),
    ]:
        state = matcher("regex", "[0-9][0-9]?", words, *words.ids(*before))
        assert words.texts(state.allowed().mask) == right
    assert words.texts(matcher("regex", "[01]*", words).allowed().mask) == ["0", "1", "<eos>"]


def test_b20_the_end_is_a_token_not_the_text_of_its_name():
    words = ToyVocabulary(["<", "eos", ">", "<eos>"])
    state = matcher("regex", "<eos>", words)
    assert words.texts(state.allowed().mask) == ["<"]


def test_b23_a_token_is_allowed_if_the_text_with_it_begins_a_match():
    words = ToyVocabulary(
        ["y", "ye", "yes", "yep", "es", "n", "no", "nope", " yes", "Yes", "<eos>"],
    )
    assert words.texts(matcher("regex", "(yes|no)", words).allowed().mask) == ["y", "ye", "yes", "n", "no"]
    full = matcher("regex", "(yes|no)", words, *words.ids("yes")).allowed()
    assert (words.texts(full.mask), full.may_end, full.forced) == (["<eos>"], True, True)


def test_b23_a_dead_end_is_reported_and_the_end_is_not_offered():
    words = ToyVocabulary(["y", "ye", "yes", "yep", "es", "n", "no", "<eos>"])
    after = matcher("regex", "(yes|no)", words, *words.ids("ye")).allowed()
    assert (after.dead_end, after.count, after.may_end) == (True, 0, False)
    assert words.texts(matcher("regex", "(yes|no)", words, *words.ids("y")).allowed().mask) == ["es"]


def test_b23_tokens_that_cross_a_boundary_of_the_grammar_are_allowed():
    words = ToyVocabulary(['{"n', '{"', '":', ":", '":1', "1}", "}", "12}x", "<eos>"])
    state = matcher("regex", r"\{\"n\":[0-9]+\}", words, *words.ids('{"n'))
    assert words.texts(state.allowed().mask) == ['":', '":1']


PAIR = {"type": "object", "properties": {"end": {"type": "integer"}, "start": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ('{"end":5,"start":1}', True),
        ('{"start":1,"end":5}', False),  # valid, and not of the order that is remarked
        ("{}", True),
        ('{"start":1}', True),
        ('{"start":1,"start":2}', False),
        ('{"strat":1}', True),
        ('{"end":5', False),
    ],
)
def test_b25_the_grammar_takes_the_stated_part_of_what_the_schema_takes(text, allowed):
    tokenizer = load_tokenizer()
    state = matcher("json schema", json.dumps(PAIR), tokenizer)
    assert state.accepts(tokenizer.encode(text)) is allowed
    if allowed:
        assert Draft202012Validator(PAIR).is_valid(json.loads(text))


# Against the definition


@pytest.mark.parametrize(
    "expression", ["(ab|ba)*", "a{2,3}b?", "(a|aa)(b|bb)", "[ab]*aab", "c?(ab)*c", "((a|b)c){1,2}"]
)
def test_masks_are_the_definition_tried_on_all_short_texts(expression):
    """A token may come if some full match begins so: up to 6 letters here, and 3 more complete a match."""
    words = ToyVocabulary(["a", "b", "c", "ab", "ba", "bb", "abc", "<eos>"])
    letters = (map("".join, itertools.product("abc", repeat=n)) for n in range(10))
    matches = [text for text in itertools.chain(*letters) if re.fullmatch(expression, text)]
    for length in range(2):
        for path in itertools.product(range(7), repeat=length):
            text = words.decode(path)
            if not any(match.startswith(text) for match in matches):
                continue
            right = [
                any(match.startswith(text + words.decode([token])) for match in matches) for token in range(7)
            ]
            allowed = matcher("regex", expression, words, *path).allowed()
            assert allowed.mask.tolist() == [*right, text in matches]
            assert allowed.count == sum(right) + (text in matches)


def test_where_characters_are_certain_all_their_tokens_are_allowed():
    """Also those into which the tokenizer would not cut the text."""
    words = ToyVocabulary(["a", "ab", "abc", "b", "bc", "c", "<eos>"])
    assert words.texts(matcher("regex", "abc", words).allowed().mask) == ["a", "ab", "abc"]


def test_a_context_free_grammar_counts_brackets():
    words = ToyVocabulary(["(", ")", "((", "))", ")))", "x", "<eos>"])
    state = matcher("grammar", 'start: "(" start ")" | "x"', words, *words.ids("((", "(", "x"))
    assert words.texts(state.allowed().mask) == [")", "))", ")))"]


def test_choices_may_begin_alike_and_one_may_be_the_beginning_of_another():
    words = ToyVocabulary(["in", "put", "side", "x", "<eos>"])
    state = matcher("choice", "in\ninput\ninside", words, 0)
    assert words.texts(state.allowed().mask) == ["put", "side", "<eos>"]


def test_one_token_left_is_forced_and_so_is_the_end_alone():
    words = ToyVocabulary(["a", "b", "c", "<eos>"])
    assert [matcher("regex", "a[bc]", words, *before).allowed().forced for before in ([], [0], [0, 1])] == [
        True,
        False,
        True,
    ]


# The vocabulary of the embedded model


def test_both_end_tokens_are_allowed_where_the_text_may_end_and_count_as_one_choice():
    state = matcher("regex", "a", load_tokenizer(), *load_tokenizer().encode("a"))
    assert np.flatnonzero(state.allowed().mask).tolist() == sorted(load_tokenizer().end_ids)
    assert state.allowed().forced


def test_control_tokens_are_never_allowed_as_text():
    tokenizer = load_tokenizer()
    mask = matcher("regex", "(?s:.*)", tokenizer).allowed().mask
    special = [id_ for id_ in range(tokenizer.vocab_size) if tokenizer.is_special(id_)]
    assert [id_ for id_ in special if mask[id_]] == sorted(tokenizer.end_ids)


def test_a_mask_of_a_string_allows_what_json_allows_in_one():
    tokenizer = load_tokenizer()
    state = matcher("json schema", '{"type": "string"}', tokenizer, *tokenizer.encode('"'))
    mask = state.allowed().mask
    for id_ in range(0, tokenizer.vocab_size, 97):
        token = tokenizer.token_bytes(id_)
        if tokenizer.is_special(id_) or b"\\" in token or b'"' in token:
            continue
        try:
            token.decode()
        except UnicodeDecodeError:
            continue  # a part of a character
        assert mask[id_] == (not re.search(rb"[\x00-\x1f\x7f]", token)), token


@pytest.mark.parametrize(
    ("kind", "text"), [("regex", r"[^\s\S]"), ("regex", "\x04"), ("json schema", '{"$ref": "#"}')]
)
def test_a_constraint_that_nothing_fits_is_refused_before_the_first_token(kind, text):
    with pytest.raises(InputError, match="No text fits"):
        Matcher(constraint(kind, text), load_tokenizer())


def test_a_character_without_a_token_is_a_dead_end_of_this_vocabulary():
    state = matcher("regex", "a\x04|b", load_tokenizer(), *load_tokenizer().encode("a"))
    assert state.allowed().dead_end


def test_a_token_that_is_not_allowed_is_refused():
    words = ToyVocabulary(["a", "b", "<eos>"])
    for token_id in (1, 2, 7):
        with pytest.raises(InputError):
            matcher("regex", "a", words).take(token_id)


def test_a_vocabulary_without_an_end_token_is_refused():
    words = ToyVocabulary(["a", "b"])
    words.end_ids = frozenset()
    with pytest.raises(InputError, match="no end token"):
        matcher("regex", "a", words)


def test_a_copy_goes_its_own_way():
    words = ToyVocabulary(["a", "b", "<eos>"])
    state = matcher("regex", "(a|b)b", words)
    twin = state.copy()
    twin.take(0)
    assert words.texts(state.allowed().mask) == ["a", "b"]
    assert words.texts(twin.allowed().mask) == ["b"]


# Where the library gives up

INTRICATE = "(a{1,1000}){1,1000}"


def test_where_the_library_gives_up_it_says_so_and_is_no_dead_end():
    tokenizer = load_tokenizer()
    state, token = Matcher(constraint("regex", INTRICATE), tokenizer), tokenizer.encode("aaaa")[0]

    def go_on() -> None:
        for _ in range(1000):  # aaaa again and again fits the expression up to a million letters
            state.allowed()
            state.take(token)

    with pytest.raises(TooIntricate, match="gives up"):
        go_on()
    assert Matcher(constraint("regex", INTRICATE), tokenizer).allowed().count > 0  # for who begins anew


def test_a_refused_token_leaves_the_state_as_it_was():
    words = ToyVocabulary(["a", "b", "<eos>"])
    state = matcher("regex", "a", words)
    with pytest.raises(InputError):
        state.take(1)
    state.take(0)
    assert words.texts(state.allowed().mask) == ["<eos>"]
