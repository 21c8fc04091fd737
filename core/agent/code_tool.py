"""The code tool: one tool whose argument is a program (CodeAct; Wang et al. 2024), run in a sandbox.

The sandbox is Monty (`pydantic-monty`), an interpreter of a part of Python without files, network,
environment or processes. It is limited in time and memory. Every call gets a worker process of its own, which
ends with the call: a crash ends nothing else, and nobody meets what another user's program left behind.
"""

import atexit
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from core.agent.tools import Tool
from core.errors import InputError

if TYPE_CHECKING:  # a call loads it: no screen needs it before
    import pydantic_monty

SECONDS = 2.0
MEGABYTES = 64
DEPTH = 200
"""Calls within calls."""
LONGEST_OUTPUT = 10_000
LONGEST_CODE = 20_000
"""Characters."""
AT_ONCE = 4
"""Sandboxes that run at the same time; the next call waits for one of them."""
WAIT = 15.0
"""Seconds that a call waits for a sandbox."""


def run_python(
    code: Annotated[str, Field(description="The program. It sees nothing of earlier calls.")],
) -> str:
    """Run a Python program and return what it prints and the value of its last line.
    Use it for calculations, loops and text. Modules such as math, json, re and datetime can be imported;
    there are no files, no network, no generators and no inheritance."""
    if len(code) > LONGEST_CODE:
        raise InputError(f"The program is longer than {LONGEST_CODE:,} characters. Write a shorter one.")
    import pydantic_monty

    printed = _Printed()
    try:
        with _pool().checkout(limits=_limits()) as sandbox:
            value = sandbox.feed_run(code, print_callback=printed)
            shown = "" if value is None else _shown(sandbox, value)
    except TimeoutError as error:
        raise InputError("All sandboxes are busy. Run the program again in a moment.") from error
    except pydantic_monty.MontyError as error:
        raise InputError(_sentence(error, printed)) from error
    return _cut(printed.text + shown) or "(The program printed nothing, and its last line has no value.)"


class _Printed:
    """What the program prints, up to a limit."""

    def __init__(self) -> None:
        self.text = ""
        self.overflowed = False

    def __call__(self, stream: str, text: str) -> None:  # noqa: ARG002
        self.text += text
        if len(self.text) > LONGEST_OUTPUT:
            self.overflowed = True
            raise ValueError("too much output")  # ends the program


def _shown(sandbox: "pydantic_monty.MontySession", value: object) -> str:
    """The value as Python writes it, computed within the limits of the sandbox: a list that holds another one
    many times over is small, and its text is not."""
    import pydantic_monty

    try:
        text = sandbox.feed_run(f"repr(value)[:{LONGEST_OUTPUT + 1}]", inputs={"value": value})
    except pydantic_monty.MontyRuntimeError as error:
        if any(reason in str(error) for reason in _STOPPED):
            raise
        # An object of a class that the program defined cannot come back in; a very large number has no text.
        return "(The value of the last line cannot be shown. Print what you want to see of it.)"
    return str(text)


def _cut(text: str) -> str:
    if len(text) <= LONGEST_OUTPUT:
        return text
    return f"{text[:LONGEST_OUTPUT]}… (cut after {LONGEST_OUTPUT:,} characters)"


def _sentence(error: "pydantic_monty.MontyError", printed: _Printed) -> str:
    """What went wrong, for the model, that can write a better program."""
    import pydantic_monty

    if printed.overflowed:
        return f"The program printed more than {LONGEST_OUTPUT:,} characters and was stopped. Print less."
    before = f" Printed before: {printed.text.rstrip()}" if printed.text.strip() else ""
    if isinstance(error, pydantic_monty.MontyCrashedError) and error.timed_out:
        return _TOO_LONG + before  # within one long operation: its worker was killed
    if not isinstance(error, pydantic_monty.MontyRuntimeError | pydantic_monty.MontySyntaxError):
        return f"The program brought its sandbox down. Write a simpler one.{before}"
    for reason, sentence in _STOPPED.items():
        if reason in str(error):
            return sentence + before
    kind, _, message = error.display("type-msg").partition(":")
    line = f" in line {error.traceback()[-1].line}" if error.traceback() else ""
    outside = (
        kind in ("PermissionError", "ModuleNotFoundError") or "not supported in this environment" in message
    )
    hint = " There are no files, no network, no environment and no other programs here." if outside else ""
    return _cut(f"{kind}{line}: {' '.join(message.split()) or 'no message'}.{hint}{before}")


_TOO_LONG = f"The program ran longer than {SECONDS:g} seconds and was stopped."
_STOPPED = {
    "time limit exceeded": _TOO_LONG,
    "sleep limit exceeded": f"The program slept longer than {SECONDS:g} seconds and was stopped.",
    "memory limit": f"The program needed more than {MEGABYTES} MB of memory and was stopped.",
    "maximum recursion depth": f"The program called itself more than {DEPTH} levels deep and was stopped.",
}
"""By what Monty's messages contain."""


def _limits() -> "pydantic_monty.ResourceLimits":
    return {
        "max_feed_duration_secs": SECONDS,
        "max_total_sleep_secs": SECONDS,
        "max_memory": MEGABYTES * 1_000_000,
        "max_recursion_depth": DEPTH,
    }


@lru_cache(maxsize=1)
def _pool() -> "pydantic_monty.Monty":
    """The pool of this process, opened by its first call. Its workers end with it, and when they lose it."""
    import pydantic_monty

    try:
        pool = pydantic_monty.Monty(
            max_processes=AT_ONCE,
            max_checkouts_per_worker=1,
            checkout_timeout=WAIT,
            request_timeout=3 * SECONDS,
        ).__enter__()
    except (OSError, RuntimeError) as error:  # no worker program, or one that does not start
        raise InputError(
            "The sandbox is not installed. Run `python dev.py run` once; it installs what is missing."
        ) from error
    atexit.register(pool.__exit__, None, None, None)
    return pool


RUN_PYTHON = Tool.from_function(run_python)
