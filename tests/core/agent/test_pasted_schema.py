"""A tool's schema from text fields: what is read, and what is refused."""

import time

import pytest

from core.agent.pasted_schema import parameters_text, read_schema
from core.agent.tools import Tool
from core.agent.validation import schema_problems
from core.errors import InputError

CITY = '{"type": "object", "properties": {"city": {"type": "string"}}}'


def test_a_schema_keeps_the_order_of_its_properties():
    schema = read_schema("f", "d", '{"type": "object", "properties": {"z": {}, "a": {}}}')
    assert list(schema.parameters["properties"]) == ["z", "a"]


def test_parameters_written_out_are_read_back_as_they_were():
    def f(city: str, days: int = 3) -> str:
        """d"""
        return city * days

    schema = Tool.from_function(f).schema
    assert read_schema("f", "d", parameters_text(schema)) == schema


@pytest.mark.parametrize("name", ["", "get weather", "a" * 65, "wéther", "a\n"])
def test_an_impossible_name_is_refused_with_a_name_that_is_possible(name):
    with pytest.raises(InputError, match="get_weather"):
        read_schema(name, "", CITY)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ('{"type": ', "line 1"),
        ("", "not JSON"),
        ("[]", "must describe an object"),
        ('{"type": "string"}', "must describe an object"),
        ('{"type": "object", "properties": 3}', "not a JSON Schema"),
        ('{"type": "object", "required": "city"}', "not a JSON Schema"),
        ('{"type": "object", "properties": {"a": {"$ref": "#"}}}', "in its place"),
        ('{"type": "object", "properties": {"a": {"pattern": "(a+)+$"}}}', "very long"),
        ('{"type": "object", "properties": {"a": {"pattern": "(a|a){30}b"}}}', "very long"),
        ('{"type": "object", "unevaluatedProperties": false}', "additionalProperties"),
        ('{"type": "object", "properties": {"a": {"pattern": "("}}}', "no regular expression"),
        ('{"type": "object", "patternProperties": {"[": {}}}', "no regular expression"),
        ('{"type": "object", "patternProperties": {"(a*)*b": {}}}', "very long"),
        ('{"type": "object", "x": "' + "y" * 8_000 + '"}', "longer than"),
    ],
)
def test_parameters_that_are_none_are_refused_in_one_sentence(parameters, says):
    with pytest.raises(InputError, match=says):
        read_schema("f", "", parameters)


def test_a_description_that_is_too_long_is_refused():
    with pytest.raises(InputError, match="longer than 2,000"):
        read_schema("f", "x" * 2_001, CITY)


@pytest.mark.parametrize("pattern", ["^/", r"^\\d{4}-\\d{2}-\\d{2}$", "^[a-z]+$", "^(a|b)$"])
def test_patterns_that_are_quick_are_allowed(pattern):
    read_schema("f", "", f'{{"type": "object", "properties": {{"a": {{"pattern": "{pattern}"}}}}}}')


def test_the_slowest_pattern_that_is_allowed_ends_soon():
    schema = read_schema("f", "", '{"type": "object", "properties": {"a": {"pattern": "a*b"}}}')
    start = time.thread_time()
    schema_problems({"a": "a" * 7_000}, schema)
    assert time.thread_time() - start < 5
