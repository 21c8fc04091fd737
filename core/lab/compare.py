"""The compare screen as code: what two runs did, and the rows in which it belongs together."""

import json

from core.agent import compare
from core.lab.lab import Lab, lab
from core.lab.python import comment, given, shortened
from core.messages.types import ToolCall
from core.trace import Step, StepKind, Trace

LONGEST = 90  # characters of what a step did


def compare_lab(left: Trace, right: Trace) -> Lab:
    """Two runs, aligned."""
    compared = compare(left, right)
    state = "\n".join(
        [
            comment(f"Left: {left.title}"),
            comment(f"Right: {right.title}"),
            given(
                left=[_did(step) for step in left.steps],
                right=[_did(step) for step in right.steps],
                sums={"left": _sums(left), "right": _sums(right)},
            ),
        ]
    )
    pairs = [(pair.left, pair.right, pair.same) for pair in compared.pairs]
    return lab("compare", state, state, given(screen=pairs, screen_parted=compared.parted))


def _sums(trace: Trace) -> dict[str, int]:
    return {
        "model calls": len(trace.calls),
        "tool calls": sum(step.kind is StepKind.TOOL_CALL for step in trace.steps),
    }


def _did(step: Step) -> tuple[str, str]:
    """The kind of a step and what it did, as far as `core.agent.compare` looks at it."""
    reply = step.model_call.reply if step.model_call else None
    calls = reply.tool_calls if reply else (step.tool_call,) if step.tool_call else ()
    verdict = step.validation
    texts = [
        step.text,
        step.guard and f"guard: {step.guard}",
        verdict and f"{'passed' if verdict.ok else 'failed'} {verdict.stage or ''}",
        reply and reply.thinking and f"thinking: {reply.thinking}",
        reply and reply.content,
        *map(_call, calls),
    ]
    return str(step.kind), shortened(" | ".join(text for text in texts if text), LONGEST)


def _call(call: ToolCall) -> str:
    try:
        arguments = json.dumps(json.loads(call.arguments), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        arguments = call.arguments
    return f"{call.name}({arguments})"
