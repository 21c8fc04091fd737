"""Ways to make a history fit that write no summary: what they drop, and which pairs they break.

Each takes nothing away from a history that fits.
"""

from collections.abc import Callable, Iterable

from core.context.shorten import (
    Count,
    Shortened,
    Source,
    always_kept,
    blocks,
    from_,
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

    def last(step: int) -> list[Source]:
        return from_(typed, step, ())

    return least(last, max(len(typed) - 1, 0), typed, count, limit)


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
    start_of = {index: block[0] for block in blocks(typed) for index in block} if whole_blocks else {}
    systems = [index for index, message in enumerate(typed) if isinstance(message, SystemMessage)]

    def last(step: int) -> list[Source]:
        return from_(typed, start_of.get(step, step), systems)

    left = least(last, max(len(typed) - 1, 0), typed, count, limit)
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
    starts = [block[0] for block in blocks(typed)] or [0]
    always = always_kept(typed)

    def without(step: int) -> list[Source]:
        return from_(typed, starts[step], always)

    return least(without, len(starts) - 1, typed, count, limit)


def noted(result: ToolResultMessage) -> Message:
    """The note that stands in place of a result."""
    return result.model_copy(update={"content": ELIDED})


def elide_results(
    messages: Iterable[MessageLike],
    count: Count,
    limit: int,
    noted: Callable[[ToolResultMessage], Message] = noted,
) -> Shortened:
    """The history with old results replaced by a note: the calls and their pairs stay, the texts go.

    Only a result that the model has already answered to is replaced, the oldest first, and only where the
    note is shorter.

    Args:
        messages: the history, system prompt included.
        count: the tokens of a context with some messages.
        limit: how many there may be.
        noted: what stands in place of a result.

    Raises:
        InputError: a message that cannot be read, or a limit that is none.
    """
    typed = as_messages(messages)
    replies = [index for index, message in enumerate(typed) if isinstance(message, AssistantMessage)]
    last_reply = replies[-1] if replies else 0
    used = [
        (index, message)
        for index, message in enumerate(typed[:last_reply])
        if isinstance(message, ToolResultMessage) and len(message.content) > len(noted(message).content)
    ]

    def elided(step: int) -> list[Source]:
        left = list(typed)
        for index, result in used[:step]:
            left[index] = noted(result)
        return list(enumerate(left))

    return least(elided, len(used), typed, count, limit)
