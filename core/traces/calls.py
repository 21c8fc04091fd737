"""From model calls, each with what it was sent, to runs: calls that go on with one conversation are one run.

Traces of calls (spans, generations, logs of requests) hold the whole context of every call. A call goes on
with a run if its context begins as that of the run does and is longer than the one before. What a call was
sent beyond that is new in the history; what is missing was cut or compacted, and is noted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from core.messages.types import AssistantMessage, Message, ToolResultMessage, ToolSchema
from core.traces.conversation import read_message
from core.traces.run import MOST_MESSAGES, Notices, Run, Said


@dataclass(frozen=True)
class Call:
    """A model call as a file tells it: the messages that were sent, as they stand there, and the reply."""

    sent: Sequence[object]
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
    reader = _Reader()
    for call in calls:
        notices = Notices()
        sent, keys = reader.read(call.sent, notices)
        opening = _opening(keys)
        run = latest.get(opening)
        if run is None or len(sent) <= run.sent:
            run = latest[opening] = _Growing()
            growing.append(run)
        _extend(run, call, sent, keys)
        for sentence in (*notices, *call.notices):
            run.notices.add(sentence)
    for run in growing:
        yield Run(
            run.said,
            title=run.calls[0].title,
            model=next((call.model for call in reversed(run.calls) if call.model), None),
            tools=next((call.tools for call in reversed(run.calls) if call.tools is not None), None),
            notices=tuple(run.notices),
        )


class _Reader:
    """Reads what each call was sent. Most of it was sent by the call before, and is not read again."""

    def __init__(self) -> None:
        self._told: Sequence[object] = ()
        self._read: list[list[tuple[Said, _Key]]] = []  # of each item of that list

    def read(self, told: Sequence[object], notices: Notices) -> tuple[list[Said], list[_Key]]:
        if len(told) > MOST_MESSAGES:
            notices.add(f"Of {len(told):,} messages the first {MOST_MESSAGES:,} were read.")
            told = told[:MOST_MESSAGES]
        pairs = enumerate(zip(told, self._told, strict=False))
        same = next((index for index, (a, b) in pairs if a != b), min(len(told), len(self._told)))
        fresh = (read_message(item, notices, number) for number, item in enumerate(told[same:], same + 1))
        self._read = self._read[:same] + [[(said, _key(said.message)) for said in one] for one in fresh]
        self._told = told
        flat = [pair for pairs_of_item in self._read for pair in pairs_of_item]
        return [said for said, _ in flat], [key for _, key in flat]


def _opening(sent: Sequence[_Key]) -> tuple[_Key, ...]:
    """What tells one conversation from another: all up to the first thing that the user said."""
    end = next((index for index, key in enumerate(sent, 1) if key[0] == "user"), len(sent))
    return tuple(sent[:end])


def _extend(run: _Growing, call: Call, sent: Sequence[Said], keys: Sequence[_Key]) -> None:
    if list(keys[: len(run.keys)]) == run.keys:
        new = list(range(len(run.keys), len(sent)))
    else:
        there = set(run.keys)
        new = [index for index, key in enumerate(keys) if key not in there]
        run.notices.add(
            f"Call {len(run.calls) + 1} was not sent the whole conversation before it; this history holds "
            "everything that any call was sent."
        )
    run.said += [sent[index] for index in new]
    run.keys += [keys[index] for index in new]
    run.said += call.reply
    run.keys += [_key(said.message) for said in call.reply]
    run.sent = len(sent)
    run.calls.append(call)


def _key(message: Message) -> _Key:
    """Thoughts are often not sent back, nor are the names of tools."""
    match message:
        case AssistantMessage(content=content, tool_calls=calls):
            return "assistant", content.strip(), *((call.id, call.name, call.arguments) for call in calls)
        case ToolResultMessage(tool_call_id=call_id, content=content):
            return "tool", call_id, content
        case _:
            return message.role, message.content
