"""What if: the same run under other conditions, call by call, without asking a model.

The messages are those that the run made. What a model would have answered to another context is not known,
so the replies stay; what is computed is what each call would have sent, what would have fallen out of it, and
what a server would have said to it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.context.assemble import TokenCounter
from core.context.budget import RunBudget, budget_of
from core.context.compact import compact
from core.context.shorten import Count, Shortened, shortened
from core.context.supplies import Assembly
from core.context.supposition import Strategy, Supposition
from core.context.truncate import drop_blocks, drop_oldest, elide_results, truncate_as_ollama
from core.context.writer import ContextWriter
from core.errors import InputError
from core.messages import (
    AssistantMessage,
    Message,
    Part,
    Problem,
    Refusal,
    SystemMessage,
    ToolSchema,
    UserMessage,
    refusals,
)
from core.trace import ModelCall, Segment, Trace

STRICT = "openai-chat"
"""The server that is asked what it would refuse; Ollama refuses nothing."""

CLOCK = "It is 10:{:02}:{:02}."
SECONDS_APART = 8


@dataclass(frozen=True)
class SupposedCall:
    """What becomes of one call. Indices are those of the messages that the run itself would send.

    `whole` is the tokens before the strategy, `total` those after it: `total = whole - lost + added`, with
    `lost` and `added` by part. `broken` are the pairs that were parted and `refusals` what a strict server
    answers to them. `fallen` is what was dropped, as text. `lost_question` says that the last user message is
    gone. `overflow` is by how many tokens context and reserve exceed the window all the same, and `cut_to` to
    how many tokens Ollama then cuts the text.
    """

    whole: int
    total: int
    lost: dict[Part, int]
    added: dict[Part, int]
    dropped: tuple[int, ...] = ()
    elided: tuple[int, ...] = ()
    fallen: tuple[Segment, ...] = ()
    lost_question: bool = False
    broken: tuple[Problem, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    overflow: int = 0
    cut_to: int | None = None


@dataclass(frozen=True)
class Supposed:
    """A run as it would have been: its calls with what they send, what became of each, and the sums."""

    supposition: Supposition
    calls: tuple[ModelCall, ...]
    outcomes: tuple[SupposedCall, ...]
    budget: RunBudget

    @property
    def saved(self) -> int:
        """The tokens that the strategy leaves out, over all calls."""
        return sum(outcome.whole - outcome.total for outcome in self.outcomes)


def suppose(
    trace: Trace, supposition: Supposition, counter: TokenCounter, assembly: Assembly | None = None
) -> Supposed:
    """Replay a run under a supposition.

    Args:
        trace: any run whose messages are known.
        supposition: what is otherwise.
        counter: how contexts are written and counted; the run's own, for its own numbers.
        assembly: what its system prompt is made of, to choose otherwise.

    Raises:
        InputError: the counter has no tokenizer, its template refuses the run, or the run was sent otherwise
            than its messages tell, such as with its calls as text.
    """
    _check_native(trace, ContextWriter(counter))
    system = trace.system
    if assembly is not None:
        system, inserts = assembly.composed(supposition.choice)
        counter = replace(counter, inserts=inserts)
    writer = ContextWriter(counter)
    kept: _Kept | None = None
    calls: list[ModelCall] = []
    outcomes: list[SupposedCall] = []
    for number, (call, history) in enumerate(zip(trace.calls, sent_messages(trace, system), strict=True)):
        tools = _tools(trace.tools or (), supposition, number)
        messages = _as_sent(history, supposition, number)
        left, kept = _shorten(messages, tools, supposition, writer, kept)
        segments = writer.context(list(zip(left.sources, left.messages, strict=True)), tools)
        changed = left.dropped or left.elided or None in left.sources
        whole = writer.context(list(enumerate(messages)), tools) if changed else segments
        window = supposition.window
        calls.append(
            call.model_copy(update={"segments": segments, "counting": counter.counting, "window": window})
        )
        outcomes.append(_outcome(messages, left, segments, whole, supposition))
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

    `places` are those of the messages, `None` for a summary, and `seen` is how many messages there were;
    `notes` are the results that became notes, by their places.
    """

    places: tuple[int | None, ...] = ()
    seen: int = 0
    notes: Mapping[int, Message] = field(default_factory=dict)


def _shorten(
    messages: tuple[Message, ...],
    tools: Sequence[ToolSchema],
    supposition: Supposition,
    writer: ContextWriter,
    kept: _Kept | None,
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
            return _compacted(messages, supposition, count, limit, kept)


def _compacted(
    messages: tuple[Message, ...],
    supposition: Supposition,
    count: Count,
    limit: int,
    kept: _Kept | None,
) -> tuple[Shortened, _Kept]:
    """What an earlier compaction took away stays away, and what came since is added."""
    added = range(kept.seen if kept else 0, len(messages))
    places = (*(kept.places if kept else ()), *added)
    summary = UserMessage(content=supposition.summary)
    state = [summary if place is None else messages[place] for place in places]
    short = compact(state, supposition.keep_last, supposition.summary, count=count, limit=limit)
    left = tuple(None if source is None else places[source] for source in short.sources)
    result = shortened(messages, zip(left, short.messages, strict=True))
    return result, _Kept(left, len(messages))


def _elided(
    messages: tuple[Message, ...], count: Count, limit: int, kept: _Kept | None
) -> tuple[Shortened, _Kept]:
    """What an earlier call has elided stays so; it would be elided again, for a context only grows."""
    notes = kept.notes if kept else {}
    state = [notes.get(place, message) for place, message in enumerate(messages)]
    left = elide_results(state, count, limit)
    result = shortened(messages, enumerate(left.messages))
    return result, _Kept(notes={place: left.messages[place] for place in result.elided})


def _outcome(
    messages: Sequence[Message],
    left: Shortened,
    segments: Sequence[Segment],
    whole: Sequence[Segment],
    supposition: Supposition,
) -> SupposedCall:
    before, after = _by_part(whole), _by_part(segments)
    total = after.total()
    room = None if supposition.window is None else supposition.window - supposition.reserve
    blind = supposition.strategy is Strategy.OLLAMA  # it cuts, and refuses nothing
    dropped = set(left.dropped)
    asked = [index for index, message in enumerate(messages) if isinstance(message, UserMessage)]
    return SupposedCall(
        whole=before.total(),
        total=total,
        lost=dict(before - after),
        added=dict(after - before),
        dropped=left.dropped,
        elided=left.elided,
        fallen=tuple(segment for segment in whole if segment.message in dropped),
        lost_question=bool(asked) and asked[-1] in dropped,
        broken=tuple(_at_place(problem, left.sources) for problem in left.broken),
        refusals=tuple(refusals(left.messages, STRICT)) if left.broken else (),
        overflow=0 if room is None or blind else max(0, total - room),
        cut_to=left.cut_to,
    )


def _at_place(problem: Problem, sources: Sequence[int | None]) -> Problem:
    place = sources[problem.index]
    return problem if place is None else problem.model_copy(update={"index": place})


def _by_part(segments: Sequence[Segment]) -> Counter[Part]:
    found: Counter[Part] = Counter()
    for segment in segments:
        found[segment.part] += segment.tokens or 0
    return found


def _tools(tools: Sequence[ToolSchema], supposition: Supposition, number: int) -> tuple[ToolSchema, ...]:
    some = tuple(tools[: supposition.tools])
    return some[::-1] if supposition.reorder_tools and number % 2 else some


def _as_sent(messages: tuple[Message, ...], supposition: Supposition, number: int) -> tuple[Message, ...]:
    """The messages after what the runtime does to them just before it sends them."""
    if supposition.drop_thoughts:
        messages = _without_thoughts(messages)
    if supposition.clock == "none" or not messages:
        return messages
    time = CLOCK.format(number * SECONDS_APART // 60, number * SECONDS_APART % 60)
    if supposition.clock == "head":
        first = messages[0].model_copy(update={"content": f"{time} {messages[0].content}"})
        return (first, *messages[1:])
    last = messages[-1].model_copy(update={"content": f"{messages[-1].content} {time}"})
    return (*messages[:-1], last)


def _without_thoughts(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    replies = [index for index, message in enumerate(messages) if isinstance(message, AssistantMessage)]
    return tuple(
        message.model_copy(update={"content": "", "thinking": None})
        if isinstance(message, AssistantMessage)
        and message.tool_calls
        and (message.content or message.thinking)
        and index != replies[-1]
        else message
        for index, message in enumerate(messages)
    )


def _check_native(trace: Trace, writer: ContextWriter) -> None:
    """Contexts that were recorded must be those that the messages make."""
    recorded = [
        (call, messages)
        for call, messages in zip(trace.calls, sent_messages(trace, trace.system), strict=True)
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
