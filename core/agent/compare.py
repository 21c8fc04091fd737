"""Two runs side by side: which of their steps belong together, and where they first part."""

import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from core.errors import InputError
from core.messages.types import ToolCall
from core.trace import Step, Trace
from core.values import Value


class StepPair(Value):
    """A step of each run, by index; `None` where one has no counterpart. `same` if both did the same."""

    left: int | None
    right: int | None
    same: bool


class Comparison(Value):
    """The steps of both runs in order. `parted` is the index of the first pair that differs, if one does."""

    pairs: tuple[StepPair, ...]
    parted: int | None


def compare(left: Trace, right: Trace) -> Comparison:
    """Align two runs step by step.

    Two steps are the same if they are of one kind and did the same: the same text, the same call (arguments
    as JSON values), the same verdict, the same reply. Ids, turns and token counts do not matter. What both
    runs begin with is aligned first, the rest by its longest common blocks (Ratcliff & Obershelp, as in
    `difflib`); what lies between the blocks is paired by the kind of step.

    Raises:
        InputError: one of the two is no trace.
    """
    for trace in (left, right):
        if not isinstance(trace, Trace):
            raise InputError(f"Two traces can be compared, not {type(trace).__name__}.")
    pairs = tuple(_pairs([_did(step) for step in left.steps], [_did(step) for step in right.steps]))
    return Comparison(pairs=pairs, parted=next((n for n, pair in enumerate(pairs) if not pair.same), None))


_Did = tuple[str, ...]


def _pairs(left: Sequence[_Did], right: Sequence[_Did]) -> Iterator[StepPair]:
    start = next((n for n, (one, other) in enumerate(zip(left, right, strict=False)) if one != other), None)
    start = min(len(left), len(right)) if start is None else start
    for both in range(start):
        yield StepPair(left=both, right=both, same=True)
    for same, lefts, rights in _blocks(left, right, range(start, len(left)), range(start, len(right))):
        if same:
            for one, other in zip(lefts, rights, strict=True):
                yield StepPair(left=one, right=other, same=True)
            continue
        kinds = ([did[:1] for did in left], [did[:1] for did in right])
        for paired, ones, others in _blocks(*kinds, lefts, rights):
            if paired:
                for one, other in zip(ones, others, strict=True):
                    yield StepPair(left=one, right=other, same=False)
                continue
            for one in ones:
                yield StepPair(left=one, right=None, same=False)
            for other in others:
                yield StepPair(left=None, right=other, same=False)


def _blocks(
    left: Sequence[_Did], right: Sequence[_Did], lefts: range, rights: range
) -> Iterator[tuple[bool, range, range]]:
    """Stretches of both sequences, and whether they are equal."""
    matcher = SequenceMatcher(None, [left[n] for n in lefts], [right[n] for n in rights], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        yield tag == "equal", lefts[a:b], rights[c:d]


def _did(step: Step) -> _Did:
    """What a step did, as strings, its kind first."""
    reply = step.model_call.reply if step.model_call else None
    calls = reply.tool_calls if reply else (step.tool_call,) if step.tool_call else ()
    verdict = step.validation
    return (
        step.kind,
        step.text,
        step.guard or "",
        f"{verdict.ok} {verdict.stage}" if verdict else "",
        f"{reply.thinking}\n{reply.content}" if reply else "",
        *(_call(call) for call in calls),
    )


def _call(call: ToolCall) -> str:
    try:
        return f"{call.name} {json.dumps(json.loads(call.arguments), sort_keys=True)}"
    except (ValueError, RecursionError):
        return f"{call.name} {call.arguments}"
