"""What a compaction may cut: whole pairs of a call and its results, and never one half."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.context import compact
from core.messages import AssistantMessage, Message, ToolResultMessage, check_pairing, pairs
from core.teaching.exercises.base import Kind, Made, Mistake, NumberField, SetField, Step, Table
from core.teaching.exercises.loop_chance import between, some
from core.teaching.exercises.loop_scripts import SYSTEM, Script, script
from core.teaching.exercises.loop_transcript import history, listed

Span = tuple[int, int]
"""The first and the last message of a cut, counted from 0."""

SPANS = 4
"""Cuts to judge."""


def compaction(rng: np.random.Generator) -> Made:
    """Judge some cuts of a history, and count what `compact` drops."""
    first, second = script(rng), script(rng)
    while first.question == second.question:
        second = script(rng)
    whole = _two_turns(first, second)
    question = max(n for n, message in enumerate(whole) if message.role == "user")
    cuts = _cuts(rng, whole, question)
    sound = [span for span, parted in cuts.items() if not parted]
    names = tuple(map(_name, cuts))
    right = frozenset(map(_name, sound))
    keep = between(rng, 2, len(whole) - 3)
    dropped = compact(whole, keep_last=keep).dropped
    plain = len([n for n in range(1, len(whole) - keep) if n != question])
    return Made(
        task="This history has become too long. Which cuts leave a history that a server takes? And how "
        f"many messages does a compaction drop that keeps about the last {keep}? It always keeps the system "
        "prompt and the last question, and moves a cut that would part a pair back before the call.",
        given=(listed(whole, first=0),),
        fields=(
            SetField("cuts", "May be cut out", names),
            NumberField("dropped", "Messages dropped", tolerance=0),
        ),
        answers={"cuts": right, "dropped": len(dropped)},
        hint="A call and its results form a block. Mark the blocks first.",
        mistakes=(
            *(
                Mistake(f"{_name(span)}: {_parted(whole, span, ids[0])}", {"cuts": right | {_name(span)}})
                for span, ids in cuts.items()
                if ids
            ),
            *(
                Mistake(f"{_name(span)} may go too: no pair is parted.", {"cuts": right - {_name(span)}})
                for span in sound
            ),
            Mistake(
                "Those are the ones that may not be cut: each parts a pair.",
                {"cuts": frozenset(names) - right},
            ),
            Mistake("A cut there parts a pair: it is moved back before the call.", {"dropped": plain}),
            Mistake(
                "The system prompt and the last question are kept as well.",
                {"dropped": len(whole) - keep},
            ),
            Mistake("Those are the ones that stay.", {"dropped": len(whole) - len(dropped)}),
        ),
        steps=(
            Step("The cuts, with the pairs that they part:", _table(cuts)),
            Step(
                f"{len(whole)} messages; the last {keep} begin with message {len(whole) - keep}. "
                f"Dropped: {_listed(dropped)}."
            ),
        ),
    )


def _two_turns(first: Script, second: Script) -> tuple[Message, ...]:
    """Two questions after one another, the second without its answer; every id once."""
    messages: list[Message] = []
    for place, part in enumerate((first.ran.trace.messages, second.ran.trace.messages[:-1])):
        for message in part:
            if isinstance(message, AssistantMessage):
                calls = [call.model_copy(update={"id": _id(call.id, place)}) for call in message.tool_calls]
                message = message.model_copy(update={"tool_calls": tuple(calls)})
            elif isinstance(message, ToolResultMessage):
                message = message.model_copy(update={"tool_call_id": _id(message.tool_call_id, place)})
            messages.append(message)
    return history(SYSTEM, messages)


def _id(id_: str, turn: int) -> str:
    return f"{id_}_{'ab'[turn]}"


def _cuts(rng: np.random.Generator, whole: Sequence[Message], question: int) -> dict[Span, list[str]]:
    """Cuts of two to four messages without the system prompt and the question, with the ids that they part.

    One or two of them part none.
    """
    spans = [
        (start, end)
        for start in range(1, len(whole) - 1)
        for end in range(start + 1, min(start + 4, len(whole)))
        if not start <= question <= end
    ]
    wanted = between(rng, 1, 2)
    sound: dict[Span, list[str]] = {}
    broken: dict[Span, list[str]] = {}
    for span in some(rng, spans, len(spans)):
        left = [message for n, message in enumerate(whole) if not span[0] <= n <= span[1]]
        parted = [problem.call_id for problem in check_pairing(left)]
        found, most = (broken, SPANS - wanted) if parted else (sound, wanted)
        if len(found) < most:
            found[span] = parted
        if len(sound) + len(broken) == SPANS:
            break
    return dict(sorted((sound | broken).items()))


def _parted(whole: Sequence[Message], span: Span, id_: str) -> str:
    """What a cut does to a pair that it parts."""
    pair = next(pair for pair in pairs(whole) if pair.call_id == id_)
    if span[0] <= pair.call <= span[1]:
        return f"the result in message {pair.result} would lose its call in message {pair.call}."
    return f"the call in message {pair.call} would lose its result in message {pair.result}."


def _table(cuts: Mapping[Span, Sequence[str]]) -> Table:
    rows = [(_name(span), ", ".join(parted) or "none") for span, parted in cuts.items()]
    return Table(("cut", "pairs that it parts"), tuple(rows))


def _name(span: Span) -> str:
    return f"{span[0]} to {span[1]}"


def _listed(places: Sequence[int]) -> str:
    return ", ".join(map(str, places)) or "none"


COMPACTION = (Kind("compaction", "What a compaction may cut", "B", 5, compaction),)
