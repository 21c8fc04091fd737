"""A specific tool or a code tool, and which programs the sandbox of a code tool has to stop."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.agent.code_tool import RUN_PYTHON, SECONDS
from core.errors import InputError
from core.teaching.exercises.base import ChoiceField, Code, Given, Kind, Made, Mistake, SetField, Step, Table
from core.teaching.exercises.loop_chance import between, pick, some

SPECIFIC = "a specific tool: easy to check and to restrict"
CODE = "a code tool: one action loops over many values"
FREE = "a code tool: its calls need no checks"
STRONGER = "a specific tool: it is more expressive"
OPTIONS = (SPECIFIC, CODE, FREE, STRONGER)
VARIANTS = 25
"""Sets of figures for each program: a program runs in a process of its own, so what it says is kept."""


@dataclass(frozen=True)
class Program:
    """A program. `wants` is what it must not have; empty where it only computes."""

    code: str
    wants: str = ""


FOREVER = "while True: pass"
BLOCKED = (
    Program("open('/etc/passwd').read()", "to read a file"),
    Program("open('report.txt', 'w').write('done')", "to write a file"),
    Program("import os; os.remove('thesis.docx')", "to delete a file"),
    Program("import os; os.environ['API_KEY']", "a secret of the environment"),
    Program("import socket; socket.create_connection(('example.com', 80))", "the network"),
    Program("import urllib.request; urllib.request.urlopen('http://example.com')", "the network"),
    Program("import subprocess; subprocess.run(['ls'])", "to start another program"),
    Program("import os; os.system('shutdown now')", "to start another program"),
    Program("hoard = [0] * 10**9", "all of the memory"),
    Program(FOREVER, "all of the time"),
)


@lru_cache
def said(code: str) -> str:
    """What the real sandbox says of a program."""
    if code == FOREVER:  # it would take all of its time
        return f"The program ran longer than {SECONDS:g} seconds and was stopped."
    try:
        return RUN_PYTHON.execute({"code": code}).strip()
    except InputError as error:
        return str(error)


def tool_kind(rng: np.random.Generator) -> Made:
    """Choose the kind of tool for a task, and the programs that a sandbox stops."""
    task, program = pick(rng, pick(rng, (_SPECIFIC_TASKS, _CODE_TASKS)))(rng)
    right = CODE if program else SPECIFIC
    stopped = between(rng, 2, 3)
    harmful = some(rng, BLOCKED, stopped)
    harmless = [_harmless(rng) for _ in range(5 - stopped)]
    while len({program.code for program in harmless}) < len(harmless):
        harmless = [_harmless(rng) for _ in harmless]
    programs = dict(zip(("P1", "P2", "P3", "P4", "P5"), some(rng, [*harmful, *harmless], 5), strict=True))
    blocked = frozenset(name for name, one in programs.items() if one.wants)
    return Made(
        task=f"Task: “{task}” Which kind of tool fits it? And whatever you choose: which of these programs "
        "must the sandbox of a code tool stop?",
        given=(Table(("", "program"), tuple((name, one.code) for name, one in programs.items())),),
        fields=(
            ChoiceField("kind", "The task needs", OPTIONS),
            SetField("blocked", "Must be stopped", tuple(programs)),
        ),
        answers={"kind": right, "blocked": blocked},
        hint="Does the task repeat something over many values? And what does each program reach for, beyond "
        "its own figures?",
        mistakes=(
            *(Mistake(sentence, {"kind": kind}) for kind, sentence in _not_this_kind(right).items()),
            *(
                Mistake(f"{name} wants {programs[name].wants}.", {"blocked": blocked - {name}})
                for name in sorted(blocked)
            ),
            *(
                Mistake(f"{name} {_harm(one)}", {"blocked": blocked | {name}})
                for name, one in programs.items()
                if not one.wants
            ),
            Mistake("The other way round: those only compute.", {"blocked": frozenset(programs) - blocked}),
        ),
        steps=(
            _solved(task, program),
            Step("What the real sandbox says:", _table(programs)),
        ),
    )


def _not_this_kind(right: str) -> dict[str, str]:
    if right == SPECIFIC:
        return {
            CODE: "There is nothing to loop over: one call does it, and one capability can be checked.",
            FREE: "A code tool needs more checks: its argument may be any program.",
            STRONGER: "The right kind for another reason: it does one thing, so its calls are easy to check.",
        }
    return {
        SPECIFIC: "With one value a call, a specific tool takes a call for each step of it.",
        FREE: "The right kind, but it needs a sandbox: its argument may be any program.",
        STRONGER: "The code tool is the expressive one: one action can loop and use variables.",
    }


def _harm(program: Program) -> str:
    if "/ 0" in program.code:
        return "fails by itself, and harms nobody: the error is its result."
    return "only computes, and reaches for nothing outside."


def _table(programs: dict[str, Program]) -> Table:
    rows = [(name, one.wants or "only to compute", said(one.code)) for name, one in programs.items()]
    return Table(("", "it wants", "the sandbox says"), tuple(rows))


def _solved(task: str, program: str) -> Step:
    if not program:
        return Step(f"“{task}” is one call with a few arguments. Its schema and a policy can restrict it.")
    given: Given = Code(f"{program}\n# {said(program)}", "one action of a code tool, and what it returns")
    return Step("One action does it:", given)


def _harmless(rng: np.random.Generator) -> Program:
    n = between(rng, 3, 12)
    return Program(
        pick(
            rng,
            (
                f"sum([k * k for k in range({n})])",
                f"import math; math.sqrt({n})",
                f"sorted([{n}, 7, 2 * {n}])",
                f"import json; json.dumps({{'seats': {n}}})",
                f"'ab' * {n}",
                f"{n} / 0",
                f"2 ** {n}",
            ),
        )
    )


def _above_mean(rng: np.random.Generator) -> tuple[str, str]:
    figures = _figures(rng, 12)
    program = f"sales = {figures}\nmean = sum(sales) / len(sales)\nprint(len([s for s in sales if s > mean]))"
    return f"How many of these figures lie above their mean: {', '.join(map(str, figures))}?", program


def _squares(rng: np.random.Generator) -> tuple[str, str]:
    low = 10 * between(rng, 1, VARIANTS)
    return (
        f"What is the sum of all squares from {low}² to {low + 40}²?",
        f"total = 0\nfor n in range({low}, {low + 41}):\n    total += n * n\nprint(total)",
    )


def _interest(rng: np.random.Generator) -> tuple[str, str]:
    euros = 100 * between(rng, 2, VARIANTS)
    return (
        f"{euros} euros grow by 3 % a year. After how many years are they more than {3 * euros}?",
        f"euros, years = {euros}, 0\nwhile euros <= {3 * euros}:\n"
        "    euros, years = euros * 1.03, years + 1\nprint(years)",
    )


def _figures(rng: np.random.Generator, count: int) -> list[int]:
    """Figures of one of the sets."""
    drawn = np.random.default_rng(between(rng, 1, VARIANTS))
    return [between(drawn, 10, 99) for _ in range(count)]


def _mail(rng: np.random.Generator) -> tuple[str, str]:
    return f"Send invoice {between(rng, 1000, 9999)} to asha@example.com.", ""


def _refund(rng: np.random.Generator) -> tuple[str, str]:
    return f"Pay {between(rng, 20, 90)} euros back for order {between(rng, 1000, 9999)}.", ""


def _door(rng: np.random.Generator) -> tuple[str, str]:
    return f"Unlock the door of room {between(rng, 100, 399)} for ten minutes.", ""


_Task = Callable[[np.random.Generator], tuple[str, str]]
_SPECIFIC_TASKS: tuple[_Task, ...] = (_mail, _refund, _door)
_CODE_TASKS: tuple[_Task, ...] = (_above_mean, _squares, _interest)

TOOL_KINDS = (Kind("tool-kind", "Specific or code tool", "B", 3, tool_kind),)
