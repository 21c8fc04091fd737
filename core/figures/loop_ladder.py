"""The ladder that a tool call climbs: valid JSON, known tool, schema, policy, execution.

A run without a policy has no rung for one.
"""

from collections.abc import Mapping, Sequence

from core.agent.validation import CHECKS
from core.figures.loop_cards import LONGEST
from core.figures.loop_timeline import ACTS, shortened
from core.trace import StepKind, Trace, Validation
from core.values import Value

RUNGS = (*CHECKS.values(), "executed")
PERMITTED = "permitted"


class Rung(Value):
    """One check on the way of a call, and how it went: `tone` is good, bad or open."""

    name: str
    verdict: str
    tone: str


class Ladder(Value):
    """The way of the current call through validation to execution."""

    title: str
    rungs: tuple[Rung, ...]
    message: str = ""


def ladders_of(trace: Trace) -> tuple[Ladder, ...]:
    """Return the ladder at each step of a trace."""
    has_policy = any(is_policy(step.validation) for step in trace.steps)
    ways: dict[tuple[int, str], list[int]] = {}  # the steps of each call
    for index, step in enumerate(trace.steps):
        if step.tool_call is not None:
            ways.setdefault((step.turn, step.tool_call.id), []).append(index)
    return tuple(_ladder(trace, index, has_policy, ways) for index in range(len(trace.steps)))


def _ladder(
    trace: Trace, index: int, has_policy: bool, ways: Mapping[tuple[int, str], Sequence[int]]
) -> Ladder:
    step = trace.steps[index]
    call = step.tool_call
    if call is None or step.kind not in ACTS:
        names = (*RUNGS[:3], PERMITTED, RUNGS[3]) if has_policy else RUNGS
        return Ladder(title="no call at this step", rungs=tuple(_rung(name, "–") for name in names))
    own = ways[step.turn, call.id]
    verdicts = {number: trace.steps[number].validation for number in own}
    decided = [number for number in own if is_policy(verdicts[number])]
    checked = [
        number for number in own if trace.steps[number].kind is StepKind.VALIDATION and number not in decided
    ]
    executed = [number for number in own if trace.steps[number].kind is StepKind.EXECUTION]
    guarded = [number for number in own if trace.steps[number].guard == "repeat"]
    verdict = verdicts[checked[0]] if checked and checked[0] <= index else None
    decision = verdicts[decided[0]] if decided and decided[0] <= index else None
    checks = (
        [_rung(name, "not yet" if checked else "not in this trace") for name in RUNGS[:3]]
        if verdict is None
        else _checks(verdict)
    )
    if has_policy:
        checks.append(_rung(PERMITTED, _permitted(verdict, decision)))
    refused = any(found is not None and not found.ok for found in (verdict, decision))
    if refused:
        run = _rung(RUNGS[3], "not reached")
    elif guarded and guarded[0] <= index:
        run = _rung(RUNGS[3], "no, a repeat")
    elif executed and executed[0] <= index:
        raised = trace.steps[executed[0]].text.startswith("ERROR: ")
        run = _rung(RUNGS[3], "yes, with an error" if raised else "yes")
    else:
        comes = executed or (checked and verdict is None)
        run = _rung(RUNGS[3], "not yet" if comes else "not in this trace")
    return Ladder(
        title=f"{call.id or 'the call'} on the ladder",
        rungs=(*checks, run),
        message=shortened(_message(decision if decision is not None else verdict), LONGEST),
    )


def is_policy(verdict: Validation | None) -> bool:
    """Return whether a verdict is that of the policy, not that of the checks."""
    return verdict is not None and verdict.stage == "policy"


def _permitted(verdict: Validation | None, decision: Validation | None) -> str:
    if decision is not None:
        return "yes" if decision.ok else "no"
    return "not reached" if verdict is not None and not verdict.ok else "not yet"


def _message(verdict: Validation | None) -> str:
    if verdict is None:
        return ""
    return verdict.message or verdict.repaired


def _checks(verdict: Validation) -> list[Rung]:
    if verdict.ok:
        return [_rung(name, "yes") for name in RUNGS[:3]]
    failed = list(CHECKS).index(verdict.stage) if verdict.stage else -1
    words = ["yes"] * failed + ["no"] if verdict.stage else []
    words += ["not reached"] * (3 - len(words))
    return [_rung(name, word) for name, word in zip(RUNGS, words, strict=False)]


def _rung(name: str, verdict: str) -> Rung:
    tone = {"yes": "good", "no": "bad", "yes, with an error": "bad", "no, a repeat": "bad"}.get(
        verdict, "open"
    )
    return Rung(name=name, verdict=verdict, tone=tone)
