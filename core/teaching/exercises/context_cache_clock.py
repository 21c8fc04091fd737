"""What a clock in the system prompt costs: from it on, nothing of the call before can be used again."""

import numpy as np

from core.context.prefix_cache import CachedCall, Server, cached_calls
from core.messages import AssistantMessage, Part
from core.teaching.exercises.base import Kind, Made, Mistake, NumberField, Step, Table
from core.teaching.exercises.loop_chance import between
from core.trace import ModelCall, Segment


def cache_clock(rng: np.random.Generator) -> Made:
    """Compute the tokens that a run reads anew, with a clock in its system prompt and without."""
    before, behind = 5 * between(rng, 2, 12), 10 * between(rng, 20, 80)
    clock, question = between(rng, 8, 16), 5 * between(rng, 3, 12)
    added, calls = 10 * between(rng, 5, 20), between(rng, 3, 6)
    without = _read(before, 0, behind + question, added, calls)
    ticking = _read(before, clock, behind + question, added, calls)
    plain, dear = (sum(call.read for call in run) for run in (without, ticking))
    first = before + behind + question
    return Made(
        task=f"A run has {calls} calls, each {added} tokens longer than the one before. A prompt cache keeps "
        "the prefix that a call shares with the one before. How many tokens are read anew in the whole run: "
        "without a clock, and with one in the system prompt that shows the time of each call?",
        given=(
            Table(
                ("part, in this order", "tokens"),
                (
                    ("system prompt before the clock", str(before)),
                    ("the clock, where there is one", str(clock)),
                    ("rest of the system prompt, and tool schemas", str(behind)),
                    ("the user's question", str(question)),
                    ("added by each call but the last", str(added)),
                ),
            ),
        ),
        fields=(
            NumberField("without", "Read anew without a clock", "tokens", tolerance=0),
            NumberField("with", "Read anew with the clock", "tokens", tolerance=0),
        ),
        answers={"without": plain, "with": dear},
        hint="Find the first token in which call 2 differs from call 1. What stands before it is used again.",
        mistakes=(
            Mistake(
                "That is what is sent; with a cache the shared prefix is not read again.",
                {"without": sum(call.total for call in without)},
            ),
            Mistake(
                "The first call reads everything: there is nothing to use yet.",
                {"without": plain - first, "with": dear - first - clock},
            ),
            Mistake(
                "The clock alone is not the price: all that stands behind it is read anew too.",
                {"with": plain + calls * clock},
            ),
            Mistake(
                "What stands before the clock is used again in each call after the first.",
                {"with": dear + (calls - 1) * before},
            ),
            Mistake("The clock itself is read in every call.", {"with": dear - calls * clock}),
            Mistake(
                "Only the first call reads all that; each later one adds its new tokens.", {"without": first}
            ),
            Mistake(
                f"{calls} calls add {calls - 1} times: the first adds nothing to one before.",
                {"without": plain + added},
            ),
            Mistake(
                "The question is in the first call, and shared from then on.", {"without": plain - question}
            ),
        ),
        steps=(
            Step("Call by call, what is read anew:", _table(without, ticking)),
            Step(
                f"Without: {first:,} + {calls - 1} · {added} = {plain:,}. Each call begins as the last one."
            ),
            Step(f"With: {dear:,}. The clock differs, so only the {before} tokens before it are used again."),
            Step(f"Behind the last message it would cost its own {calls} · {clock} tokens, no more."),
        ),
    )


def _read(before: int, clock: int, behind: int, added: int, calls: int) -> tuple[CachedCall, ...]:
    """The calls of a run under core's own prefix cache; a clock shows other tokens in each."""
    return cached_calls(
        [
            ModelCall(
                segments=(
                    _segment(range(before)),
                    _segment(range(10_000 * (n + 1), 10_000 * (n + 1) + clock)),
                    _segment(range(before, before + behind + n * added)),
                ),
                reply=AssistantMessage(),
            )
            for n in range(calls)
        ],
        Server(),
    )


def _segment(tokens: range) -> Segment:
    return Segment(part=Part.SYSTEM, text="", token_ids=tuple(tokens), tokens=len(tokens))


def _table(without: tuple[CachedCall, ...], ticking: tuple[CachedCall, ...]) -> Table:
    rows = [
        (str(n), f"{plain.read:,} of {plain.total:,}", f"{dear.read:,} of {dear.total:,}")
        for n, (plain, dear) in enumerate(zip(without, ticking, strict=True), start=1)
    ]
    return Table(("call", "without a clock", "with the clock"), tuple(rows))


CACHE_CLOCK = (Kind("cache-clock", "What a clock costs", "B", 5, cache_clock),)
