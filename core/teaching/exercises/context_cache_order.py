"""Order the parts of a context for the prompt cache: what changes least comes first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.context.prefix_cache import Server, cached_calls
from core.messages import AssistantMessage, Part
from core.teaching.exercises.base import Answer, Kind, Made, Mistake, NumberField, OrderField, Step, Table
from core.teaching.exercises.loop_chance import between, pick, some
from core.trace import ModelCall, Segment

LEVELS = ("never", "with each user", "with each question", "grows with each call", "with each call")
"""When a part changes, by how far in front it belongs. What grows keeps its beginning."""

GROWS = LEVELS.index("grows with each call")
PARTS = (
    ("system prompt", "style guide", "examples of the format"),
    ("tool schemas, by the user's rights", "what is remembered of the user", "the user's settings"),
    ("retrieved documents", "instructions of the skill that fits"),
    ("messages of this question",),
    ("time of day, to the second", "number of steps left", "what the screen shows now"),
)


@dataclass(frozen=True)
class Changing:
    """A part of the context: when it changes, as a place in `LEVELS`, and its tokens in the first call."""

    name: str
    level: int
    tokens: int


def cache_order(rng: np.random.Generator) -> Made:
    """Bring the parts into the order that is cached best, and count what a second call reads anew."""
    left_out = pick(rng, (0, 1, 2, None))
    parts = [
        Changing(pick(rng, names), level, between(rng, 8, 40) if level > GROWS else 5 * between(rng, 8, 60))
        for level, names in enumerate(PARTS)
        if level != left_out
    ]
    grows = 5 * between(rng, 6, 30)
    order = sorted(parts, key=lambda part: part.level)
    read = second_call(order, grows)
    given = parts
    while given == order:
        given = some(rng, parts, len(parts))
    names = tuple(part.name for part in given)
    clock, growing = order[-1], order[-2]
    ticking = second_call([clock, *order[:-1]], grows)

    def swapped(first: int) -> list[Changing]:
        """The order with two neighbours exchanged."""
        return [*order[:first], order[first + 1], order[first], *order[first + 2 :]]

    return Made(
        task="A server keeps what it has computed for a prefix. In which order should the parts be sent, so "
        "that as much as possible is used again? And how many tokens does the second call for the same "
        f"question then read anew, if its messages have grown by {grows} tokens?",
        given=(
            Table(
                ("part", "tokens", "changes"),
                tuple((part.name, str(part.tokens), LEVELS[part.level]) for part in given),
            ),
        ),
        fields=(
            OrderField("order", "Order", names),
            NumberField("read", "Read anew by the second call", "tokens", tolerance=0),
        ),
        answers={"order": tuple(part.name for part in order), "read": read},
        otherwise={"order": lambda answer: _too_early(answer, order)},
        hint="The cache ends at the first token that differs. Whatever stands behind it is computed again.",
        mistakes=(
            Mistake(
                "The other way round: what changes most comes last.",
                {"order": tuple(part.name for part in reversed(order))},
            ),
            Mistake(
                f"Before the messages, “{clock.name}” changes in each call, so all messages are read anew.",
                {
                    "order": tuple(part.name for part in swapped(len(order) - 2)),
                    "read": second_call(swapped(len(order) - 2), grows),
                },
            ),
            Mistake(
                f"At the head, “{clock.name}” changes in each call: nothing is used again.",
                {
                    "order": (clock.name, *(part.name for part in order[:-1])),
                    "read": ticking,
                },
            ),
            *(
                Mistake(
                    f"“{order[place].name}” is more stable than “{order[place + 1].name}”: put it first.",
                    {"order": tuple(part.name for part in swapped(place))},
                )
                for place in range(len(order) - 2)
            ),
            Mistake(
                "That is what the messages have grown by; the part behind them is read anew too.",
                {"read": grows},
            ),
            Mistake("The messages have grown; their new end is read too.", {"read": clock.tokens}),
            Mistake(
                "What the messages held before is used again: they only grow at the end.",
                {"read": read + growing.tokens},
            ),
            Mistake(
                "That is what is used again.", {"read": sum(part.tokens for part in order) - clock.tokens}
            ),
            Mistake(
                "That is all that the call sends; the beginning is used again.",
                {"read": sum(part.tokens for part in order) + grows},
            ),
        ),
        steps=(
            Step(
                "By how seldom they change:",
                Table(("part", "changes"), tuple((part.name, LEVELS[part.level]) for part in order)),
            ),
            Step(
                f"Shared is all up to the end of the old messages: {grows} + {clock.tokens} = {read} are new."
            ),
            Step(f"With “{clock.name}” at the head all {ticking:,} would be read anew."),
        ),
    )


def _too_early(answer: Answer, order: Sequence[Changing]) -> str:
    """Which part is the first in a wrong place, and which of those behind it changes less."""
    assert isinstance(answer, tuple)
    place = next(i for i, part in enumerate(order) if part.name != answer[i])
    early = next(part for part in order if part.name == answer[place])
    later = order[place]
    return (
        f"Place {place + 1} is the first that is wrong: “{early.name}” {_said(early)}, "
        f"and behind it stands one that {_said(later)}."
    )


def _said(part: Changing) -> str:
    level = LEVELS[part.level]
    return {"never": "never changes"}.get(level, level if part.level == GROWS else f"changes {level}")


def second_call(order: Sequence[Changing], grows: int) -> int:
    """What the second call for one question reads anew, by core's own prefix cache."""
    first, second = (
        ModelCall(
            segments=tuple(_segment(part, number, call, grows) for number, part in enumerate(order)),
            reply=AssistantMessage(),
        )
        for call in range(2)
    )
    return cached_calls((first, second), Server())[1].read


def _segment(part: Changing, number: int, call: int, grows: int) -> Segment:
    """The tokens of a part in the first call, or the second: others where it changes with each call."""
    start = number * 10_000 + (call * 5_000 if part.level > GROWS else 0)
    tokens = part.tokens + (call * grows if part.level == GROWS else 0)
    return Segment(
        part=Part.SYSTEM, text=part.name, token_ids=tuple(range(start, start + tokens)), tokens=tokens
    )


CACHE_ORDER = (Kind("cache-order", "Order for the cache", "B", 5, cache_order),)
