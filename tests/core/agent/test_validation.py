"""The verdict on a tool call, and the sentence that goes back to the model."""

import json

import pytest

from core.agent import Tool, validate_call
from core.errors import InputError
from core.messages import ToolCall, ToolSchema

WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string"}},
    "required": ["city"],
}
NULLABLE = {"type": "object", "properties": {"unit": {"type": ["string", "null"]}}}
UNIT = {"type": "object", "properties": {"unit": {"enum": ["celsius", "fahrenheit"]}}}
PERSON = {
    "type": "object",
    "properties": {"p": {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "null"}]}},
    "required": ["p"],
    "$defs": {
        "P": {
            "type": "object",
            "properties": {
                "age": {"type": "integer"},
                "child": {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "null"}]},
            },
            "required": ["age"],
            "additionalProperties": False,
        }
    },
}
ADD = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}


def verdict(arguments, parameters, name="f", called="f"):
    call = ToolCall(id="c1", name=called, arguments=arguments)
    return validate_call(call, [ToolSchema(name=name, parameters=parameters)])


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c", "name": "now", "arguments": ""},
        {"id": "c", "name": "now", "arguments": "  "},
        {"id": "c", "name": "now", "arguments": None},
        {"id": "c", "name": "now", "arguments": "{}"},
        {"id": "c", "name": "now"},
    ],
)
def test_empty_arguments_mean_no_arguments(call):
    validation = validate_call(call, [ToolSchema(name="now")])

    assert (validation.ok, validation.arguments) == (True, {})


@pytest.mark.parametrize("arguments", ["", "  ", "{}"])
def test_empty_arguments_do_not_excuse_a_missing_one(arguments):
    validation = verdict(arguments, WEATHER)

    assert (validation.stage, "$.city is missing" in validation.message) == ("schema", True)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ("{'city': 'Oslo', 'metric': True}", "column 2"),
        ('{"a": 1,}', "column "),  # Python 3.13 names the comma, older versions the brace
        ('{"a": None}', "column 7"),
        ("{a: 1}", "column 2"),
        ('{"a": 1} // done', "column 10"),
        ('{"p": "a', "column 7"),
        ('{"a": 1, "a": 2}', "column 10"),
        ('{"a": NaN}', "column 7"),
        ('{"a": Infinity}', "column 7"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(arguments, place):
    validation = verdict(arguments, {"type": "object"})

    assert (validation.ok, validation.stage) == (False, "json")
    assert "invalid JSON" in validation.message
    assert place in validation.message


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [
        ('{"q": "what\'s on, then?"}', {"q": "what's on, then?"}),
        ('{"q": "a,}"}', {"q": "a,}"}),
        ('{"ok": true, "x": null}', {"ok": True, "x": None}),
    ],
)
def test_json_is_passed_on_unchanged(arguments, parsed):
    assert verdict(arguments, {"type": "object"}).arguments == parsed


@pytest.mark.parametrize(
    "called", ["functions.search", "multi_tool_use.parallel", "Search", "search ", "", "final_answer"]
)
def test_an_unknown_tool_is_refused_with_the_names_that_exist(called):
    call = ToolCall(id="c1", name=called, arguments="{}")

    validation = validate_call(call, [ToolSchema(name="search"), ToolSchema(name="calculator")])

    assert (validation.ok, validation.stage) == (False, "tool")
    assert validation.message == f"unknown tool '{called}', available: calculator, search"


def test_without_tools_none_is_available():
    assert validate_call(ToolCall(id="c", name="f", arguments=""), []).message == (
        "unknown tool 'f', available: none"
    )


def test_json_is_checked_before_the_tool():
    assert verdict("{", {}, called="g").stage == "json"


@pytest.mark.parametrize(
    ("arguments", "parameters", "path"),
    [
        ('{"city":"Oslo","unit":null}', WEATHER, "$.unit is null"),
        ('{"city":null}', WEATHER, "$.city is null"),
        ('{"city":"Oslo"}', WEATHER, None),
        ('{"unit":null}', NULLABLE, None),
    ],
)
def test_a_null_is_a_null_and_not_an_absent_argument(arguments, parameters, path):
    validation = verdict(arguments, parameters)

    assert validation.ok is (path is None)
    assert (path or "") in validation.message


@pytest.mark.parametrize("given", ["Celsius", "celsius "])
def test_a_value_outside_an_enum_is_told_with_the_allowed_ones(given):
    validation = verdict(f'{{"unit":"{given}"}}', UNIT)

    assert validation.message == (
        f'invalid arguments for f: $.unit is "{given}", but must be one of "celsius", "fahrenheit"'
    )


@pytest.mark.parametrize(
    ("value", "enum", "ok"),
    [("1.0", [1], True), ("true", [1], False), ("1", [True], False), ('"celsius"', ["celsius"], True)],
)
def test_an_enum_compares_as_json_does(value, enum, ok):
    assert verdict(f'{{"x": {value}}}', {"type": "object", "properties": {"x": {"enum": enum}}}).ok is ok


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('{"p":null}', None),
        ('{"p":{"age":4,"child":{"age":1}}}', None),
        ('{"p":{"age":"x"}}', '$.p.age is "x", but must be of type integer'),
        ('{"p":{"age":4,"child":{"age":"x"}}}', '$.p.child.age is "x", but must be of type integer'),
        ("{}", "$.p is missing"),
    ],
)
def test_a_fault_inside_a_nested_schema_is_told_with_its_whole_path(arguments, message):
    validation = verdict(arguments, PERSON)

    assert validation.ok is (message is None)
    assert validation.message == ("" if message is None else f"invalid arguments for f: {message}")


@pytest.mark.parametrize(
    ("value", "ok"), [("3.0", True), ("3", True), ("3.5", False), ("true", False), ('"3"', False)]
)
def test_an_integer_is_a_number_without_a_fraction(value, ok):
    assert verdict(f'{{"a": {value}, "b": 1}}', ADD).ok is ok


def test_an_invented_argument_is_refused_with_the_known_ones():
    assert verdict('{"a":1,"b":2,"c":3}', ADD).message == (
        "invalid arguments for f: $.c is not a known property, those are: a, b"
    )


def test_a_missing_argument_is_named():
    assert verdict('{"a":1}', ADD).message == "invalid arguments for f: $.b is missing"


def test_all_faults_are_told_at_once():
    message = verdict('{"a":"1","c":3}', ADD).message

    assert all(path in message for path in ("$.a", "$.b", "$.c"))


def test_a_flood_of_faults_is_cut():
    many = {"type": "object", "additionalProperties": {"type": "string"}}

    message = verdict("{" + ", ".join(f'"k{n}": {n}' for n in range(9)) + "}", many).message

    assert message.count("must be of type string") == 5
    assert message.endswith("; and 4 more")


@pytest.mark.parametrize("arguments", ["[]", '"x"', "null", "3"])
def test_arguments_are_an_object_whatever_the_schema_says(arguments):
    assert verdict(arguments, {}).stage == "schema"


def test_deep_arguments_in_a_recursive_schema_are_checked_to_the_end():
    deep = '{"age": "x"}'
    for _ in range(60):
        deep = f'{{"age": 1, "child": {deep}}}'

    assert ".child.age" in verdict(f'{{"p": {deep}}}', PERSON).message


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ({"type": "text"}, "{}"),
        ({"properties": {"a": {"$ref": "#/$defs/nothing"}}}, '{"a": 1}'),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}, '{"a": 1}'),
        ({"properties": {"a": {"pattern": "("}}}, '{"a": "x"}'),
    ],
)
def test_a_schema_that_cannot_be_used_is_the_fault_of_the_tool(parameters, arguments):
    with pytest.raises(InputError, match="'f'"):
        verdict(arguments, parameters)


def test_tools_are_checked_against_the_schema_that_is_advertised():
    def shout(text: str) -> str:
        return text.upper()

    assert validate_call(
        ToolCall(id="c", name="shout", arguments='{"text": 1}'), [Tool.from_function(shout)]
    ).message == ("invalid arguments for shout: $.text is 1, but must be of type string")


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [
        ('```json\n{"cmd": "use ```bash``` here"}\n```', {"cmd": "use ```bash``` here"}),
        ('  ```\n{"a": 1}\n  ```\n', {"a": 1}),
    ],
)
def test_a_code_fence_around_the_arguments_is_taken_off_and_told(arguments, parsed):
    validation = verdict(arguments, {"type": "object"})

    assert (validation.arguments, validation.repaired) == (parsed, "A code fence was taken off.")


def test_back_ticks_inside_a_string_are_no_fence():
    validation = verdict('{"t": "```x```"}', {"type": "object"})

    assert (validation.arguments, validation.repaired) == ({"t": "```x```"}, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("```json\n```", "nothing inside the code fence"),
        ("Plan:\n```\nnot json\n```", "Expecting value at line 1"),
        ('```json\n{"a": "b', "Expecting value at line 1"),
    ],
)
def test_a_fence_without_json_is_invalid_json(arguments, message):
    validation = verdict(arguments, {"type": "object"})

    assert (validation.stage, message in validation.message) == ("json", True)


LENIENT = [
    ("{'city': 'Oslo', 'metric': True}", {"city": "Oslo", "metric": True}),
    ('{"a": 1,}', {"a": 1}),
    ('{"a": None}', {"a": None}),
    ("```python\n{'a': [1, -2.5]}\n```", {"a": [1, -2.5]}),
]


@pytest.mark.parametrize(("arguments", "parsed"), LENIENT)
def test_a_python_literal_is_read_where_the_switch_is_on_and_told(arguments, parsed):
    call = ToolCall(id="c", name="f", arguments=arguments)

    validation = validate_call(call, [ToolSchema(name="f")], repair=True)

    assert validation.arguments == parsed
    assert validation.repaired.endswith("A Python literal was read in place of JSON.")


@pytest.mark.parametrize(("arguments", "parsed"), LENIENT)
def test_nothing_is_read_leniently_where_the_switch_is_off(arguments, parsed):  # noqa: ARG001
    assert verdict(arguments, {"type": "object"}).stage == "json"


@pytest.mark.parametrize(
    "arguments", ['{"q": "what\'s on, then?"}', '{"q": "a,}"}', '{"ok": true, "x": null}']
)
def test_what_is_json_is_never_repaired(arguments):
    call = ToolCall(id="c", name="f", arguments=arguments)

    validation = validate_call(call, [ToolSchema(name="f")], repair=True)

    assert (validation.arguments, validation.repaired) == (json.loads(arguments), "")


@pytest.mark.parametrize(
    "arguments",
    [
        '{"paths": ["a.txt", "b.txt"',
        "{'p': 'a",
        "{a: 1}",
        '{"a": 1} // done',
        "{'a': 1, 'a': 2}",
        "{1: 2}",
        "{'a': (1, 2)}",
        "{'a': 1e999}",
        "{'a': open('x')}",
        "-" * 9_000 + "1",
        "[" * 9_000,
        "{'a': '" + "x" * 20_000 + "'}",
    ],
)
def test_what_is_no_whole_literal_with_a_value_of_json_stays_invalid(arguments):
    call = ToolCall(id="c", name="f", arguments=arguments)

    assert validate_call(call, [ToolSchema(name="f")], repair=True).stage == "json"


@pytest.mark.parametrize(
    ("call", "tools"),
    [
        (None, []),
        ("f()", []),
        ({"function": 3}, []),
        ({"name": None}, []),
        (ToolCall(id="c", name="f", arguments=""), None),
        (ToolCall(id="c", name="f", arguments=""), "f"),
        (ToolCall(id="c", name="f", arguments=""), {"name": "f"}),
        (ToolCall(id="c", name="f", arguments=""), [None]),
        (ToolCall(id="c", name="f", arguments=""), [{}]),
    ],
)
def test_what_is_no_call_or_no_tools_is_refused_in_a_sentence(call, tools):
    with pytest.raises(InputError):
        validate_call(call, tools)


def test_a_pattern_that_is_no_regular_expression_is_the_tools_fault_in_a_sentence() -> None:
    parameters = {"type": "object", "properties": {"code": {"type": "string", "pattern": "("}}}
    tool = {"name": "look_up", "parameters": parameters}
    with pytest.raises(InputError, match="'look_up' are not a JSON Schema: '\\(' is not a 'regex'"):
        validate_call({"id": "1", "function": {"name": "look_up", "arguments": '{"code": "a"}'}}, [tool])
