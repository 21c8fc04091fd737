"""What if: the same run under other conditions, call by call, without asking a model.

The messages are those that the run made. What a model would have answered to another context is not known,
so the replies stay; what is computed is what each call would have sent, what would have fallen out of it, and
what a server would have said to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.context.assemble import TokenCounter
from core.context.budget import budget_of
from core.context.compact import compact
from core.context.habits import Habits
from core.context.shorten import Count, Shortened, shortened
from core.context.summary import Summaries, Summary, transcript
from core.context.supplies import Assembly
from core.context.supposed import Supposed, SupposedCall
from core.context.supposition import Strategy, Supposition
from core.context.tally import Tally
from core.context.truncate import drop_blocks, drop_oldest, elide_results, noted, truncate_as_ollama
from core.context.writer import ContextWriter, GrowingContext
from core.errors import InputError
from core.messages import (
    Message,
    Problem,
    SystemMessage,
    ToolResultMessage,
    ToolSchema,
    UserMessage,
    refusals,
)
from core.trace import ModelCall, Segment, Trace

STRICT = "openai-chat"
"""The server that is asked what it would refuse; Ollama refuses nothing."""


def suppose(
    trace: Trace, supposition: Supposition, counter: TokenCounter, assembly: Assembly | None = None
) -> Supposed:
    """Replay a run under a supposition; as `Replay`, which is for several."""
    return Replay(trace, counter, assembly).suppose(supposition)


class Replay:
    """A run that is replayed under one supposition after the other: what was written once is found again.

    Args:
        trace: any run whose messages are known.
        counter: how contexts are written and counted; the run's own, for its own numbers.
        assembly: what its system prompt is made of, to choose otherwise.

    Raises:
        InputError: the counter has no tokenizer, its template refuses the run, or the run was sent otherwise
            than its messages tell, such as with its calls as text.
    """

    def __init__(self, trace: Trace, counter: TokenCounter, assembly: Assembly | None = None) -> None:
        self._trace = trace
        self._counter = counter
        self._assembly = assembly
        self._writer = ContextWriter(counter)
        sent = list(sent_messages(trace, trace.system))
        if sent:
            self._writer.prepare(sent[-1], trace.tools or ())
        _check_native(trace, sent, self._writer)

    def suppose(self, supposition: Supposition, summaries: Summaries | None = None) -> Supposed:
        """The run under a supposition.

        Args:
            summaries: those that a model has written. Where one is missing, and without them, the summary of
                the supposition stands. How much gives way is decided with that one too, for a model's is
                written of what gives way.

        Raises:
            InputError: the template refuses the run.
        """
        system, counter, writer = self._trace.system, self._counter, self._writer
        if self._assembly is not None:
            system, inserts = self._assembly.composed(supposition.choice)
            counter = replace(counter, inserts=inserts)
            writer = ContextWriter(counter)
        habits = Habits(self._trace.messages, self._trace.tools or (), supposition, writer)
        sent, whole, full = (GrowingContext(writer) for _ in range(3))
        kept: _Kept | None = None
        calls: list[ModelCall] = []
        outcomes: list[SupposedCall] = []
        histories = sent_messages(self._trace, system)
        for number, (call, history) in enumerate(zip(self._trace.calls, histories, strict=True)):
            tools, messages = habits.tools(number), habits.messages(history, number)
            left, kept = _shorten(messages, tools, supposition, writer, kept, summaries)
            segments = sent.next(list(zip(left.sources, left.messages, strict=True)), tools)
            whole.next(list(enumerate(messages)), tools)
            if habits.leave_out:
                full.next(list(enumerate(habits.in_full(history, number))), tools)
            all_of_it = full.tally if habits.leave_out else whole.tally
            changes = {"segments": segments, "counting": counter.counting, "window": supposition.window}
            calls.append(call.model_copy(update=changes))
            outcomes.append(_outcome(messages, left, sent.tally, whole.tally, all_of_it, supposition, kept))
        return Supposed(supposition, tuple(calls), tuple(outcomes), budget_of(calls))


def sent_messages(trace: Trace, system: str | None) -> Iterator[tuple[Message, ...]]:
    """The messages that each call of a run sends with a system prompt, in the order of the calls."""
    history: list[Message] = [SystemMessage(content=system)] if system else []
    history += trace.history
    for step in trace.steps:
        if step.model_call is not None:
            yield tuple(history)
        if step.appended is not None:
            history.append(step.appended)


@dataclass(frozen=True)
class _Kept:
    """What is left after a call, for the next one to go on from.

    `places` are those of the messages, `None` for the `summary`, which is sent as `summing_up`, and `seen` is
    how many messages there were. `gave_way` is what the last compaction took, if it was in this call.
    `left` are the messages after results became notes, and `notes` the notes by the results that they stand
    for: each is made once, so that it is counted once.
    """

    places: tuple[int | None, ...] = ()
    seen: int = 0
    summary: Summary | None = None
    summing_up: Message = field(default_factory=lambda: UserMessage(content=""))
    gave_way: str = ""
    left: tuple[Message, ...] = ()
    notes: dict[int, tuple[Message, Message]] = field(default_factory=dict)

    def noted(self, result: ToolResultMessage) -> Message:
        """The note for a result."""
        if id(result) not in self.notes:
            self.notes[id(result)] = (result, noted(result))
        return self.notes[id(result)][1]


def _shorten(
    messages: tuple[Message, ...],
    tools: Sequence[ToolSchema],
    supposition: Supposition,
    writer: ContextWriter,
    kept: _Kept | None,
    summaries: Summaries | None,
) -> tuple[Shortened, _Kept | None]:
    limit = supposition.limit

    def count(some: Sequence[Message]) -> int:
        return writer.tokens(some, tools)

    if limit is None:
        return shortened(messages, enumerate(messages)), None
    match supposition.strategy:
        case Strategy.NONE:
            return shortened(messages, enumerate(messages)), None
        case Strategy.OLLAMA:
            return truncate_as_ollama(messages, count, limit), None
        case Strategy.OLDEST:
            return drop_oldest(messages, count, limit), None
        case Strategy.BLOCKS:
            return drop_blocks(messages, count, limit), None
        case Strategy.ELIDE:
            return _elided(messages, count, limit, kept)
        case Strategy.COMPACT:
            return _compacted(messages, supposition, count, limit, kept or _Kept(), summaries)


def _compacted(
    messages: tuple[Message, ...],
    supposition: Supposition,
    count: Count,
    limit: int,
    kept: _Kept,
    summaries: Summaries | None,
) -> tuple[Shortened, _Kept]:
    """What an earlier compaction took away stays away, and what came since is added."""
    places = (*kept.places, *range(kept.seen, len(messages)))
    state = [kept.summing_up if place is None else messages[place] for place in places]
    short = compact(state, supposition.keep_last, supposition.summary, count=count, limit=limit)
    left = tuple(None if source is None else places[source] for source in short.sources)
    gone = [state[index] for index in short.dropped]
    now = replace(kept, places=left, seen=len(messages), gave_way="")
    if any(message is not kept.summing_up for message in gone):  # a summary alone is not summarised again
        of = transcript(gone)
        summary = (summaries and summaries(of)) or Summary(text=supposition.summary)
        now = replace(now, gave_way=of, summary=summary, summing_up=UserMessage(content=summary.text))
    sent = (
        now.summing_up if place is None else message
        for place, message in zip(left, short.messages, strict=True)
    )
    return shortened(messages, zip(left, sent, strict=True)), now


def _elided(
    messages: tuple[Message, ...], count: Count, limit: int, kept: _Kept | None
) -> tuple[Shortened, _Kept]:
    """What an earlier call has elided stays so; it would be elided again, for a context only grows."""
    kept = kept or _Kept()
    state = [*kept.left, *messages[len(kept.left) :]]
    left = elide_results(state, count, limit, kept.noted)
    return shortened(messages, enumerate(left.messages)), replace(kept, left=left.messages)


def _outcome(
    messages: Sequence[Message],
    left: Shortened,
    sent: Tally,
    whole: Tally,
    full: Tally,
    supposition: Supposition,
    kept: _Kept | None,
) -> SupposedCall:
    """What becomes of a call: `full` with all thoughts, `whole` without those left out, and `sent`."""
    room = None if supposition.window is None else supposition.window - supposition.reserve
    blind = supposition.strategy is Strategy.OLLAMA  # it cuts, and refuses nothing
    dropped = set(left.dropped)
    return SupposedCall(
        whole=full.total,
        total=sent.total,
        lost=dict(full.counts - sent.counts),
        added=dict(sent.counts - full.counts),
        dropped=left.dropped,
        elided=left.elided,
        fallen=tuple(segment for segment in whole.segments if segment.message in dropped) if dropped else (),
        lost_question=bool(dropped) and _last_question(messages) in dropped,
        broken=tuple(_at_place(problem, left.sources) for problem in left.broken),
        refusals=tuple(refusals(left.messages, STRICT)) if left.broken else (),
        overflow=0 if room is None or blind else max(0, sent.total - room),
        cut_to=left.cut_to,
        summary=kept.summary if kept else None,
        gave_way=kept.gave_way if kept else "",
        thoughts=full.total - whole.total,
    )


def _last_question(messages: Sequence[Message]) -> int | None:
    indices = range(len(messages) - 1, -1, -1)
    return next((index for index in indices if isinstance(messages[index], UserMessage)), None)


def _at_place(problem: Problem, sources: Sequence[int | None]) -> Problem:
    place = sources[problem.index]
    return problem if place is None else problem.model_copy(update={"index": place})


def _check_native(trace: Trace, sent: Sequence[Sequence[Message]], writer: ContextWriter) -> None:
    """Contexts that were recorded must be those that the messages make."""
    recorded = [
        (call, messages)
        for call, messages in zip(trace.calls, sent, strict=True)
        if call.segments is not None and call.counting.template == writer.template
    ]
    if not recorded:
        return
    call, messages = recorded[-1]
    written = writer.context(list(enumerate(messages)), trace.tools or ())
    if _text(written) != _text(call.segments or ()):
        raise InputError(
            "This run sent its calls as text, not as messages: choose a run with native tool calling."
        )


def _text(segments: Sequence[Segment]) -> str:
    return "".join(segment.text for segment in segments)
