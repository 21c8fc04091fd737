"""What keeps a run from repeating itself, flooding its context, or hanging."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from core.values import Value

EXHAUSTED = "stopped: step budget exhausted"
"""What line 9 of Prompt-ToolLoop returns."""

REASON = "reason"
"""The argument in which a call says why it is made: for the record, not for the tool."""


class Guards(Value):
    """The limits of a run beside its step cap; `None` turns a guard off.

    `repeats`: which of the same calls is not run but redirected, if all before it had the same result: with 3
    the third. `result_chars`: characters of a result that enter the context. `timeout`: seconds that a tool
    may take. `fallback`: what is said in place of an answer at the step cap. `parallel`: whether the calls of
    one turn run at once. The same call among them counts as a repeat, though no result is there yet: between
    calls that run at once there is no progress to poll for.
    """

    repeats: int | None = Field(default=3, ge=2)
    result_chars: int | None = Field(default=20_000, ge=1)
    timeout: float | None = Field(default=30.0, gt=0)
    fallback: str = EXHAUSTED
    parallel: bool = False


class Repeats:
    """The calls of a run so far, and how many times in a row each has had the same result.

    Calls are the same if their tools are, and their arguments as JSON values: the order of keys and the way
    of writing a number do not matter, nor does the `reason`. Other calls in between change nothing, so that a
    cycle of calls is found too; another result does, so that polling goes on as long as it sees progress.
    """

    def __init__(self) -> None:
        self._latest: dict[str, tuple[str, int]] = {}

    def add(self, name: str, arguments: Mapping[str, Any], result: str) -> None:
        """Note a call that was run."""
        key = call_key(name, arguments)
        latest, times = self._latest.get(key, ("", 0))
        self._latest[key] = (result, times + 1 if result == latest else 1)

    def times(self, name: str, arguments: Mapping[str, Any]) -> int:
        """How many times in a row the call has had its latest result."""
        return self._latest.get(call_key(name, arguments), ("", 0))[1]


def call_key(name: str, arguments: Mapping[str, Any]) -> str:
    """The same text for calls that are the same, as `Repeats` has it."""
    relevant = {key: value for key, value in arguments.items() if key != REASON}
    return f"{name} {json.dumps(_canonical(relevant), sort_keys=True)}"


def _canonical(value: Any) -> Any:
    """Numbers by value: 1.0 is 1, while true is not 1."""
    match value:
        case dict():
            return {key: _canonical(member) for key, member in value.items()}
        case list():
            return [_canonical(member) for member in value]
        case float() if value.is_integer():
            return int(value)
    return value
