"""A run reviewed, and two runs beside each other, as tables of plain text."""

from typing import Any

from core.agent import Comparison, StepPair, compare, review
from core.figures.loop_timeline import timeline
from core.trace import Trace


def review_table(trace: Trace) -> dict[str, Any]:
    """What is worth a look in a run, where, and how each finding was computed."""
    return {
        "columns": ["look at", "what", "steps", "how it was found"],
        "rows": [
            [finding.kind, finding.text, ", ".join(str(step + 1) for step in finding.steps), finding.how]
            for finding in review(trace)
        ],
    }


def comparison_table(left: Trace, right: Trace) -> dict[str, Any]:
    """The steps of two runs that belong together, each in a row, up to the end of both."""
    compared = compare(left, right)
    captions = [[stop.caption for stop in timeline(trace)] for trace in (left, right)]
    return {
        "columns": ["step", left.title, "", right.title, "step"],
        "rows": [_row(pair, *captions) for pair in compared.pairs],
    }


def parted(left: Trace, right: Trace) -> str:
    """Where two runs part, in a sentence."""
    compared: Comparison = compare(left, right)
    if compared.parted is None:
        return "Both runs do the same in every step."
    pair = compared.pairs[compared.parted]
    ends = [f"step {step + 1}" if step is not None else "its end" for step in (pair.left, pair.right)]
    return f"They are the same up to here: {ends[0]} of the first and {ends[1]} of the second part."


def _row(pair: StepPair, left: list[str], right: list[str]) -> list[str]:
    return [
        "" if pair.left is None else str(pair.left + 1),
        "" if pair.left is None else left[pair.left],
        "=" if pair.same else "≠",
        "" if pair.right is None else right[pair.right],
        "" if pair.right is None else str(pair.right + 1),
    ]
