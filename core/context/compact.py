"""Compaction: earlier turns are replaced by a summary, and no call is parted from its results."""

from collections.abc import Iterable

from core.context.shorten import Count, Shortened, Source, always_kept, blocks, from_, least, shortened
from core.errors import InputError
from core.messages.chat_dialect import MessageLike, as_messages
from core.messages.types import Message, SystemMessage, UserMessage


def compact(
    messages: Iterable[MessageLike],
    keep_last: int = 4,
    summary: str | None = None,
    *,
    count: Count | None = None,
    limit: int | None = None,
) -> Shortened:
    """The history with its older messages replaced by a summary.

    The system prompt and the last user message are always kept. A cut that would fall between a call and its
    results is moved back before the call, so a little more than asked for may be kept.

    Args:
        messages: the history, typed or as dicts of the OpenAI chat dialect, system prompt included.
        keep_last: how many of the last messages to keep.
        summary: the text that stands for the rest, sent as a user message behind the system prompt; `None`
            puts nothing there. It is given, not made: by a model, or by hand.
        count: the tokens of a context with some messages. With `limit`, a history that fits stays as it is,
            and one that is still too long after the compaction keeps fewer messages, down to the last block.
        limit: the threshold, in tokens.

    Returns:
        The messages, with what was dropped. `broken` is empty if the history was sound.

    Raises:
        InputError: a message that cannot be read, a number or text that is none, or `count` without `limit`.
    """
    typed = as_messages(messages)
    if isinstance(keep_last, bool) or not isinstance(keep_last, int) or keep_last < 0:
        raise InputError(f"keep_last must be a number of messages, 0 or more, not {keep_last!r}.")
    if summary is not None and not isinstance(summary, str):
        raise InputError(f"The summary must be text, not {type(summary).__name__}.")
    if (count is None) != (limit is None):
        raise InputError("A threshold needs both: count, to know the tokens, and limit, to compare with.")
    starts = [block[0] for block in blocks(typed)]
    asked = len(typed) - keep_last
    cuts = [start for start in starts if start > asked]
    if keep_last:  # back to the start of the block that the cut would go through
        cuts.insert(0, max((start for start in starts if start <= asked), default=0))

    def after(step: int) -> list[Source]:
        return _compacted(typed, cuts[step] if cuts else len(typed), summary)

    if count is None or limit is None:
        return shortened(typed, after(0))
    return least(after, max(len(cuts) - 1, 0), typed, count, limit)


def _compacted(messages: tuple[Message, ...], cut: int, summary: str | None) -> list[Source]:
    sources = from_(messages, cut, always_kept(messages))
    if summary is not None and len(sources) < len(messages):
        texts = [
            place for place, (_, message) in enumerate(sources) if not isinstance(message, SystemMessage)
        ]
        sources.insert(texts[0] if texts else len(sources), (None, UserMessage(content=summary)))
    return sources
