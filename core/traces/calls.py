"""From model calls, each with what it was sent, to runs: calls that go on with one conversation are one run.

Traces of calls (spans, generations, logs of requests) hold the whole context of every call. A call goes on
with a run if its context begins as that of the run does and is longer than the one before. What a call was
sent beyond that is new in the history; what is missing was cut or compacted, and is noted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from core.messages.types import AssistantMessage, Message, SystemMessage, ToolSchema
from core.traces.run import Notices, Run, Said

OPENING = 2
"""Messages that tell one conversation from another: mostly the system prompt and what the user asked."""


@dataclass(frozen=True)
class Call:
    """A model call as a file tells it: the messages that were sent, and the reply."""

    sent: Sequence[Said]
    reply: Sequence[Said]
    model: str | None = None
    tools: tuple[ToolSchema, ...] | None = None
    title: str = ""
    notices: Iterable[str] = ()


@dataclass
class _Growing:
    """A run that is being put together."""

    said: list[Said]
    sent: int
    calls: list[Call]
    notices: Notices = field(default_factory=Notices)


def runs_of(calls: Iterable[Call]) -> Iterator[Run]:
    """The runs that the calls make, in the order of their first calls."""
    growing: list[_Growing] = []
    latest: dict[tuple[str, ...], _Growing] = {}
    for call in calls:
        opening = tuple(_key(said.message) for said in call.sent[:OPENING])
        run = latest.get(opening)
        if run is None or len(call.sent) <= run.sent:
            run = latest[opening] = _Growing([], 0, [])
            growing.append(run)
        _extend(run, call)
    for run in growing:
        yield Run(
            run.said,
            title=run.calls[0].title,
            model=next((call.model for call in reversed(run.calls) if call.model), None),
            tools=next((call.tools for call in reversed(run.calls) if call.tools is not None), None),
            notices=tuple(run.notices),
        )


def _extend(run: _Growing, call: Call) -> None:
    known = [_key(said.message) for said in run.said]
    sent = [_key(said.message) for said in call.sent]
    if sent[: len(known)] == known:
        run.said += call.sent[len(known) :]
    else:
        there = set(known)
        run.said += [said for said, key in zip(call.sent, sent, strict=True) if key not in there]
        run.notices.add(
            f"Call {len(run.calls) + 1} was not sent the whole conversation before it; this history holds "
            "everything that any call was sent."
        )
    run.said += call.reply
    run.sent = len(call.sent)
    run.calls.append(call)
    for sentence in call.notices:
        run.notices.add(sentence)


def _key(message: Message) -> str:
    """What makes two messages the same: thoughts are often not sent back, nor are the names of tools."""
    if isinstance(message, AssistantMessage):
        message = message.model_copy(update={"thinking": None, "content": message.content.strip()})
        return message.model_dump_json()
    if isinstance(message, SystemMessage):
        return f"system {message.content}"
    return f"{message.role} {getattr(message, 'tool_call_id', '')} {message.content}"
