"""What a program may try that a sandbox has to stop, each really tried."""

import json
from dataclasses import dataclass

from core.agent.code_tool import RUN_PYTHON
from core.agent.execution import Executor
from core.messages import ToolCall


@dataclass(frozen=True)
class Attempt:
    """A program that wants what it must not have."""

    wants: str
    code: str


@dataclass(frozen=True)
class Tried:
    """An attempt and the result of its call. `stopped`: whether that is an error."""

    attempt: Attempt
    result: str
    stopped: bool


ATTEMPTS = (
    Attempt("a file", "open('/etc/passwd').read()"),
    Attempt("the network", "import socket"),
    Attempt("the environment", "import os\nos.environ"),
    Attempt("another program", "import subprocess"),
    Attempt("all of the memory", "hoard = [0] * 10**9"),
    Attempt("all of the time", "while True: pass"),
)


def try_all() -> tuple[Tried, ...]:
    """Run every attempt as a call of the code tool. The one that wants all of the time takes two seconds."""
    return tuple(map(_try, ATTEMPTS))


def _try(attempt: Attempt) -> Tried:
    call = ToolCall(id="call_1", name=RUN_PYTHON.name, arguments=json.dumps({"code": attempt.code}))
    *_, last = Executor((RUN_PYTHON,)).steps((call,), 1)
    return Tried(attempt, last.text, stopped=last.text.startswith("ERROR: "))
