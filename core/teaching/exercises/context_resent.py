"""Tokens sent over n calls: every call sends the whole context again, so the sum grows with n squared."""

import numpy as np

from core.context.budget import budget_of
from core.messages import AssistantMessage, Part
from core.teaching.exercises.base import Kind, Made, Mistake, NumberField, Step, Table
from core.teaching.exercises.loop_chance import between
from core.trace import ModelCall, Segment


def tokens_sent(rng: np.random.Generator) -> Made:
    """Compute what n calls send, and how much of it was sent before."""
    prefix, question = 10 * between(rng, 10, 60), 5 * between(rng, 2, 12)
    added, calls = 10 * between(rng, 5, 20), between(rng, 4, 8)
    first = prefix + question
    sizes = [first + turn * added for turn in range(calls)]
    budget = budget_of([_call(size) for size in sizes])
    sent, resent = budget.sent or 0, budget.resent or 0
    last = budget.calls[-1].total or 0
    return Made(
        task=f"A run has {calls} calls of the model. Each call but the last adds {added} tokens: the request "
        "for a tool and its result. How many tokens does the last call send, how many do all of them send "
        "together, and how many of these had been sent before?",
        given=(
            Table(
                ("part", "tokens"),
                (
                    ("system prompt and tool schemas", str(prefix)),
                    ("the user's question", str(question)),
                    ("added by each turn", str(added)),
                ),
            ),
        ),
        fields=(
            NumberField("last", "Sent by the last call", "tokens", tolerance=0),
            NumberField("sent", "Sent by all calls", "tokens", tolerance=0),
            NumberField("resent", "Of them sent again", "tokens", tolerance=0),
        ),
        answers={"last": last, "sent": sent, "resent": resent},
        hint=f"Write down what call 1 sends, what call 2 sends, and what call {calls} sends. Then add.",
        mistakes=(
            Mistake(
                "One turn too many: before the first call nothing has been added yet.",
                {"last": last + added, "sent": sent + calls * added, "resent": resent + (calls - 1) * added},
            ),
            Mistake(
                "Each token counted once; but every call sends the whole context.",
                {"sent": last, "resent": 0.0},
            ),
            Mistake("The context grows: later calls send more than the first.", {"sent": calls * first}),
            Mistake("Only the last call is as large as that.", {"sent": calls * last}),
            Mistake(
                "System prompt and tool schemas count in every call, not once.",
                {"sent": sent - (calls - 1) * prefix},
            ),
            Mistake(
                "The question is sent again in every call as well.", {"sent": sent - (calls - 1) * question}
            ),
            Mistake(
                "That is what one turn adds; the last call sends everything before it too.", {"last": added}
            ),
            Mistake(
                "The tool schemas and the system prompt are sent with the last call as well.",
                {"last": last - prefix},
            ),
            Mistake(
                "New in each later call is what the turn before it added; take that off too.",
                {"resent": sent - first},
            ),
            Mistake("That is what was sent for the first time.", {"resent": last}),
            Mistake(
                "Prefix and question are sent again, and what earlier turns added is too.",
                {"resent": (calls - 1) * first},
            ),
        ),
        steps=(
            Step("Call by call:", _table(sizes)),
            Step(
                f"Together {calls} · {first} + {added} · (0 + 1 + … + {calls - 1}) = {calls * first:,} + "
                f"{added} · {calls * (calls - 1) // 2} = {sent:,} tokens."
            ),
            Step(
                f"Sent for the first time: {last:,}, as many as the last call holds. "
                f"Again: {sent:,} − {last:,} = {resent:,}."
            ),
        ),
    )


def _call(size: int) -> ModelCall:
    """A call whose context begins as every longer one does."""
    segment = Segment(part=Part.USER, text="", tokens=size, token_ids=tuple(range(size)))
    return ModelCall(segments=(segment,), reply=AssistantMessage())


def _table(sizes: list[int]) -> Table:
    rows = [
        (str(n), f"{size:,}", f"{again:,}")
        for n, (size, again) in enumerate(zip(sizes, [0, *sizes], strict=False), start=1)
    ]
    return Table(("call", "tokens sent", "of them again"), tuple(rows))


RESENT = (
    Kind(
        "tokens-sent",
        "Tokens sent over a run",
        "B",
        5,
        tokens_sent,
        r"\sum_{k=1}^{n}\bigl(p+(k-1)\,d\bigr)=n\,p+d\,\frac{n(n-1)}{2}",
    ),
)
