"""Loopscope's own file: a trace as JSON, whole, under a version."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.trace import Trace
from core.traces.shape import mapping

NAME = "Loopscope"
VERSION = 1


def matches(value: Any) -> bool:
    """Whether the value is such a file, of any version."""
    return mapping(value).get("format") == "loopscope"


def read(value: Any) -> Iterator[Trace]:
    """The trace of the file, equal to the one that was written.

    Raises:
        InputError: another version, or a trace that is not one.
    """
    if value.get("version") != VERSION:
        raise InputError(
            f"The file has version {value.get('version')!r:.20} of Loopscope's format; this Loopscope reads "
            f"version {VERSION}. Open it with the Loopscope that wrote it."
        )
    try:
        # As if from JSON, where tuples are lists and infinities are texts.
        yield Trace.model_validate(value.get("trace"))
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or "the trace"
        raise InputError(f"The Loopscope file is broken at {place}: {problem['msg']}.") from error


def to_json(trace: Trace) -> dict[str, Any]:
    """The file of a trace, as a JSON value."""
    return {
        "format": "loopscope",
        "version": VERSION,
        "trace": trace.model_dump(mode="json"),
    }
