"""Trace Prompt-ToolLoop by hand: which replies come to pass, what is executed, and which line returns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.messages import AssistantMessage
from core.teaching.exercises.base import ChoiceField, Kind, Made, Mistake, NumberField, Step, Table
from core.teaching.exercises.loop_faulty_scripts import faulty_script
from core.teaching.exercises.loop_scripts import Script
from core.teaching.exercises.loop_transcript import PSEUDOCODE, call_text, signatures
from core.trace import StepKind, Trace

LINES = ("line 5", "line 9")


@dataclass(frozen=True)
class Counted:
    """What is asked of a run."""

    calls: int
    executed: int
    results: int
    line: str

    @property
    def answers(self) -> dict[str, float | str]:
        """By the names of the fields."""
        return {
            "calls": self.calls,
            "executed": self.executed,
            "results": self.results,
            "line": self.line,
        }


def counted(trace: Trace) -> Counted:
    """The counts of a run, read off its steps."""
    kinds = [step.kind for step in trace.steps]
    return Counted(
        len(trace.calls),
        kinds.count(StepKind.EXECUTION),
        kinds.count(StepKind.OBSERVATION),
        f"line {trace.steps[-1].line}",
    )


def by_hand(rng: np.random.Generator) -> Made:
    """Count what a run does, given the replies that the model would give."""
    drawn = faulty_script(rng)
    trace = drawn.ran.trace
    right = counted(trace)
    return Made(
        task=f"MAX_STEPS = {drawn.max_steps}. The user asks: “{drawn.question}” These are the replies of the "
        "model, one for each time that it is called. What does the loop do?",
        given=(_replies(drawn.replies), signatures([tool.schema for tool in drawn.tools]), PSEUDOCODE),
        fields=(
            NumberField("calls", "Calls of the model", tolerance=0),
            NumberField("executed", "Tool calls that are executed", tolerance=0),
            NumberField("results", "Tool results that are appended", tolerance=0),
            ChoiceField("line", "It returns in", LINES),
        ),
        answers=right.answers,
        hint="A call is checked against the tools before it is executed, and every call gets a result. Look "
        "for the first reply without a call.",
        mistakes=tuple(_mistakes(drawn, right)),
        steps=(
            Step("The real loop, call by call of the model:", _steps(trace)),
            Step(
                f"{_times(right.calls, 'call')} of the model, {right.executed} executed, "
                f"{_times(right.results, 'result')}; {_ending(right, drawn)}"
            ),
        ),
    )


def _mistakes(drawn: Script, right: Counted) -> list[Mistake]:
    told = []
    if right.line == "line 9":
        longer = counted(replace(drawn, max_steps=len(drawn.replies)).ran.trace)
        told.append(
            Mistake(f"MAX_STEPS = {drawn.max_steps}: after so many calls the loop is over.", longer.answers)
        )
        told.append(
            Mistake(
                "The last step has a call, so line 5 does not return; nothing is left of the budget.",
                {"line": "line 5"},
            )
        )
    else:
        told.append(
            Mistake("A reply without a call ends the run in line 5, within the budget.", {"line": "line 9"})
        )
        told.append(
            Mistake("The call of the model that answers is counted as well.", {"calls": right.calls - 1})
        )
    if right.line == "line 5" and right.calls < len(drawn.replies):
        on = _without_promises(drawn)
        promise = counted(on.ran.trace)
        text = "A reply without a call is the answer, whatever it promises: the run ends there."
        told.append(Mistake(text, replace(promise, calls=promise.calls + 1).answers))
        told.append(Mistake(text, {"calls": len(drawn.replies)}))
    failed = right.results - right.executed
    told += [
        Mistake(
            "A call that fails a check is not executed: the error is its result.", {"executed": right.results}
        ),
        Mistake(
            "A call that fails a check gets a result all the same: the error.", {"results": right.executed}
        ),
    ]
    tools = _tool_errors(drawn.ran.trace)
    if tools:
        text = "A tool that fails was executed: the call passed all checks, and line 7 catches the error."
        told.append(Mistake(text, {"executed": right.executed - tools}))
        text = "An error is a result too: line 8 appends it."
        told.append(Mistake(text, {"results": right.results - tools - failed}))
    return told


def _without_promises(drawn: Script) -> Script:
    """The script with all replies that would be left out by whoever reads on."""
    *before, last = drawn.replies
    return replace(drawn, replies=(*(reply for reply in before if reply.tool_calls), last))


def _tool_errors(trace: Trace) -> int:
    """Executions whose result is an error."""
    return sum(step.kind is StepKind.EXECUTION and step.text.startswith("ERROR") for step in trace.steps)


def _replies(replies: Sequence[AssistantMessage]) -> Table:
    rows = [
        (str(n), reply.content or "–", " · ".join(map(call_text, reply.tool_calls)) or "–")
        for n, reply in enumerate(replies, start=1)
    ]
    return Table(("reply", "text", "tool calls"), tuple(rows))


def _steps(trace: Trace) -> Table:
    rows = []
    for step in trace.steps:
        if step.kind is StepKind.OBSERVATION and step.tool_call is not None:
            rows.append((str(step.turn), call_text(step.tool_call), step.text))
        elif step.kind is StepKind.ANSWER:
            rows.append((str(step.turn), "no call", "line 5 returns the text"))
        elif step.kind is StepKind.STOP:
            rows.append(("–", "the budget is spent", "line 9 returns"))
    return Table(("step", "call", "result"), tuple(rows))


def _ending(right: Counted, drawn: Script) -> str:
    if right.line == "line 9":
        return f"step {drawn.max_steps} was the last, so line 9 returns."
    return "the reply without a call is returned in line 5."


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


BY_HAND = (Kind("loop-by-hand", "Trace the loop by hand", "B", 2, by_hand),)
