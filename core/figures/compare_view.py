"""Two runs beside each other: which steps belong together, where they part, and a review of each."""

from collections.abc import Mapping, Sequence

from core.agent import Comparison, StepPair, compare, review
from core.context import run_budget
from core.figures.loop_timeline import Stop, call_text, counted, shortened, steps_named, timeline
from core.figures.loop_view import about
from core.messages.types import ToolResultMessage
from core.trace import Step, StepKind, Trace
from core.values import Value

LINE = 160
"""Characters of a step's line."""

WHOLE = 1_200
"""Characters of the step in view."""

PRESETS: Mapping[str, tuple[str, str]] = {
    "Open loop and ReAct": ("open-loop", "react"),
    "Acting alone and ReAct": ("act", "react"),
    "Open loop and acting alone": ("open-loop", "act"),
    "ReAct as text and native calls": ("text", "berlin"),
    "An example in the prompt and none": ("few-shot", "berlin"),
    "Without instructions and with them": ("careless", "refund"),
    "Dense and sparse thoughts": ("dense", "sparse"),
    "Implicit and explicit plan": ("implicit-plan", "plan"),
    "An attack, resisted and obeyed": ("injection", "injection-obeyed"),
    "Specific and code tool": ("calculator", "code"),
}
"""Pairs of bundled runs, by their slugs. The first three are the loops of one question."""

SAYS = (StepKind.USER_INPUT, StepKind.THOUGHT, StepKind.OBSERVATION, StepKind.ANSWER, StepKind.STOP)
"""Steps whose text says more than their caption."""


class Cell(Value):
    """A step of one of the runs: its number, its line, and all that it did."""

    number: str
    part: str
    line: str
    whole: str


class Row(Value):
    """Two steps that belong together; `None` where a run has no counterpart."""

    left: Cell | None
    right: Cell | None
    same: bool


class Look(Value):
    """Something that a reviewer would look at: what, in which steps, and how it was found."""

    kind: str
    text: str
    steps: str
    how: str


class Loops(Value):
    """What went round: from the model to itself, from it to the environment, and back."""

    thoughts: str
    actions: str
    observations: str
    about: str


class Side(Value):
    """One of the runs as a whole."""

    source: str
    sums: str
    loops: Loops
    findings: tuple[Look, ...]


class CompareView(Value):
    """All that the screen draws. `parted` is the index of the row where the runs first part."""

    sides: tuple[Side, Side]
    rows: tuple[Row, ...]
    stops: tuple[Stop, ...]
    parted: int | None
    sentence: str


def compare_view(left: Trace, right: Trace) -> CompareView:
    """Return two runs, aligned."""
    compared = compare(left, right)
    cells = (_cells(left), _cells(right))
    rows = tuple(
        Row(left=_at(cells[0], pair.left), right=_at(cells[1], pair.right), same=pair.same)
        for pair in compared.pairs
    )
    return CompareView(
        sides=(_side(left), _side(right)),
        rows=rows,
        stops=_stops(compared, left, right),
        parted=compared.parted,
        sentence=_sentence(compared),
    )


def _cells(trace: Trace) -> list[Cell]:
    return [
        Cell(
            number=str(number),
            part=stop.part,
            line=shortened(_said(step, stop), LINE).replace("\n", " "),
            whole=shortened(_whole(step, stop), WHOLE),
        )
        for number, (step, stop) in enumerate(zip(trace.steps, timeline(trace), strict=True), start=1)
    ]


def _said(step: Step, stop: Stop) -> str:
    if step.model_call is not None:
        reply = step.model_call.reply
        asked = ", ".join(call_text(call) for call in reply.tool_calls)
        said = reply.thinking or reply.content or asked
        return f"{stop.caption} → {said}" if said else stop.caption
    return f"{stop.caption}: {step.text}" if step.kind in SAYS and step.text else stop.caption


def _whole(step: Step, stop: Stop) -> str:
    """What a step did in full: also the reply of a call, and the message of a check that failed."""
    reply = step.model_call.reply if step.model_call else None
    texts = (reply.thinking, reply.content, *map(call_text, reply.tool_calls)) if reply else (step.text,)
    verdict = step.validation
    message = verdict.message if verdict is not None and not verdict.ok else ""
    return "\n".join(filter(None, (stop.caption, *texts, message)))


def _stops(compared: Comparison, left: Trace, right: Trace) -> tuple[Stop, ...]:
    """The rows as a timeline: a row has the colour of its step, and another mark where the two differ."""
    timelines = timeline(left), timeline(right)
    total = len(compared.pairs)
    return tuple(
        _stop(pair, timelines, f"pair {number} of {total}")
        for number, pair in enumerate(compared.pairs, start=1)
    )


def _stop(pair: StepPair, timelines: tuple[Sequence[Stop], Sequence[Stop]], place: str) -> Stop:
    indices = (pair.left, pair.right)
    sides = [side[index] for side, index in zip(timelines, indices, strict=True) if index is not None]
    if pair.same:
        caption = sides[0].caption
    elif len(sides) == 2:
        caption = f"{sides[0].caption} | {sides[1].caption}"
    else:
        caption = f"only {'right' if pair.left is None else 'left'}: {sides[0].caption}"
    kind = "same" if pair.same else "differs"
    # Without a turn: after they have parted, the turns of the two runs are not the same.
    return Stop(part=sides[0].part, kind=kind, turn=0, place=f"{place} · {kind}", caption=caption)


def _at(cells: Sequence[Cell], index: int | None) -> Cell | None:
    return None if index is None else cells[index]


def _side(trace: Trace) -> Side:
    budget = run_budget(trace)
    tools = sum(step.kind is StepKind.TOOL_CALL for step in trace.steps)
    sent = "tokens not counted" if budget.sent is None else f"{counted(budget.sent, 'token')} sent"
    return Side(
        source=f"{about(trace)} · stop reason: {trace.stop_reason or 'not in this trace'}",
        sums=" · ".join(
            (
                counted(len(trace.calls), "model call"),
                counted(tools, "tool call"),
                sent,
            )
        ),
        loops=_loops(trace),
        findings=tuple(
            Look(
                kind=finding.kind,
                text=shortened(finding.text, WHOLE),
                steps=steps_named(finding.steps),
                how=finding.how,
            )
            for finding in review(trace)
        ),
    )


def _loops(trace: Trace) -> Loops:
    """Count the thoughts, the calls and the results; what there is none of is empty."""
    thoughts, actions = (
        sum(step.kind is kind for step in trace.steps) for kind in (StepKind.THOUGHT, StepKind.TOOL_CALL)
    )
    observations = sum(isinstance(step.appended, ToolResultMessage) for step in trace.steps)
    return Loops(
        thoughts=f"t ×{thoughts}" if thoughts else "",
        actions=f"a ×{actions}" if actions else "",
        observations=f"o ×{observations}" if observations else "",
        about=(
            f"{counted(thoughts, 'thought')}, from the model to itself; {counted(actions, 'action')} on the "
            f"environment; {counted(observations, 'observation')} back"
        ),
    )


def _sentence(compared: Comparison) -> str:
    if compared.parted is None:
        return "Both runs do the same in every step."
    pair = compared.pairs[compared.parted]
    ends = [
        f"step {step + 1} of the {side} run" if step is not None else f"the {side} run has no counterpart"
        for side, step in (("left", pair.left), ("right", pair.right))
    ]
    if None in (pair.left, pair.right):
        ends.sort(key=lambda end: "no counterpart" in end)
        return f"They part at {ends[0]}; {ends[1]}."
    return f"They part at {ends[0]} and {ends[1]}."
