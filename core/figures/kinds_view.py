"""A specific tool beside a code tool on the same task: what is written, what comes back, what it costs."""

import json
from collections.abc import Mapping

from core.context import run_budget
from core.messages import ToolResultMessage
from core.trace import Part, StepKind, Trace
from core.values import Value

CODE = "code"
"""The argument of the code tool that is a program."""


class CallAndResult(Value):
    """A call with its arguments in JSON, the program in them, if there is one, and its result."""

    call: str
    program: str
    result: str
    is_error: bool


class Fact(Value):
    """A number with its name; `share` is of the larger one of both kinds."""

    name: str
    value: str
    share: float


class Kind(Value):
    """A run with one kind of tool."""

    title: str
    note: str
    calls: tuple[CallAndResult, ...]
    facts: tuple[Fact, ...]


class KindsView(Value):
    """Both kinds on the same task."""

    task: str
    kinds: tuple[Kind, ...]
    counted_by: str


def kinds_view(*traces: Trace) -> KindsView:
    """The runs beside each other. They answer the same question."""
    numbers = [_numbers(trace) for trace in traces]
    largest = {name: max(of[name] for of in numbers) for name in numbers[0]}
    counting = traces[0].calls[0].counting
    return KindsView(
        task=traces[0].steps[0].text,
        kinds=tuple(
            Kind(
                title=trace.title,
                note=trace.description,
                calls=tuple(_calls(trace)),
                facts=tuple(
                    Fact(name=name, value=f"{number:,}", share=number / max(1, largest[name]))
                    for name, number in of.items()
                ),
            )
            for trace, of in zip(traces, numbers, strict=True)
        ),
        counted_by=f"Exact counts by the tokenizer of {counting.tokenizer}, template {counting.template}.",
    )


def _numbers(trace: Trace) -> dict[str, int]:
    budget = run_budget(trace)
    last = budget.calls[-1].parts
    return {
        "calls of the model": len(budget.calls),
        "tokens of its tool calls": last.get(Part.TOOL_CALL, 0),
        "tokens of the results": last.get(Part.TOOL_RESULT, 0),
        "tokens of the schema, in every call": last.get(Part.TOOLS, 0),
        "tokens sent in the run": budget.sent or 0,
    }


def _calls(trace: Trace) -> list[CallAndResult]:
    return [
        CallAndResult(
            call=f"{step.tool_call.name}({step.tool_call.arguments})",
            program=program_of(json.loads(step.tool_call.arguments)),
            result=result.content,
            is_error=result.is_error,
        )
        for step in trace.steps
        if step.kind is StepKind.OBSERVATION
        and step.tool_call is not None
        and isinstance(result := step.appended, ToolResultMessage)
    ]


def program_of(arguments: Mapping[str, object]) -> str:
    """The program among the arguments of a code tool, before JSON escapes it; empty if there is none."""
    program = arguments.get(CODE)
    return program if isinstance(program, str) and len(arguments) == 1 else ""
