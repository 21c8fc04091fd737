"""Repair a broken tool call: judged by the runtime's own checks against the tool's own schema."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.agent import Tool, validate_call
from core.agent.pasted import read_call
from core.agent.validation import CHECKS
from core.errors import InputError
from core.messages import ToolCall
from core.scenarios.tools import WEATHER
from core.teaching.exercises.base import ChoiceField, Code, Kind, Made, Mistake, Step, Table, TextField
from core.teaching.exercises.loop_chance import between, pick
from core.teaching.exercises.loop_faulty_scripts import WRONG_NAMES
from core.teaching.exercises.loop_stories import DAYS
from core.teaching.exercises.loop_transcript import schema_text, signatures
from core.teaching.tool_bench import BENCH
from core.trace import Validation

REASON = "reason"
"""An argument that may say anything."""

EMAILS = ("asha@example.com", "ben@example.com", "mia@example.com", "tom@example.com")
TOOLS = ("find_room", "get_forecast", "get_enrollment")


@dataclass(frozen=True)
class Request:
    """What a user wants, and the call that does it."""

    text: str
    tool: Tool
    arguments: Mapping[str, Any]


def repair_call(rng: np.random.Generator) -> Made:
    """Name the check that a call fails, and repair the call."""
    request = _request(rng, pick(rng, TOOLS))
    right = _written(request.tool.name, request.arguments)
    broken = _broken(rng, request)
    failed = verdict(read_call(broken, "").call)
    stage = failed.stage or "json"
    return Made(
        task=f"The user says: “{request.text}” The model answers with this call. Which check does it fail "
        "first? Repair it.",
        given=(
            signatures([BENCH[name].tool.schema for name in TOOLS]),
            Code(schema_text(request.tool.schema), "one of them, with its schema"),
        ),
        fields=(
            ChoiceField("check", "It fails", tuple(CHECKS.values())),
            TextField("call", "The call", broken),
        ),
        answers={"check": CHECKS[stage], "call": right},
        hint="In this order: can the text be parsed, is there such a tool, do the arguments fit?",
        mistakes=tuple(
            Mistake(_sentence(stage, other), {"check": name})
            for other, name in CHECKS.items()
            if other != stage
        ),
        checks={"call": _checked(request)},
        steps=(
            Step("The runtime's checks, up to the one that fails:", _ladder(failed)),
            Step("The call as it should be:", Code(right)),
        ),
    )


def verdict(call: ToolCall) -> Validation:
    """What the runtime says of a call."""
    return validate_call(call, [BENCH[name].tool for name in TOOLS])


def _checked(request: Request) -> Callable[[str], str]:
    def check(text: str) -> str:
        try:
            call = read_call(text, "").call
        except InputError as error:
            return str(error)
        found = verdict(call)
        if found.stage == "tool" and not call.name:
            return 'The name is missing: a call is {"name": …, "arguments": {…}}.'
        if found.stage is not None:
            return f"It fails the check “{CHECKS[found.stage]}”: {found.message}."
        if call.name != request.tool.name:
            return f"Well-formed, but {call.name} does not do what the user asked for."
        given = found.arguments or {}
        if REASON in given and not str(given[REASON]).strip():
            return "The reason is empty: its field wants one sentence."
        wrong = [key for key, value in request.arguments.items() if given.get(key) != value and key != REASON]
        if wrong:
            value = json.dumps(given.get(wrong[0]), ensure_ascii=False)
            return f"Well-formed, but not what the user asked for: {wrong[0]} is {value}."
        return ""

    return check


def _request(rng: np.random.Generator, tool: str) -> Request:
    if tool == "find_room":
        day, seats = pick(rng, DAYS), between(rng, 2, 30)
        text, arguments = f"Find a room for {seats} on {day.title()}.", {"seats": seats, "day": day}
    elif tool == "get_forecast":
        city, unit = pick(rng, sorted(WEATHER)), pick(rng, ("celsius", "fahrenheit"))
        text = f"How warm will it be in {city} tomorrow, in degrees {unit.title()}?"
        arguments = {"city": city, "unit": unit}
    else:
        email = pick(rng, EMAILS)
        text = f"I am {email}. How far am I with my course?"
        arguments = {"email": email, REASON: "The student asks for it."}
    return Request(text, BENCH[tool].tool, arguments)


def _written(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def _broken(rng: np.random.Generator, request: Request) -> str:
    """The call with one fault; each of the three checks is failed equally often."""
    name, arguments = request.tool.name, dict(request.arguments)
    right = _written(name, arguments)
    key = pick(rng, sorted(request.tool.schema.parameters["required"]))
    match pick(rng, tuple(CHECKS)):
        case "json":
            bare = right.replace(f'"{key}"', key)
            return pick(rng, (right.replace('"', "'"), right[:-1], right[:-2], f"{right[:-2]},}}}}", bare))
        case "tool":
            return _written(WRONG_NAMES.get(name, "lookup_student"), arguments)
    fewer = {other: value for other, value in arguments.items() if other != key}
    faults = [fewer, {**arguments, "language": "en"}]
    if "day" in arguments:
        faults += [
            {**arguments, "day": arguments["day"].title()},
            {**arguments, "seats": str(arguments["seats"])},
        ]
    if "unit" in arguments:
        faults += [
            {**arguments, "unit": arguments["unit"].title()},
            {**arguments, "unit": arguments["unit"][0]},
        ]
    return _written(name, pick(rng, faults))


def _ladder(found: Validation) -> Table:
    rows = []
    for stage, name in CHECKS.items():
        if stage == found.stage:
            rows.append((name, found.message))
            break
        rows.append((name, "passed"))
    return Table(("check", "verdict"), tuple(rows))


def _sentence(right: str, chosen: str) -> str:
    """What to say where another check was named."""
    if right == "json":
        return "The text cannot even be parsed, so nothing is known of tool and arguments."
    if chosen == "json":
        return "It is valid JSON: every quote and bracket is closed, and names stand in double quotes."
    if right == "tool":
        return "There is no tool of this name, so there is no schema to compare with."
    return "There is a tool of this name; look at its arguments."


REPAIR = (Kind("repair-call", "Repair a broken call", "B", 3, repair_call),)
