"""Ways to make a history fit that write no summary: what they drop, and which pairs they break.

Each takes nothing away from a history that fits.
"""

from collections.abc import Iterable

from core.context.shorten import (
    Count,
    Shortened,
    Source,
    always_kept,
    at_indices,
    blocks,
    least,
    shortened,
)
from core.messages.chat_dialect import MessageLike, as_messages
from core.messages.types import AssistantMessage, Message, SystemMessage, ToolResultMessage

ELIDED = "[The result was used and then removed.]"


def drop_oldest(messages: Iterable[MessageLike], count: Count, limit: int) -> Shortened:
    """The last messages that fit, whatever they are; at least the last one.

    The system prompt, which is the oldest, goes first, and a result can lose its call. Source: LangChain's
    `trim_messages` with `strategy="last"` and its defaults.

    Args:
        messages: the history, system prompt included.
        count: the tokens of a context with some messages.
        limit: how many there may be.

    Raises:
        InputError: a message that cannot be read, or a limit that is none.
    """
    typed = as_messages(messages)
    size = len(typed)

    def last(step: int) -> list[Source]:
        return at_indices(typed, range(step, size))

    return least(last, max(size - 1, 0), typed, count, limit)


def truncate_as_ollama(
    messages: Iterable[MessageLike], count: Count, limit: int, *, whole_blocks: bool = False
) -> Shortened:
    """What Ollama leaves of a request that is longer than its window: it tells nobody.

    The oldest messages go one at a time; all system prompts and the last message stay. So a result can lose
    its call, and the question can go before a long result does. If that does not fit either, the text is cut
    to half of the window and two tokens (`cut_to`), which `prompt_eval_count` then shows.

    Args:
        messages: the history, system prompt included.
        count: the tokens of a context with some messages.
        limit: `num_ctx`.
        whole_blocks: as later servers do it, which leave a result with its call.

    Source: ollama, server/prompt.go, `chatPrompt`, and there `toolBlockStartIndex`.

    Raises:
        InputError: a message that cannot be read, or a limit that is none.
    """
    typed = as_messages(messages)
    start_of = {index: block[0] for block in blocks(typed) for index in block}

    def from_(step: int) -> list[Source]:
        start = start_of.get(step, step) if whole_blocks else step
        kept = {index for index, message in enumerate(typed) if index >= start or _is_system(message)}
        return at_indices(typed, kept)

    left = least(from_, max(len(typed) - 1, 0), typed, count, limit)
    if count(left.messages) <= limit:
        return left
    return shortened(typed, zip(left.sources, left.messages, strict=True), cut_to=limit // 2 + 2)


def drop_blocks(messages: Iterable[MessageLike], count: Count, limit: int) -> Shortened:
    """The history without its oldest blocks: no call is parted from its results.

    The system prompt, the last user message and the last block stay.

    Args:
        messages: the history, system prompt included.
        count: the tokens of a context with some messages.
        limit: how many there may be.

    Raises:
        InputError: a message that cannot be read, or a limit that is none.
    """
    typed = as_messages(messages)
    units = blocks(typed)

    def without(step: int) -> list[Source]:
        kept = always_kept(typed) | {index for block in units[step:] for index in block}
        return at_indices(typed, kept)

    return least(without, max(len(units) - 1, 0), typed, count, limit)


def elide_results(messages: Iterable[MessageLike], count: Count, limit: int, note: str = ELIDED) -> Shortened:
    """The history with old results replaced by a note: the calls and their pairs stay, the texts go.

    Only a result that the model has already answered to is replaced, the oldest first, and only where the
    note is shorter.

    Args:
        messages: the history, system prompt included.
        count: the tokens of a context with some messages.
        limit: how many there may be.
        note: what stands in place of a result.

    Raises:
        InputError: a message that cannot be read, or a limit that is none.
    """
    typed = as_messages(messages)
    replies = [index for index, message in enumerate(typed) if isinstance(message, AssistantMessage)]
    last_reply = replies[-1] if replies else 0
    used = [
        index
        for index, message in enumerate(typed[:last_reply])
        if isinstance(message, ToolResultMessage) and len(message.content) > len(note)
    ]

    def elided(step: int) -> list[Source]:
        gone = set(used[:step])
        return [
            (index, message.model_copy(update={"content": note}) if index in gone else message)
            for index, message in enumerate(typed)
        ]

    return least(elided, len(used), typed, count, limit)


def _is_system(message: Message) -> bool:
    return isinstance(message, SystemMessage)
