"""Statelessness: what a request has to contain, because the model keeps nothing of the ones before."""

import numpy as np

from core.messages import AssistantMessage
from core.teaching.exercises.base import Kind, Made, Mistake, NumberField, SetField, Step, Table
from core.teaching.exercises.loop_chance import between
from core.teaching.exercises.loop_scripts import SYSTEM, script
from core.teaching.exercises.loop_transcript import history, listed

SCHEMAS = "tool schemas"


def sent_again(rng: np.random.Generator) -> Made:
    """Say what the k-th request of a run contains, and how many messages all requests up to it send."""
    drawn = script(rng)
    ran = drawn.ran
    k = between(rng, 2, len(ran.sent))
    whole = history(SYSTEM, ran.trace.messages)
    options = (SCHEMAS, *(f"message {n}" for n in range(1, len(whole) + 1)))
    size, before = len(ran.sent[k - 1]), len(ran.sent[k - 2])
    sent = frozenset(options[: size + 1])
    sizes = [len(messages) for messages in ran.sent[:k]]
    total = sum(sizes)
    replies = sum(isinstance(m, AssistantMessage) for messages in ran.sent[:k] for m in messages)
    own = frozenset(
        option
        for option, message in zip(options[1:], whole, strict=True)
        if isinstance(message, AssistantMessage)
    )
    return Made(
        task=f"What does the request of call {k} of the model contain? And how many messages do calls 1 to "
        f"{k} send together?",
        given=(listed(whole),),
        fields=(
            SetField("sent", f"In request {k}", options),
            NumberField("total", "Messages sent by then", tolerance=0),
        ),
        answers={"sent": sent, "total": total},
        hint="The model keeps nothing between two calls. What would it have to know to go on?",
        mistakes=(
            Mistake(
                "Only what is new: but the model keeps nothing, so what it has read before is sent again.",
                {"sent": frozenset(options[before + 1 : size + 1]), "total": size},
            ),
            Mistake(
                "Only what is new, and the tools: what the model has read before is sent again as well.",
                {"sent": frozenset([SCHEMAS, *options[before + 1 : size + 1]])},
            ),
            Mistake(
                "The tool schemas go with every call: the model knows no tool.", {"sent": sent - {SCHEMAS}}
            ),
            Mistake("The system prompt is the first message of every call.", {"sent": sent - {options[1]}}),
            Mistake(
                "System prompt and tool schemas go with every call: both make up the prefix c0.",
                {"sent": sent - {SCHEMAS, options[1]}},
            ),
            Mistake(
                "The model's own replies are sent as well: it does not remember that it wrote them.",
                {"sent": sent - own},
            ),
            Mistake(
                f"Message {size + 1} is what call {k} returns: it is in no request before the next.",
                {"sent": frozenset(options[: size + 2])},
            ),
            Mistake(
                "That is the whole run; a request holds only what is there when it is sent.",
                {"sent": frozenset(options)},
            ),
            Mistake(f"That is request {k} alone. Add what the ones before it have sent.", {"total": size}),
            Mistake("The system prompt counts in every request.", {"total": total - k}),
            Mistake(
                "The replies count as well, as soon as they are sent on.",
                {"total": total - replies},
            ),
        ),
        steps=(
            Step("What the real loop has sent:", _table(sizes)),
            Step(f"Together {_sum(sizes)} messages. The schemas go beside them each time."),
        ),
    )


def _table(sizes: list[int]) -> Table:
    rows = [(str(n), f"1 to {size}", str(size)) for n, size in enumerate(sizes, start=1)]
    return Table(("call", "messages", "how many"), tuple(rows))


def _sum(sizes: list[int]) -> str:
    return f"{' + '.join(map(str, sizes))} = {sum(sizes)}"


STATELESS = (Kind("sent-again", "What is sent again", "B", 5, sent_again),)
