"""Our count of a call beside that of the server that answered it, in words."""

from core.lm.ollama_window import probably_truncated
from core.trace import ModelCall
from core.values import Value


class ServerCount(Value):
    """What the server reported, and how it differs; `short` where it read fewer tokens than were sent."""

    text: str
    short: bool = False


def server_count(call: ModelCall, total: int | None) -> ServerCount | None:
    """The server's own count of the context (Ollama's `prompt_eval_count`, OpenAI's `usage.prompt_tokens`)
    beside ours; `None` where it reported none, or where ours is not known.

    That it read fewer than an exact count is the only sign that it cut the context. An estimate is made with
    another tokenizer, and a difference alone is then no sign of anything; but it is one beside a window that
    the estimate exceeds, or that the server has filled by half, as an Ollama leaves it.
    """
    reported = call.usage.input_tokens
    if reported is None or total is None:
        return None
    differs = reported - total
    told = f"{reported:,} counted by what answered"
    if not differs:
        return ServerCount(text=f"{told}: the same")
    told += f": {abs(differs):,} {'more' if differs > 0 else 'fewer'}"
    if call.counting.method != "exact":
        if call.window is not None and _probably_cut(total, reported, call.window):
            text = (
                f"{told} than this estimate, in a window of {call.window:,}: it has probably cut the context"
            )
            return ServerCount(text=text, short=True)
        return ServerCount(text=f"{told} than this estimate")
    if differs > 0:
        return ServerCount(text=f"{told}, written by its own template")
    return ServerCount(text=f"{told} than were sent: it cut the context", short=True)


def _probably_cut(sent: int, counted: int, window: int) -> bool:
    """Whether a context of about `sent` tokens was cut; another tokenizer can explain a third of them.

    An Ollama drops messages until the window holds the rest, and cuts the text where that does not help.
    """
    too_long = sent > window >= counted and sent > 1.5 * counted
    return too_long or probably_truncated(sent, counted, window)
