"""Lines 6 to 8 of Prompt-ToolLoop for one call: the checks, the policy, the guards, and the tool itself.

Every call gets exactly one result with its id, whatever happens.
"""

import contextvars
import copy
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pydantic

from core.agent.guards import Guards, Repeats
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
        call: ToolCall,
        turn: int,
        refused: str,
        *,
        passed: tuple[int, ...] = (),
        appended: Message | None = None,
    ) -> Iterator[Step]:
        """The steps of a call: the first takes it up, the last appends its result.

        `refused` is why the call may not even be checked; `passed` and `appended` belong to the first step.
        """

        def step(kind: StepKind, line: int = 7, **what: Any) -> Step:
            return Step(kind=kind, turn=turn, line=line, tool_call=call, **what)

        def observed(text: str, is_error: bool) -> Step:
            result = ToolResultMessage(
                tool_call_id=call.id, name=call.name, content=well_formed(text), is_error=is_error
            )
            return step(StepKind.OBSERVATION, line=8, appended=result, text=result.content)

        yield step(StepKind.TOOL_CALL, line=6, passed=passed, appended=appended)
        arguments: Mapping[str, Any] = {}
        for verdict in self._verdicts(call, refused):
            yield step(StepKind.VALIDATION, validation=verdict, text=verdict.message)
            if not verdict.ok:
                yield observed(ERROR + verdict.message, is_error=True)
                return
            arguments = verdict.arguments or {}

        times, limit = self.repeats.times(call.name, arguments), self.guards.repeats
        if limit is not None and times >= limit - 1:
            redirection = (
                f"This exact call has already been made {times} times, with the same result each time, and "
                "was not run again. Try a different approach, or say what you could not find."
            )
            yield step(StepKind.GUARD, guard="repeat", text=redirection)
            yield observed(ERROR + redirection, is_error=True)
            return

        outcome = self._run(call.name, arguments)
        self.repeats.add(call.name, arguments, outcome.text)
        yield step(StepKind.EXECUTION, text=outcome.text)
        if outcome.guard:
            yield step(StepKind.GUARD, guard=outcome.guard, text=outcome.fired)
        yield observed(outcome.text, outcome.failed)

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

    def _run(self, name: str, arguments: Mapping[str, Any]) -> "_Outcome":
        """Run a tool in a thread of its own, which is left behind if it does not come back in time."""
        tool = next(tool for tool in self.tools if tool.name == name)
        came: list[tuple[str, bool]] = []

        def work() -> None:
            try:
                came.append((tool.execute(copy.deepcopy(dict(arguments))), False))
            except BaseException as error:  # whatever a tool raises is the result of its call
                came.append((f"{ERROR}{well_formed(message_of(error))}", True))

        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(work,), name=f"tool {name}", daemon=True)
        thread.start()
        thread.join(self.guards.timeout)
        if not came:
            late = f"the tool {name} did not come back within {self.guards.timeout:g} seconds"
            return _Outcome(ERROR + late, True, "timeout", f"{late}, and was left behind.")
        text, failed = came[0]
        most = self.guards.result_chars
        if most is None or len(text) <= most:
            return _Outcome(text, failed)
        cut = f"cut: {most:,} of {len(text):,} characters are shown"
        return _Outcome(f"{text[:most]}\n[{cut}]", failed, "result size", f"The result was {cut}.")


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
