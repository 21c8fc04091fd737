"""The check that fails, found with `json` and the types of the values; the text field as students use it."""

import json
import re

import pytest

from core.teaching.exercises import check, make

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")
FITS = {
    "find_room": {
        "seats": lambda value: type(value) is int and 1 <= value <= 30,
        "day": lambda value: value in DAYS,
    },
    "get_forecast": {
        "city": lambda value: isinstance(value, str),
        "unit": lambda value: value in ("celsius", "fahrenheit"),
    },
    "get_enrollment": {
        "email": lambda value: isinstance(value, str),
        "reason": lambda value: isinstance(value, str),
    },
}
OPTIONAL = {"unit"}


def failing(text):
    try:
        call = json.loads(text)
    except ValueError:
        return "valid JSON"
    fields = FITS.get(call["name"])
    if fields is None:
        return "tool exists"
    arguments = call["arguments"]
    whole = set(fields) - OPTIONAL <= set(arguments) <= set(fields)
    if not whole or not all(fields[name](value) for name, value in arguments.items()):
        return "conforms to its schema"
    return None


def wanted(task):
    """The call that the user's words ask for."""
    if found := re.search(r"room for (\d+) on (\w+)", task):
        return {"name": "find_room", "arguments": {"seats": int(found[1]), "day": found[2].lower()}}
    if found := re.search(r"in (\w+) tomorrow, in degrees (\w+)", task):
        return {"name": "get_forecast", "arguments": {"city": found[1], "unit": found[2].lower()}}
    email = re.search(r"I am (\S+)\.", task)[1]
    return {"name": "get_enrollment", "arguments": {"email": email, "reason": "x"}}


def test_a_thousand_seeds_agree_with_json_and_the_types():
    for seed in range(1000):
        made = make("repair-call", seed).made

        assert made.answers["check"] == failing(made.fields[1].start), (seed, made.fields[1].start)
        assert made.checks["call"](json.dumps(wanted(made.task))) == ""
        assert made.checks["call"](made.fields[1].start)


def test_the_call_of_the_worked_solution_is_right():
    for seed in range(50):
        made = make("repair-call", seed).made

        assert made.checks["call"](made.answers["call"]) == "", seed


def test_each_check_fails_about_as_often():
    failed = [make("repair-call", seed).made.answers["check"] for seed in range(300)]

    assert all(failed.count(name) > 60 for name in ("valid JSON", "tool exists", "conforms to its schema"))


def seed_of(tool, stage="valid JSON"):
    return next(
        seed
        for seed in range(1000)
        if wanted(make("repair-call", seed).made.task)["name"] == tool
        and make("repair-call", seed).made.answers["check"] == stage
    )


def said(seed, text):
    return check("repair-call", seed, {"call": text})[1]


def test_a_sound_call_of_something_else_is_told_what_differs():
    seed = seed_of("find_room")
    call = wanted(make("repair-call", seed).made.task)
    call["arguments"]["day"] = "friday"

    assert said(seed, json.dumps(call)).text == (
        'Well-formed, but not what the user asked for: day is "friday".'
    )


def test_a_sound_call_of_another_tool_is_told_so():
    other = {"name": "get_forecast", "arguments": {"city": "Oslo"}}

    assert "get_forecast does not do" in said(seed_of("find_room"), json.dumps(other)).text


def test_an_empty_reason_is_told():
    seed = seed_of("get_enrollment")
    call = wanted(make("repair-call", seed).made.task)
    call["arguments"]["reason"] = " "

    assert "The reason is empty" in said(seed, json.dumps(call)).text


def test_arguments_alone_are_told_that_the_name_is_missing():
    assert "The name is missing" in said(seed_of("find_room"), '{"seats": 5, "day": "monday"}').text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"name": "find_room", "arguments": {"seats": 5', "“valid JSON”"),
        ('{"name": "find_rooms", "arguments": {"seats": 5, "day": "monday"}}', "unknown tool 'find_rooms'"),
        ('{"name": "find_room", "arguments": {"seats": "5", "day": "monday"}}', '$.seats is "5"'),
        ('{"name": "find_room", "arguments": {"day": "monday"}}', "$.seats is missing"),
        ("[]", "The name is missing"),
    ],
)
def test_what_is_still_wrong_is_said_by_the_runtime_itself(text, named):
    verdict = said(seed_of("find_room"), text)

    assert verdict.state == "wrong"
    assert named in verdict.text


@pytest.mark.parametrize(
    ("stage", "chosen", "named"),
    [
        ("valid JSON", "conforms to its schema", "cannot even be parsed"),
        ("tool exists", "conforms to its schema", "no schema to compare with"),
        ("conforms to its schema", "valid JSON", "It is valid JSON"),
        ("conforms to its schema", "tool exists", "look at its arguments"),
    ],
)
def test_another_check_is_told_why_not(stage, chosen, named):
    verdict = check("repair-call", seed_of("find_room", stage), {"check": chosen})[0]

    assert verdict.state == "wrong"
    assert named in verdict.text
