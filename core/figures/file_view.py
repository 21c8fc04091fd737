"""A run and files, in words: where it comes from, what its file does not tell, what it can be saved as."""

import re
from collections import Counter
from collections.abc import Mapping

from core.figures.loop_timeline import counted
from core.messages import losses
from core.messages.types import SystemMessage
from core.trace import Trace
from core.traces import FORMATS, missing
from core.values import Value

NAMES: Mapping[str, str] = {
    "loopscope": "Loopscope",
    "openai-chat": "OpenAI chat",
    "openai-responses": "OpenAI Responses",
    "anthropic": "Anthropic",
    "ollama": "Ollama",
    "react-text": "ReAct text",
    "html": "Page",
}
NOTES: Mapping[str, str] = {
    "loopscope": "The whole run; it opens here again.",
    "react-text": "One action after the other, without ids. A line “Observation:” in a text breaks it.",
    "html": "Opens in a browser without a network, and steps by the same keys.",
}
REQUEST = "The messages, the tools and the model, as a request."
LOST: Mapping[str, str] = {
    "arguments": "spelling of arguments",
    "error flag": "mark of an error",
    "tool name": "tool name",
    "place": "place of a message",
    "boundary": "boundary of a message",
    "thought": "thinking sent as text",
    "signature": "signature of thinking",
}
ENDINGS: Mapping[str, tuple[str, str]] = {
    "react-text": (".txt", "text/plain"),
    "html": (".html", "text/html"),
}
LONGEST_NAME = 40
LONGEST_LINE = 46  # this is one line beside the menu of runs
SHORTEST_FILE = 8


class Saved(Value):
    """A way to save a run: the format of `core.traces.dump`, its name, what it keeps, and its file."""

    format: str
    name: str
    note: str
    file: str
    mime: str


def saved_as(trace: Trace) -> tuple[Saved, ...]:
    """Every way to save a run, with what it loses."""
    stem = re.sub(r"[^a-z0-9]+", "-", trace.title.lower())[:LONGEST_NAME].strip("-") or "run"
    ways = []
    for form in FORMATS:
        ending, mime = ENDINGS.get(form, (f".{form}.json", "application/json"))
        note = NOTES[form] if form in NOTES else f"{REQUEST} {_lost(trace, form)}".strip()
        ways.append(Saved(format=form, name=NAMES[form], note=note, file=stem + ending, mime=mime))
    return tuple(ways)


def _lost(trace: Trace, dialect: str) -> str:
    system = () if trace.system is None else (SystemMessage(content=trace.system),)
    found = Counter(loss.field for loss in losses((*system, *trace.messages), dialect))
    words = [f"{LOST[field]} ({count:,} ×)" for field, count in found.items()]
    return f"Lost: {', '.join(words)}." if words else ""


def origin(trace: Trace) -> tuple[str, tuple[str, ...]]:
    """Where an imported run comes from: one line, and the sentences behind it.

    Both are empty for a run that is from no file of others.
    """
    if trace.origin is None:
        return "", ()
    unknown, notices = missing(trace), trace.origin.notices
    line = [trace.origin.format]
    if unknown:
        # Beside notices in a word less: it is all one line.
        line.append(f"lacks {len(unknown)}" if notices else f"lacks {counted(len(unknown), 'thing')}")
    if notices:
        line.append(counted(len(notices), "notice"))
    line.insert(0, _from(trace.origin.file, LONGEST_LINE - len(" · ".join(["", *line]))))
    told = (f"Not in this file: {', '.join(unknown)}.",) if unknown else ()
    return " · ".join(line), (*notices, *told)


def _from(file: str, room: int) -> str:
    """The file's name, cut to the room that is left of the line."""
    longest = max(SHORTEST_FILE, room - len("from "))
    shown = file if len(file) <= longest else f"{file[: longest - 1]}…"
    return f"from {shown}" if file else "from a file"


def choice(number: int, trace: Trace) -> str:
    """A run of a file that holds several, in one line."""
    return f"{number} · {trace.title} · {counted(len(trace.calls), 'model call')}"
