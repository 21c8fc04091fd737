"""Constraints under which no text can end are told from those under which one can."""

import json

import pytest

from core.decoding.constrained_examples import CONSTRAINT_EXAMPLES
from core.decoding.constrained_grammar import constraint

NODE = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
LIST = {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "array", "items": {"$ref": "#"}, "minItems": 1}}}
PAIR = {"type": "array", "items": {"$ref": "#"}, "minItems": 2}
CHOOSING = NODE | {"properties": {"next": {"anyOf": [{"$ref": "#"}, PAIR]}}}


@pytest.mark.parametrize(
    "grammar",
    [
        'start: "a" start',
        'start: "a" start | /b+/ start',
        'start: "(" pair ")" // "(" alone\npair: "a" pair "b"',
        'start: LETTER start\nLETTER: "a".."z"\n%ignore /[ ]+/',
        'start: item{2,3}\nitem: "x" item',
    ],
)
def test_a_grammar_whose_rules_need_themselves_never_ends(grammar):
    assert "No text of this grammar ever ends" in constraint("grammar", grammar).endless


@pytest.mark.parametrize(
    "grammar",
    [
        'start: "a" start | "b"',
        'start: "a" item*\nitem: "x" item',
        'start: "a" [item]\nitem: "x" item',
        'start: sum\nsum: part ("+" part)*\npart: /[0-9]+/ | "(" sum ")"',
        'start: /a{1000}/ // "a" start',
        "start: text\ntext: LONG\nLONG: /a+/ & ~/aa/",  # cannot be told, and can end
        'start: %json {"type": "integer"}',
    ],
)
def test_a_grammar_with_a_way_out_ends(grammar):
    assert constraint("grammar", grammar).endless == ""


@pytest.mark.parametrize("schema", [NODE, LIST, CHOOSING, {"allOf": [NODE]}])
def test_a_schema_whose_parts_require_themselves_never_ends(schema):
    assert "No value of this schema is ever complete" in constraint("json schema", json.dumps(schema)).endless


@pytest.mark.parametrize(
    "schema",
    [
        NODE | {"required": []},
        NODE | {"type": ["object", "null"]},
        {"anyOf": [{"type": "null"}, NODE]},
        {"type": "array", "items": {"$ref": "#"}},
        {"type": "array", "prefixItems": [{"type": "null"}], "items": {"$ref": "#"}, "minItems": 1},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"const": {"type": "array", "minItems": "many", "required": [[]], "properties": 1, "anyOf": {}}},
        True,
    ],
)
def test_a_schema_that_is_complete_at_some_time_ends(schema):
    assert constraint("json schema", json.dumps(schema)).endless == ""


@pytest.mark.parametrize("example", CONSTRAINT_EXAMPLES, ids=lambda example: example.slug)
def test_every_bundled_constraint_can_end(example):
    assert constraint(example.kind, example.text).endless == ""
