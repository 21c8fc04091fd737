"""What a history loses when it is made shorter, as a value; and what the ways to shorten it share.

A block is an assistant message with its calls and the results behind it. A server refuses a history in which
one half of a block is missing, so whatever drops whole blocks is safe, and whatever drops messages is not.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import is_
from typing import overload

from core.errors import InputError
from core.messages import Message, Problem, ToolResultMessage, UserMessage, check_pairing
from core.messages.types import AssistantMessage, SystemMessage

Count = Callable[[Sequence[Message]], int]
"""The tokens of a context with these messages: all that is sent, tool schemas and template included."""

Source = tuple[int | None, Message]
"""A message of the shortened history, and its index in the whole one; `None` where it was added."""


@dataclass(frozen=True)
class Shortened(Sequence[Message]):
    """A shortened history. It is the sequence of its `messages`.

    `sources` are their indices in the whole history, `None` for a summary that was added. `dropped` are the
    indices that are gone, `elided` those whose content was replaced. `broken` are the breaches of the pairing
    invariant that were not there before, with indices of the shortened history: for these the next request is
    refused (`core.messages.refusals`), or the model sees a result without its call. `cut_to` is the number
    of tokens to which the text itself was cut, where that happened.
    """

    messages: tuple[Message, ...]
    sources: tuple[int | None, ...]
    dropped: tuple[int, ...] = ()
    elided: tuple[int, ...] = ()
    broken: tuple[Problem, ...] = ()
    cut_to: int | None = None

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...
    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        return self.messages[index]

    def __len__(self) -> int:
        return len(self.messages)


def shortened(whole: Sequence[Message], kept: Iterable[Source], cut_to: int | None = None) -> Shortened:
    """The value for what was kept of a history, in order."""
    pairs = list(kept)
    sources = tuple(at for at, _ in pairs)
    messages = tuple(message for _, message in pairs)
    if len(messages) == len(whole) and all(map(is_, messages, whole)):
        return Shortened(messages=messages, sources=sources, cut_to=cut_to)
    left = set(sources)
    elided = [
        at for at, message in pairs if at is not None and message is not whole[at] and message != whole[at]
    ]
    before = {(problem.kind, problem.index, problem.call_id) for problem in check_pairing(whole)}
    return Shortened(
        messages=messages,
        sources=sources,
        dropped=tuple(index for index in range(len(whole)) if index not in left),
        elided=tuple(elided),
        broken=tuple(
            problem
            for problem in check_pairing(messages)
            if (problem.kind, sources[problem.index], problem.call_id) not in before
        ),
        cut_to=cut_to,
    )


def blocks(messages: Sequence[Message]) -> list[list[int]]:
    """The indices of all but system prompts, in order, with what belongs together in one list."""
    found: list[list[int]] = []
    open_ = False
    for index, message in enumerate(messages):
        if isinstance(message, SystemMessage):
            open_ = False
        elif isinstance(message, ToolResultMessage) and open_:
            found[-1].append(index)
        else:
            open_ = isinstance(message, AssistantMessage) and bool(message.tool_calls)
            found.append([index])
    return found


def always_kept(messages: Sequence[Message]) -> set[int]:
    """The system prompts, and the last user message: what the model is asked to do."""
    users = [index for index, message in enumerate(messages) if isinstance(message, UserMessage)]
    systems = {index for index, message in enumerate(messages) if isinstance(message, SystemMessage)}
    return systems | set(users[-1:])


def from_(messages: Sequence[Message], start: int, always: Iterable[int]) -> list[Source]:
    """The messages from an index on, and before it those that are always kept; in order."""
    kept = [(index, messages[index]) for index in sorted(always) if index < start]
    return [*kept, *zip(range(start, len(messages)), messages[start:], strict=True)]


def least(
    candidate: Callable[[int], list[Source]], most: int, messages: Sequence[Message], count: Count, limit: int
) -> Shortened:
    """The first of the candidates 0 to `most` that fits, or the last one. Each is shorter than the one
    before, so halving finds it. Nothing is taken away where everything fits.

    Raises:
        InputError: the limit is no number of tokens, or `count` cannot be called.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InputError(f"The limit must be a number of tokens, 1 or more, not {limit!r}.")
    if not callable(count):
        raise InputError("count must be a function that gives the tokens of a list of messages.")
    if count(messages) <= limit:
        return shortened(messages, enumerate(messages))
    low, high = 0, most  # the answer lies between them
    while low < high:
        middle = (low + high) // 2
        if count([message for _, message in candidate(middle)]) <= limit:
            high = middle
        else:
            low = middle + 1
    return shortened(messages, candidate(low))
