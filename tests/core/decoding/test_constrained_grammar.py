"""What can be asked for, and what is refused, in sentences."""

import json

import pytest

from core.decoding.constrained_grammar import KINDS, constraint
from core.errors import InputError


def refusal(kind, text) -> str:
    with pytest.raises(InputError) as refused:
        constraint(kind, text)
    sentence = str(refused.value)
    assert sentence[-1] == "."
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(a", "unclosed group"),
        ("(?=a)b", "look-around"),
        (r"a\b", "word boundaries"),
        (r"(a)\1", "backreferences"),
        ("[z-a]", "invalid character class range"),
        ("*", "repetition operator missing expression"),
        ("", "There is no expression yet"),
    ],
)
def test_a_regular_expression_that_cannot_be_used_says_why(text, why):
    assert why in refusal("regex", text)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"not": {"type": "string"}}, 'does not support "not"'),
        ({"type": "array", "uniqueItems": True}, 'does not support "uniqueItems"'),
        ({"if": {}, "then": {}}, "does not support"),
        ({"type": "string", "format": "colour"}, "Unknown format: colour"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 'use "anyOf"'),
        ({"$ref": "http://example.org/x"}, "example.org"),
        ({"$ref": "#/$defs/x"}, "does not exist"),
        ({"type": "string", "pattern": "(?=a)"}, "look-around"),
        ({"x-guidance": {"spaces": 1}}, "unknown field `spaces`"),
        ({"type": "integer", "multipleOf": 1_000_003}, "more than 100,000 remainders"),
        ({"allOf": [{"type": "number", "multipleOf": n} for n in (0.001, 7, 101)]}, "more than 100,000"),
        ({"type": "text"}, "no JSON schema, at type: 'text'"),
        ([1], "no JSON schema, at its root"),
        (3, "no JSON schema"),
    ],
)
def test_a_schema_that_cannot_be_enforced_says_what_is_not_supported(schema, why):
    assert why in refusal("json schema", json.dumps(schema))


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"enum": []},
        {"type": "integer", "minimum": 5, "maximum": 3},
        {"type": "object", "properties": {"a": False}, "required": ["a"]},
    ],
)
def test_a_schema_that_no_value_fits_is_refused(schema):
    assert "No JSON value fits this schema" in refusal("json schema", json.dumps(schema))


def test_a_schema_that_is_not_json_says_where():
    assert "line 2, column 1" in refusal("json schema", '{"type":\n}')


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("start: foo", 'line 1, column 8: unknown name: "foo"'),
        ('start: "a"\nb: (', "line 2"),
        ('word: "a"', 'needs a rule named "start"'),
        ("", 'needs a rule named "start"'),
        ('start: %json {"not": {}}', "not"),
        ('start: %json {"multipleOf": 1e9}', "remainders"),
    ],
)
def test_a_grammar_that_cannot_be_read_says_where(text, why):
    assert why in refusal("grammar", text)


def test_choices_are_lines_and_there_must_be_one():
    assert constraint("choice", "yes\n\nno\r\nyes\n").choices == ("yes", "no")
    assert "one choice in each line" in refusal("choice", " \n\n")


@pytest.mark.parametrize("kind", [*KINDS, "xml", None])
@pytest.mark.parametrize("text", [None, 5, b"a", "\ud800"])
def test_what_is_no_text_is_refused(kind, text):
    refusal(kind, text)


def test_an_unknown_kind_is_answered_with_those_that_exist():
    assert "json schema, regex, choice, grammar" in refusal("xml", "a")


# What is written next to a constraint


def remarks(schema) -> str:
    return " ".join(constraint("json schema", json.dumps(schema)).remarks)


def test_b25_the_order_of_keys_and_other_keys_are_remarked():
    found = remarks({"type": "object", "properties": {"end": {"type": "integer"}, "start": {}}})
    assert "in the order of the schema" in found
    assert "Other keys than those named are allowed" in found


def test_a_closed_object_with_one_key_needs_neither_remark():
    found = remarks({"type": "object", "properties": {"a": {}}, "additionalProperties": False})
    assert "order" not in found
    assert "Other keys" not in found


def test_b22_bounded_white_space_is_remarked_unless_the_schema_sets_its_own():
    assert "At most two spaces" in remarks({"type": "integer"})
    assert remarks({"type": "integer", "x-guidance": {"whitespace_flexible": True}}) == ""


def test_enforced_formats_are_remarked_wherever_they_stand():
    assert '"format" is enforced' in remarks({"type": "array", "items": {"type": "string", "format": "date"}})


def test_numbers_of_money_are_multiples_that_can_be_held():
    assert constraint("json schema", '{"type": "number", "multipleOf": 0.01, "maximum": 1e6}')


def test_keywords_among_data_are_no_reason_to_fail():
    assert constraint("json schema", '{"const": {"properties": 5, "format": 1}}').kind == "json schema"
