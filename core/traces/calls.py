"""From model calls, each with what it was sent, to runs: calls that go on with one conversation are one run.

Traces of calls (spans, generations, logs of requests) hold the whole context of every call. A call goes on
with a run if its context begins as that of the run does and is longer than the one before. What a call was
sent beyond that is new in the history; what is missing was cut or compacted, and is noted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from core.messages.types import AssistantMessage, Message, ToolResultMessage, ToolSchema
from core.traces.run import Notices, Run, Said


@dataclass(frozen=True)
class Call:
    """A model call as a file tells it: the messages that were sent, and the reply."""

    sent: Sequence[Said]
    reply: Sequence[Said]
    model: str | None = None
    tools: tuple[ToolSchema, ...] | None = None
    title: str = ""
    notices: Iterable[str] = ()


_Key = tuple[object, ...]
"""What makes two messages the same."""


@dataclass
class _Growing:
    """A run that is being put together; `keys` are those of `said`."""

    said: list[Said] = field(default_factory=list)
    keys: list[_Key] = field(default_factory=list)
    sent: int = 0
    calls: list[Call] = field(default_factory=list)
    notices: Notices = field(default_factory=Notices)


def runs_of(calls: Iterable[Call]) -> Iterator[Run]:
    """The runs that the calls make, in the order of their first calls."""
    growing: list[_Growing] = []
    latest: dict[tuple[_Key, ...], _Growing] = {}
    for call in calls:
        sent = [_key(said.message) for said in call.sent]
        opening = _opening(sent)
        run = latest.get(opening)
        if run is None or len(sent) <= run.sent:
            run = latest[opening] = _Growing()
            growing.append(run)
        _extend(run, call, sent)
    for run in growing:
        yield Run(
            run.said,
            title=run.calls[0].title,
            model=next((call.model for call in reversed(run.calls) if call.model), None),
            tools=next((call.tools for call in reversed(run.calls) if call.tools is not None), None),
            notices=tuple(run.notices),
        )


def _opening(sent: Sequence[_Key]) -> tuple[_Key, ...]:
    """What tells one conversation from another: all up to the first thing that the user said."""
    end = next((index for index, key in enumerate(sent, 1) if key[0] == "user"), len(sent))
    return tuple(sent[:end])


def _extend(run: _Growing, call: Call, sent: Sequence[_Key]) -> None:
    if list(sent[: len(run.keys)]) == run.keys:
        new = list(range(len(run.keys), len(sent)))
    else:
        there = set(run.keys)
        new = [index for index, key in enumerate(sent) if key not in there]
        run.notices.add(
            f"Call {len(run.calls) + 1} was not sent the whole conversation before it; this history holds "
            "everything that any call was sent."
        )
    run.said += [call.sent[index] for index in new]
    run.keys += [sent[index] for index in new]
    run.said += call.reply
    run.keys += [_key(said.message) for said in call.reply]
    run.sent = len(sent)
    run.calls.append(call)
    for sentence in call.notices:
        run.notices.add(sentence)


def _key(message: Message) -> _Key:
    """Thoughts are often not sent back, nor are the names of tools."""
    match message:
        case AssistantMessage(content=content, tool_calls=calls):
            return "assistant", content.strip(), *((call.id, call.name, call.arguments) for call in calls)
        case ToolResultMessage(tool_call_id=call_id, content=content):
            return "tool", call_id, content
        case _:
            return message.role, message.content
