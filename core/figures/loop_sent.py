"""What a run sent at its calls, message by message, and how many tokens that was."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from core.trace import Segment, Trace


def segments_by_message(trace: Trace) -> dict[int, list[Segment]]:
    """Return the segments of each message, from the first call that sends it as it stands in the history."""
    found: dict[int, list[Segment]] = {}
    sent = sent_after(trace)
    for index, call in whole_calls(trace):
        new: dict[int, list[Segment]] = {number: [] for number in range(len(found), sent[index])}
        for segment in call:
            if segment.message in new:
                new[segment.message].append(segment)
        found |= new
    return found


def whole_calls(trace: Trace) -> Iterator[tuple[int, Sequence[Segment]]]:
    """Yield step and segments of the calls that send the whole history, so that their indices are its own."""
    for index, (step, there) in enumerate(zip(trace.steps, sent_after(trace), strict=True)):
        if step.model_call is not None and step.model_call.segments:
            segments = step.model_call.segments
            sent = {segment.message for segment in segments if segment.message is not None}
            if len(sent) == there and sent == set(range(there)):
                yield index, segments


def sent_after(trace: Trace) -> tuple[int, ...]:
    """Return how many messages there are after each step, the system prompt included."""
    before = (trace.system is not None) + len(trace.history)
    return tuple(before + count for count in accumulate(step.appended is not None for step in trace.steps))


def total_of(segments: Sequence[Segment] | None) -> int | None:
    """Return the tokens of segments; `None` where one of them is not counted."""
    if segments is None:
        return None
    counts = [segment.tokens for segment in segments]
    return None if None in counts else sum(count for count in counts if count is not None)
