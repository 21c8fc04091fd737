"""The five rules of the interface, each on a schema that keeps it and on one that does not."""

from typing import Any

import pytest

from core.agent.interface import InterfaceFinding, check_interface
from core.messages import ToolSchema

CITY = {"city": {"type": "string", "description": "A city."}}


def schema(properties: dict[str, Any], description: str = "", **rest: object) -> ToolSchema:
    parameters = {"type": "object", "properties": properties, **rest}
    return ToolSchema(name="f", description=description, parameters=parameters)


def found(rule: int, checked: ToolSchema, right: dict[str, Any] | None = None) -> list[InterfaceFinding]:
    return list(check_interface(checked, right)[rule - 1].findings)


def tones(rule: int, checked: ToolSchema) -> set[str]:
    return {finding.tone for finding in found(rule, checked)}


def test_there_are_five_rules_and_every_finding_says_how_it_was_found():
    rules = check_interface(schema(CITY))
    assert len(rules) == 5
    assert all(finding.how for rule in rules for finding in rule.findings)


@pytest.mark.parametrize(
    ("order", "tone"), [(["reason", "city"], "good"), (["city", "reason"], "bad"), (["city"], "open")]
)
def test_a_reason_gives_room_to_think_only_where_it_comes_first(order, tone):
    fields = {"reason": {"type": "string"}, **CITY}
    assert tones(1, schema({name: fields[name] for name in order})) == {tone}


def test_a_reason_to_choose_from_a_list_is_no_room_to_think():
    assert tones(1, schema({"reason": {"type": "string", "enum": ["a", "b"]}})) == {"open"}


def test_a_program_in_a_json_text_is_found_with_the_characters_that_escaping_adds():
    code = schema({"code": {"type": "string"}})
    (finding,) = found(2, code, {"code": 'print("a")\n'})  # two quotes and a line break
    assert finding.tone == "bad"
    assert "3 characters" in finding.text


def test_what_has_to_be_counted_is_found():
    assert tones(2, schema({"line_count": {"type": "integer"}})) == {"bad"}


def test_levels_of_brackets_are_counted():
    inner = {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "array"}}}}
    (finding,) = found(2, schema({"orders": inner}))
    assert "orders nests 3 levels" in finding.text


def test_flat_fields_of_plain_values_are_a_natural_format():
    assert tones(2, schema({**CITY, "days": {"type": "integer"}})) == {"good"}


def test_a_description_for_a_colleague_passes_in_every_point():
    told = "Search the help pages. Use it for rules, not for prices, such as 'refund days'."
    assert tones(3, schema(CITY, told)) == {"good"}


def test_a_description_that_is_missing_says_so_and_names_the_fields_without_one():
    texts = [finding.text for finding in found(3, schema({"city": {"type": "string"}, "day": {}}))]
    assert "There is none." in texts
    assert "Not described: city, day." in texts


def test_free_text_is_an_argument_that_is_easy_to_get_wrong():
    assert "city" in found(4, schema(CITY))[0].text


@pytest.mark.parametrize("shape", [{"enum": ["a"]}, {"const": "a"}, {"pattern": "^/"}, {"format": "date"}])
def test_a_text_with_a_form_is_not_free(shape):
    closed = schema({"path": {"type": "string", **shape}}, additionalProperties=False)
    assert tones(4, closed) == {"good"}


def test_a_number_without_bounds_is_found():
    assert found(4, schema({"n": {"type": "integer"}}))[1].text == "Any number will do for n."
    assert found(4, schema({"n": {"type": "integer", "minimum": 1}}))[1].tone == "good"


def test_fields_that_a_model_invents_pass_an_open_schema():
    assert "Invented fields pass" in found(4, schema({}))[-1].text


def test_wrong_calls_are_made_of_a_right_one_and_tried():
    # By hand: of a required text in a closed schema the check refuses all but the empty text and the odd one.
    closed = schema(CITY, required=["city"], additionalProperties=False)
    trials = {trial.fault: trial.refused for trial in check_interface(closed, {"city": "Oslo"})[4].trials}
    assert trials == {
        "city left out": True,
        "city null": True,
        "city a number": True,
        "city empty": False,
        "city a question mark": False,
        "a field too many": True,
    }


def test_nothing_is_tried_where_no_right_call_is_known():
    assert check_interface(schema(CITY, required=["city"]), {"town": "Oslo"})[4].trials == ()
    assert check_interface(schema(CITY))[4].findings[0].tone == "open"


@pytest.mark.parametrize(
    "properties", [{}, {"a": True}, {"a": {"type": ["string", "null"]}}, {"a": {"anyOf": [{}]}}]
)
def test_unusual_schemas_are_checked_as_well(properties):
    assert len(check_interface(schema(properties))) == 5
