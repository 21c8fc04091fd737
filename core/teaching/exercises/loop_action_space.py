"""The augmented action space: what of a run lies in A, in L, in Â = A ∪ L, and what in none of them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.messages import ToolResultMessage, UserMessage
from core.teaching.exercises.base import Kind, Made, Mistake, SetField, Step, Table
from core.teaching.exercises.loop_chance import some
from core.teaching.exercises.loop_scripts import script
from core.teaching.exercises.loop_transcript import call_text
from core.trace import StepKind, Trace

SHOWN = 7
"""Elements of a run that are asked about, at most."""

Space = Literal["A", "L", "observation", "prefix"]
WHY: dict[Space, str] = {
    "A": "in A: it acts on the environment",
    "L": "in L: it only appends text and returns nothing",
    "observation": "in neither: an observation comes from outside",
    "prefix": "in neither: it is the prefix c0, which the runtime sends",
}


@dataclass(frozen=True)
class Element:
    """Something in the context of a run, and the space that it belongs to."""

    text: str
    space: Space


def elements(trace: Trace) -> list[Element]:
    """What a run has put into its context before the answer, by the kinds of its steps."""
    found = [Element(f"system prompt: {trace.system}", "prefix")]
    for step in trace.steps:
        if step.kind is StepKind.THOUGHT:
            found.append(Element(f"text beside a call: {step.text}", "L"))
        elif step.kind is StepKind.TOOL_CALL and step.tool_call is not None:
            found.append(Element(f"tool call: {call_text(step.tool_call)}", "A"))
        elif isinstance(step.appended, UserMessage):
            found.append(Element(f"user: {step.text}", "observation"))
        elif isinstance(step.appended, ToolResultMessage):
            found.append(Element(f"tool result: {step.text}", "observation"))
    return found


def action_space(rng: np.random.Generator) -> Made:
    """Sort the elements of a run into A, L and Â."""
    found: list[Element] = []
    while not any(element.space == "L" for element in found):
        found = elements(script(rng).ran.trace)
    found = [found[place] for place in _selected(rng, found)]
    numbers = tuple(str(number) for number in range(1, len(found) + 1))

    def of(*spaces: Space) -> frozenset[str]:
        return frozenset(
            number for number, element in zip(numbers, found, strict=True) if element.space in spaces
        )

    users = frozenset(n for n, element in zip(numbers, found, strict=True) if element.text.startswith("user"))
    acts, language = of("A"), of("L")
    both = acts | language
    results = of("observation") - users
    outside = users | results
    others = [
        name
        for name, some_of in (
            ("the user", users),
            ("the results", results),
            ("the system prompt", of("prefix")),
        )
        if some_of
    ]
    return Made(
        task="These are elements of one run. Which belong to A, which to L, which to Â?",
        given=(Table(("no.", "element"), tuple((n, e.text) for n, e in zip(numbers, found, strict=True))),),
        fields=(
            SetField("A", "A, the external actions", numbers),
            SetField("L", "L, language", numbers),
            SetField("both", "Â, the augmented space", numbers),
        ),
        answers={"A": acts, "L": language, "both": both},
        hint="The spaces hold what the agent emits: who wrote the element, and does anything come back?",
        mistakes=(
            Mistake("Exchanged: A acts on the environment, L only writes text.", {"A": language, "L": acts}),
            Mistake(
                "A result is an observation. The environment returns it, so it lies in neither space.",
                {"A": acts | results, "L": language | results, "both": both | results},
            ),
            Mistake(
                "What the user says is the first observation, o1: it is language, but not the agent's.",
                {"L": language | users, "both": both | users},
            ),
            *(
                [
                    Mistake(
                        "User and results are observations: they reach the agent, and it did not emit them.",
                        {
                            "A": acts | results | users,
                            "L": language | results | users,
                            "both": both | results | users,
                        },
                    )
                ]
                if users
                else []
            ),
            Mistake(
                "The system prompt is the prefix c0: the runtime sends it, the agent does not emit it.",
                {"L": language | of("prefix"), "both": both | of("prefix")},
            ),
            Mistake(
                f"All of that is text, but L holds the agent's own; {_and(others)} did not come from it.",
                {"L": language | outside | of("prefix")},
            ),
            Mistake("A thought does not act on the environment: it lies in L.", {"A": both}),
            Mistake("A call acts on the environment: it lies in A.", {"L": both}),
            Mistake("Â = A ∪ L: the thoughts belong to it as well.", {"both": acts}),
            Mistake("Â = A ∪ L: the calls belong to it as well.", {"both": language}),
        ),
        steps=(
            Step("Who wrote it, and does anything come back?", _reasons(numbers, found)),
            Step(f"Â = A ∪ L = {{{', '.join(n for n in numbers if n in both)}}}."),
        ),
    )


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _reasons(numbers: tuple[str, ...], found: list[Element]) -> Table:
    return Table(("no.", "lies"), tuple((n, WHY[e.space]) for n, e in zip(numbers, found, strict=True)))


def _selected(rng: np.random.Generator, found: list[Element]) -> list[int]:
    """The places of what is shown, in the order of the run; a call, a thought and a result among them."""
    while True:
        places = sorted(some(rng, range(len(found)), SHOWN))
        shown = [found[place] for place in places]
        results = any(element.text.startswith("tool result") for element in shown)
        if results and {"A", "L"} <= {element.space for element in shown}:
            return places


ACTION_SPACE = (
    Kind("action-space", "A, L and Â", "B", 2, action_space, r"\hat{\mathcal A}=\mathcal A\cup\mathcal L"),
)
