"""Lines 6 to 8 of Prompt-ToolLoop: the checks, the policy, the guards, and the tool itself.

Every call gets exactly one result with its id, whatever happens.
"""

import contextvars
import copy
import queue
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pydantic

from core.agent.guards import Guards, Repeats, call_key
from core.agent.policy import Policy, decide
from core.agent.tools import Tool, well_formed
from core.agent.validation import validate_call
from core.errors import InputError
from core.messages.types import Message, ToolCall, ToolResultMessage
from core.trace import Guard, Step, StepKind, Validation

ERROR = "ERROR: "
CUT_OFF = (
    "the reply was cut off at the token limit, so this call may be incomplete and was not executed; "
    "send it again, shorter"
)


@dataclass(frozen=True)
class Executor:
    """The runtime's side of a tool call: what may run, and under which limits."""

    tools: Sequence[Tool]
    policy: Policy | None = None
    repair: bool = False
    guards: Guards = field(default_factory=Guards)
    repeats: Repeats = field(default_factory=Repeats)

    def steps(
        self,
        calls: Sequence[ToolCall],
        turn: int,
        refused: str = "",
        *,
        passed: tuple[int, ...] = (),
        appended: Message | None = None,
    ) -> Iterator[Step]:
        """The steps of the calls of a turn: each is taken up, and in the end its result is appended.

        One after the other; with the guard `parallel` all are taken up first, and their results come in the
        order in which the tools finish. `refused` is why the calls may not even be checked; `passed` and
        `appended` belong to the first step.
        """
        ready: list[_Ready] = []
        for call in calls:
            arguments = yield from self._taken_up(call, turn, refused, passed, appended, ready)
            passed, appended = (), None
            if arguments is not None:
                ready.append((call, arguments))
            if not self.guards.parallel:
                yield from self._came_back(ready, turn)
                ready = []
        yield from self._came_back(ready, turn)

    def _taken_up(
        self,
        call: ToolCall,
        turn: int,
        refused: str,
        passed: tuple[int, ...],
        appended: Message | None,
        ready: Sequence["_Ready"],
    ) -> Generator[Step, None, Mapping[str, Any] | None]:
        """The steps before a tool runs; returns its arguments, or `None` where it must not run.

        `ready` are the calls that will run at the same time.
        """
        yield _step(StepKind.TOOL_CALL, call, turn, line=6, passed=passed, appended=appended)
        arguments: Mapping[str, Any] = {}
        for verdict in self._verdicts(call, refused):
            yield _step(StepKind.VALIDATION, call, turn, validation=verdict, text=verdict.message)
            if not verdict.ok:
                yield _observed(call, turn, ERROR + verdict.message, is_error=True)
                return None
            arguments = verdict.arguments or {}
        key = call_key(call.name, arguments)
        at_once = sum(call_key(other.name, given) == key for other, given in ready)
        times, limit = self.repeats.times(call.name, arguments) + at_once, self.guards.repeats
        if limit is not None and times >= limit - 1:
            redirection = _redirection(times, at_once)
            yield _step(StepKind.GUARD, call, turn, guard="repeat", text=redirection)
            yield _observed(call, turn, ERROR + redirection, is_error=True)
            return None
        return arguments

    def _came_back(self, ready: Sequence["_Ready"], turn: int) -> Iterator[Step]:
        """The steps of tools that run at once, in the order in which they come back."""
        for (call, arguments), outcome in self._run(ready):
            self.repeats.add(call.name, arguments, outcome.text)
            yield _step(StepKind.EXECUTION, call, turn, text=outcome.text)
            if outcome.guard:
                yield _step(StepKind.GUARD, call, turn, guard=outcome.guard, text=outcome.fired)
            yield _observed(call, turn, outcome.text, outcome.failed)

    def _verdicts(self, call: ToolCall, refused: str) -> Iterator[Validation]:
        if refused:
            yield Validation(ok=False, message=refused)
            return
        try:
            verdict = validate_call(call, self.tools, repair=self.repair)
        except (
            InputError
        ) as error:  # the tool's own schema is at fault, in a place that only this call reached
            verdict = Validation(ok=False, stage="schema", message=str(error))
        yield verdict
        if verdict.ok and self.policy is not None:
            yield decide(self.policy, call.name, verdict.arguments or {})

    def _run(self, ready: Sequence["_Ready"]) -> Iterator[tuple["_Ready", "_Outcome"]]:
        """Run tools, each in a thread of its own, which is left behind if it does not come back in time."""
        came: queue.SimpleQueue[tuple[int, str, bool]] = queue.SimpleQueue()

        def work(place: int, tool: Tool, arguments: dict[str, Any]) -> None:
            try:
                came.put((place, tool.execute(arguments), False))
            except BaseException as error:  # whatever a tool raises is the result of its call
                came.put((place, f"{ERROR}{well_formed(message_of(error))}", True))

        for place, (call, arguments) in enumerate(ready):
            tool = next(tool for tool in self.tools if tool.name == call.name)
            given = (place, tool, copy.deepcopy(dict(arguments)))
            context = contextvars.copy_context()
            threading.Thread(
                target=context.run, args=(work, *given), name=f"tool {call.name}", daemon=True
            ).start()
        limit, waits = self.guards.timeout, dict(enumerate(ready))
        until = None if limit is None else time.monotonic() + limit
        while waits:
            try:
                place, text, failed = came.get(
                    timeout=None if until is None else max(0, until - time.monotonic())
                )
            except queue.Empty:
                break
            yield waits.pop(place), self._outcome(text, failed)
        for call, arguments in waits.values():
            late = f"the tool {call.name} did not come back within {limit:g} seconds"
            yield (call, arguments), _Outcome(ERROR + late, True, "timeout", f"{late}, and was left behind.")

    def _outcome(self, text: str, failed: bool) -> "_Outcome":
        most = self.guards.result_chars
        if most is None or len(text) <= most:
            return _Outcome(text, failed)
        cut = f"cut: {most:,} of {len(text):,} characters are shown"
        return _Outcome(f"{text[:most]}\n[{cut}]", failed, "result size", f"The result was {cut}.")


def _redirection(times: int, at_once: int) -> str:
    made = f"This exact call has already been made {'once' if times == 1 else f'{times} times'}"
    if at_once:
        return f"{made}, also in this very reply, and was not run again. Its result is that of the others."
    each_time = "" if times == 1 else " each time"
    return (
        f"{made}, with the same result{each_time}, and was not run again. Try a different approach, or say "
        "what you could not find, or hand over."
    )


_Ready = tuple[ToolCall, Mapping[str, Any]]
"""A call that may run, and its arguments."""


def _step(kind: StepKind, call: ToolCall, turn: int, line: int = 7, **what: Any) -> Step:
    return Step(kind=kind, turn=turn, line=line, tool_call=call, **what)


def _observed(call: ToolCall, turn: int, text: str, is_error: bool) -> Step:
    result = ToolResultMessage(
        tool_call_id=call.id, name=call.name, content=well_formed(text), is_error=is_error
    )
    return _step(StepKind.OBSERVATION, call, turn, line=8, appended=result, text=result.content)


@dataclass(frozen=True)
class _Outcome:
    """What came of running a tool, the guard that fired, and what it says."""

    text: str
    failed: bool
    guard: Guard | None = None
    fired: str = ""


def message_of(error: BaseException) -> str:
    """What the model is told of an exception. Its type is named, for a bare `KeyError` says only the key."""
    kind = type(error).__name__
    try:
        if isinstance(error, pydantic.ValidationError):
            return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        said = str(error)
    except Exception:  # an exception that cannot even be told
        return kind
    if isinstance(error, InputError):
        return said
    return f"{kind}: {said}" if said else kind
