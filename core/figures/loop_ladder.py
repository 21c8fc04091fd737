"""The ladder that a tool call climbs: valid JSON, known tool, schema, execution."""

from core.figures.loop_cards import LONGEST
from core.figures.loop_timeline import ACTS, shortened
from core.trace import Step, StepKind, Trace, Validation
from core.values import Value

RUNGS = ("valid JSON", "tool exists", "schema conforms", "executed")
CHECKS = ("json", "tool", "schema")


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


def ladder_of(trace: Trace, index: int) -> Ladder:
    step = trace.steps[index]
    call = step.tool_call
    if call is None or step.kind not in ACTS:
        return Ladder(title="no call at this step", rungs=tuple(_rung(name, "–") for name in RUNGS))

    def of_this_call(other: Step) -> bool:
        return other.turn == step.turn and other.tool_call is not None and other.tool_call.id == call.id

    own = [number for number, other in enumerate(trace.steps) if of_this_call(other)]
    checked = [number for number in own if trace.steps[number].kind is StepKind.VALIDATION]
    executed = [number for number in own if trace.steps[number].kind is StepKind.EXECUTION]
    verdict = trace.steps[checked[0]].validation if checked and checked[0] <= index else None
    checks = (
        [_rung(name, "not yet" if checked else "not in this trace") for name in RUNGS[:3]]
        if verdict is None
        else _checks(verdict)
    )
    if verdict is not None and not verdict.ok:
        run = _rung(RUNGS[3], "not reached")
    elif executed and executed[0] <= index:
        raised = trace.steps[executed[0]].text.startswith("ERROR: ")
        run = _rung(RUNGS[3], "yes, with an error" if raised else "yes")
    else:
        comes = executed or (checked and verdict is None)
        run = _rung(RUNGS[3], "not yet" if comes else "not in this trace")
    return Ladder(
        title=f"{call.id or 'the call'} on the ladder",
        rungs=(*checks, run),
        message="" if verdict is None else shortened(verdict.message, LONGEST),
    )


def _checks(verdict: Validation) -> list[Rung]:
    if verdict.ok:
        return [_rung(name, "yes") for name in RUNGS[:3]]
    failed = CHECKS.index(verdict.stage) if verdict.stage else -1
    words = ["yes"] * failed + ["no"] if verdict.stage else []
    words += ["not reached"] * (3 - len(words))
    return [_rung(name, word) for name, word in zip(RUNGS, words, strict=False)]


def _rung(name: str, verdict: str) -> Rung:
    tone = {"yes": "good", "no": "bad", "yes, with an error": "bad"}.get(verdict, "open")
    return Rung(name=name, verdict=verdict, tone=tone)
