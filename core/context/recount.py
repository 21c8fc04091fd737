"""The contexts of a run whose source tells none of them: what its calls would have sent, and its size.

A file of a run holds messages, as a rule, and neither the text that a template made of them nor its tokens.
A template and a tokenizer at hand make up for both. They are hardly those of the model that ran, so the
counts are estimates, and each call says by what.
"""

from bisect import bisect_left
from itertools import accumulate

from core.context.assemble import TokenCounter, assemble
from core.errors import InputError
from core.messages.types import AssistantMessage, Message, SystemMessage
from core.trace import Trace

MOST_CALLS = 1_000
MOST_CHARACTERS = 2_000_000
"""Of all messages together. A million of them takes about four seconds."""


def recounted(trace: Trace, counter: TokenCounter) -> Trace:
    """The run with segments and an estimate where a call has none; what is known stays as it is.

    Such a call is taken to send the tools, if the run names any, and all messages before it; where there are
    none, the file has left them out, and nothing is counted. The messages are written and counted once, and
    every call gets its share of the same segments: so a run of 500 calls takes as long as its last call. That
    is right for templates that write one message after the other, each behind a control token, as ChatML
    does; no merge of a tokenizer reaches across one.

    Args:
        trace: the run.
        counter: the template and the tokenizer.

    Raises:
        InputError: what was given is no trace, the run is too long to wait for, or the template refuses it.
    """
    if not isinstance(trace, Trace):
        raise InputError(f"Only a Trace can be counted, not {type(trace).__name__}.")
    system = () if trace.system is None else (SystemMessage(content=trace.system),)
    messages = (*system, *trace.messages)
    first = len(system) + len(trace.history)
    there = [first + count for count in accumulate(int(step.appended is not None) for step in trace.steps)]
    sent = {
        index: there[index]
        for index, step in enumerate(trace.steps)
        if step.model_call is not None and step.model_call.segments is None and there[index] > len(system)
    }
    if not sent:
        return trace
    if len(trace.calls) > MOST_CALLS:
        raise InputError(
            f"The run has {len(trace.calls):,} calls; at most {MOST_CALLS:,} are counted. Open a shorter one."
        )
    characters = sum(map(_length, messages))
    if characters > MOST_CHARACTERS:
        raise InputError(
            f"The messages have {characters:,} characters; at most {MOST_CHARACTERS:,} are counted. "
            "Open a shorter run."
        )
    # The last segment is the opening of the assistant's turn, which every call ends with.
    whole = assemble(messages[: max(sent.values())], trace.tools or (), counter)
    starts = list(accumulate((segment.message or 0 for segment in whole[:-1]), max))
    counting = counter.counting.model_copy(update={"method": "estimate"})
    steps = list(trace.steps)
    for index, count in sent.items():
        segments = (*whole[: bisect_left(starts, count)], whole[-1])
        call = steps[index].model_call
        known = call and call.model_copy(update={"segments": segments, "counting": counting})
        steps[index] = steps[index].model_copy(update={"model_call": known})
    return trace.model_copy(update={"steps": tuple(steps)})


def _length(message: Message) -> int:
    calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
    return len(message.content) + sum(len(call.arguments) for call in calls)
