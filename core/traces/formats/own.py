"""Loopscope's own file: a trace as JSON, whole, under a version."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.trace import Origin, Trace
from core.traces.lenient_json import INCOMPLETE
from core.traces.shape import is_whole, items, mapping

NAME = "Loopscope"
VERSION = 1


def matches(value: Any) -> bool:
    """Whether the value is such a file, of any version."""
    return mapping(value).get("format") == "loopscope"


def read(value: Any, notices: Sequence[str] = ()) -> Iterator[Trace]:
    """The trace of the file, equal to the one that was written; with the steps before the fault of a broken
    file, and notices that tell of it.

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
        trace = Trace.model_validate(_whole(value.get("trace")))
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or "the trace"
        raise InputError(f"The Loopscope file is broken at {place}: {problem['msg']}.") from error
    if notices:
        origin = trace.origin or Origin(format=NAME)
        update = {"origin": origin.model_copy(update={"notices": (*origin.notices, *notices)})}
        trace = trace.model_copy(update=update)
    yield trace


def _whole(told: Any) -> Any:
    """The trace without what a broken file broke off in."""
    if not isinstance(told, dict) or is_whole(told):
        return told
    listed = {
        key: [item for item in items(told.get(key)) if is_whole(mapping(item))]
        for key in ("history", "steps")
    }
    return {key: value for key, value in (told | listed).items() if key != INCOMPLETE}


def to_json(trace: Trace) -> dict[str, Any]:
    """The file of a trace, as a JSON value."""
    return {
        "format": "loopscope",
        "version": VERSION,
        "trace": trace.model_dump(mode="json"),
    }
