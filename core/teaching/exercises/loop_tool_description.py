"""A tool description to improve: three versions of one tool, judged by the rules of its interface."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.agent.interface import check_interface
from core.messages import ToolSchema
from core.teaching.exercises.base import ChoiceField, Code, Kind, Made, Mistake, Step
from core.teaching.exercises.loop_chance import between, pick, some
from core.teaching.exercises.loop_transcript import schema_text

NOTHING = "nothing: a model need not guess"
VERSIONS = ("A", "B", "C")
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Subject:
    """A tool with one field from a list and one number."""

    name: str
    does: str
    listed: str
    values: tuple[str, ...]
    number: str
    unit: str


SUBJECTS = (
    Subject(
        "book_tutor", "Book a tutor of the school", "subject", ("maths", "physics", "law"), "hours", "hours"
    ),
    Subject(
        "order_meal",
        "Order a meal in the canteen",
        "dish",
        ("soup", "pasta", "salad"),
        "portions",
        "portions",
    ),
    Subject("set_heating", "Set the heating of a room", "room", ("lab", "library", "hall"), "degrees", "°C"),
    Subject(
        "reserve_desk",
        "Reserve desks in the library",
        "floor",
        ("ground", "first", "second"),
        "desks",
        "desks",
    ),
    Subject("print_poster", "Print a poster", "paper", ("A2", "A1", "A0"), "copies", "copies"),
)


@dataclass(frozen=True)
class Fault:
    """A way to make a schema worse: what it is called, what is said where it is not so, and where to look.

    `found` is how the finding of `check_interface` begins that it leads to.
    """

    label: str
    denial: str
    look: str
    found: str
    spoil: Callable[[ToolSchema, Subject], ToolSchema]


def _changed(schema: ToolSchema, change: Callable[[Parameters], None]) -> ToolSchema:
    parameters = deepcopy(schema.parameters)
    change(parameters)
    return schema.model_copy(update={"parameters": parameters})


def _without(name: str, *keywords: str) -> Callable[[Parameters], None]:
    def change(parameters: Parameters) -> None:
        for keyword in keywords:
            del parameters["properties"][name][keyword]

    return change


def _reason_last(parameters: Parameters) -> None:
    parameters["properties"]["reason"] = parameters["properties"].pop("reason")


def _open(parameters: Parameters) -> None:
    del parameters["additionalProperties"]


FAULTS = (
    Fault(
        "the description says too little",
        "The description says what it does, when to use it, and where it ends.",
        "What does its description say of when to use it, and when not?",
        "It does not say when",
        lambda schema, subject: schema.model_copy(update={"description": f"{subject.does}."}),
    ),
    Fault(
        "a field is not described",
        "Every field has a description.",
        "Read the fields one by one: which says nothing of itself?",
        "Not described",
        lambda schema, subject: _changed(schema, _without(subject.number, "description")),
    ),
    Fault(
        "any text passes, though there is a list",
        "Its texts are from a list, and a reason is meant to be free.",
        "Which texts may stand in its fields?",
        "Any text will do",
        lambda schema, subject: _changed(schema, _without(subject.listed, "enum")),
    ),
    Fault(
        "a number has no bounds",
        "Its number has a smallest and a largest value.",
        "Which numbers would it take?",
        "Any number will do",
        lambda schema, subject: _changed(schema, _without(subject.number, "minimum", "maximum")),
    ),
    Fault(
        "invented fields pass",
        "additionalProperties is false, so an invented field is refused.",
        "What happens to a field that the model made up?",
        "Invented fields pass",
        lambda schema, subject: _changed(schema, _open),  # noqa: ARG005
    ),
    Fault(
        "the reason comes last",
        "The reason comes first, before anything is decided.",
        "In which order does a model write the fields?",
        "reason comes after",
        lambda schema, subject: _changed(schema, _reason_last),  # noqa: ARG005
    ),
)
LABELS = tuple(fault.label for fault in FAULTS)


def tool_description(rng: np.random.Generator) -> Made:
    """Say of each of three versions of a tool what makes a model guess; of one of them nothing does."""
    subject = pick(rng, SUBJECTS)
    good = _good(subject, between(rng, 3, 9))
    spoiled = [fault.spoil(good, subject) for fault in some(rng, FAULTS, 2)]
    versions = dict(zip(VERSIONS, some(rng, [good, *spoiled], 3), strict=True))
    found = {name: found_in(schema) for name, schema in versions.items()}
    answers = {name: fault.label if fault else NOTHING for name, fault in found.items()}
    best = next(name for name, fault in found.items() if fault is None)
    return Made(
        task="Three versions of one tool, as the model sees them. What is wrong with each? One is all right.",
        given=tuple(Code(schema_text(schema), name) for name, schema in versions.items()),
        fields=tuple(ChoiceField(name, name, (*LABELS, NOTHING)) for name in VERSIONS),
        answers=answers,
        hint="Compare them line by line. Where would you have to guess, if you could not ask back?",
        mistakes=(
            *(
                Mistake(fault.denial, {name: fault.label})
                for name in VERSIONS
                for fault in FAULTS
                if fault.label != answers[name]
            ),
            *(Mistake(fault.look, {name: NOTHING}) for name, fault in found.items() if fault),
        ),
        steps=(
            *(Step(f"{name}: {' '.join(_bad(versions[name]))}") for name, fault in found.items() if fault),
            Step(f"{best}: no rule finds anything to guess."),
        ),
    )


def found_in(schema: ToolSchema) -> Fault | None:
    """What core's own rules find wrong with a schema."""
    texts = _bad(schema)
    return next((fault for fault in FAULTS if any(text.startswith(fault.found) for text in texts)), None)


def _bad(schema: ToolSchema) -> list[str]:
    """What makes a model guess, in the words of the rules."""
    return [
        finding.text for rule in check_interface(schema) for finding in rule.findings if finding.tone == "bad"
    ]


def _good(subject: Subject, most: int) -> ToolSchema:
    listed = {
        "type": "string",
        "enum": list(subject.values),
        "description": f"Which {subject.listed}.",
    }
    number = {
        "type": "integer",
        "minimum": 1,
        "maximum": most,
        "description": f"How many {subject.unit}, such as 2.",
    }
    if subject.unit == "°C":
        number = {**number, "minimum": 15, "maximum": 15 + most, "description": "In °C, such as 18."}
    high = number["maximum"]
    return ToolSchema(
        name=subject.name,
        description=f"{subject.does}. Use it when {subject.listed} and {subject.number} are known. "
        f"At most {high} {subject.unit}.",
        parameters={
            "type": "object",
            "properties": {
                "reason": {"type": "string", "description": "Why this call is needed now."},
                subject.listed: listed,
                subject.number: number,
            },
            "required": ["reason", subject.listed, subject.number],
            "additionalProperties": False,
        },
    )


TOOL_DESCRIPTION = (Kind("tool-description", "A tool description to improve", "B", 3, tool_description),)
