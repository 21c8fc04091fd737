"""Files of other people's runs, and our own: recognised by content, never by name."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Protocol

from core.errors import InputError
from core.trace import Trace
from core.traces.files import Content, read_file
from core.traces.formats import (
    anthropic,
    atif,
    claude_code,
    inspect_ai,
    langchain,
    langfuse,
    ollama,
    openai_chat,
    openai_responses,
    otel,
    own,
    react_text,
    swe_agent,
)
from core.traces.run import Run
from core.traces.steps import trace_of

MOST_RUNS = 200
"""Of one file."""

MOST_STEPS = 12_000
"""Of one run. As many messages as are read have about 10,000; more are calls by the thousand in one reply."""


class _Format(Protocol):
    """A module of `formats`."""

    NAME: str

    def matches(self, value: Any) -> bool: ...
    def read(self, value: Any) -> Iterator[Run]: ...


# In the order in which they are tried: a format that says what it is before one that is only alike.
FORMATS: tuple[_Format, ...] = (
    atif,
    inspect_ai,
    swe_agent,
    otel,
    claude_code,
    openai_responses,
    langfuse,
    langchain,
    anthropic,
    ollama,
    openai_chat,
    react_text,
)
NAMES = (own.NAME, *(form.NAME for form in FORMATS))


def load(data: bytes, name: str = "") -> Trace:
    """The run in a file; the first one where it holds several (`load_all` gives all of them).

    What stands before a fault is read, and the fault is told by `trace.origin.notices`.

    Args:
        data: the file.
        name: what to call the file; it says nothing about the format.

    Raises:
        InputError: nothing can be read of the file, in one sentence that says where it breaks.
    """
    return next(iter(_traces(data, name)))


def load_all(data: bytes, name: str = "") -> tuple[Trace, ...]:
    """All runs in a file, in its order: at least one, at most `MOST_RUNS`; the first tells if there are more.

    Raises:
        InputError: as `load` does.
    """
    first, *others = islice(_traces(data, name), MOST_RUNS + 1)
    if len(others) < MOST_RUNS:
        return (first, *others)
    return (
        _noted(first, f"The file holds more than {MOST_RUNS} runs; the others were left out."),
        *others[:-1],
    )


def _noted(trace: Trace, sentence: str) -> Trace:
    if trace.origin is None:
        return trace
    origin = trace.origin.model_copy(update={"notices": (*trace.origin.notices, sentence)})
    return trace.model_copy(update={"origin": origin})


def _bounded(trace: Trace) -> Trace:
    if len(trace.steps) > MOST_STEPS:
        raise InputError(
            f"A run of the file has {len(trace.steps):,} steps; at most {MOST_STEPS:,} are shown. "
            "Export a shorter one."
        )
    return trace


def _traces(data: bytes, name: str) -> Iterator[Trace]:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InputError(f"A file must be given as bytes, not as {type(data).__name__}.")
    if not isinstance(name, str):
        raise InputError(f"The name of a file must be text, not {type(name).__name__}.")
    content = read_file(bytes(data))
    if own.matches(content.value):
        yield from map(_bounded, own.read(content.value, content.notices))
        return
    form, runs = _recognised(content)
    found, why = False, content.notices
    try:
        for run in runs:
            trace = _bounded(trace_of(run, form, name, content.notices))
            if trace.steps:
                found = True
                yield trace
            else:
                why = (*content.notices, *run.notices)
    except RecursionError as error:
        raise InputError(f"The {form} file is nested too deeply to be a run.") from error
    if not found:
        told = " ".join(why[:2]) or "No message of it can be read."
        raise InputError(f"The file looks like {form}, but holds no run. {told}")


def _recognised(content: Content) -> tuple[str, Iterable[Run]]:
    """The name of the format, and its runs."""
    if content.members is not None:
        if inspect_ai.matches_zip(content):
            return inspect_ai.NAME, inspect_ai.read_zip(content)
        raise InputError("The zip holds no samples of an Inspect log; unpack it and choose one of its files.")
    for form in FORMATS:
        if form.matches(content.value):
            return form.NAME, form.read(content.value)
    told = f" {content.notices[0]}" if content.notices else ""
    raise InputError(f"No known format of a run was found in the file.{told} Known are {', '.join(NAMES)}.")
