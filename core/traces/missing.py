"""What the source of a run does not tell: screens show it as not known instead of guessing."""

from core.trace import Trace


def missing(trace: Trace) -> tuple[str, ...]:
    """What is not in the file of a run, as the words of a list; empty where everything is known."""
    calls = trace.calls
    counts = [None not in (call.usage.input_tokens, call.usage.output_tokens) for call in calls]
    partly = any((call.usage.input_tokens is None) != (call.usage.output_tokens is None) for call in calls)
    some = (
        " of some calls"
        if any(counts)
        else " in full: those of the input or of the output alone are told" * partly
    )
    told = {
        "the system prompt": trace.system is not None,
        "the tool schemas": trace.tools is not None,
        "the name of the model": trace.model is not None,
        f"the token counts{some}": all(counts),
        "the text that each call sent": all(call.segments is not None for call in calls),
        "the size of the window": all(call.window is not None for call in calls),
        "why each reply ended": all(call.finish_reason is not None for call in calls),
        "the alternatives of each token": all(call.tokens is not None for call in calls),
    }
    return tuple(what for what, known in told.items() if not known)
