"""The speculative screen as code: p, q and u of one round, what stays, and the token after it."""

from collections.abc import Callable, Sequence

import numpy as np

from core.decoding import Round
from core.errors import InputError
from core.lab.lab import Lab, lab
from core.lab.python import comment, given, rounded

REJECTED = (
    "# At the one that is rejected: the likeliest tokens under both, and the sum of min(p, q) over all."
)
BONUS = "# All stay: the bonus is drawn from p, that of the target behind the last one."
OWN = "# Nothing was drafted: the token is the target's own, drawn from p."
ENDED = "# The text has ended with a drafted token, so none comes after it."
Named = Callable[[int], str]


def speculative_lab(prompt: str, rounds: Sequence[Round], position: int, name: Named) -> Lab:
    """One round of drafting and testing.

    Args:
        prompt: what the text follows, for the reader.
        rounds: all of the text.
        position: the round in view, from 0.
        name: how a token is written.

    Raises:
        InputError: there is no such round yet.
    """
    if not 0 <= position < len(rounds):
        raise InputError("There is no round yet: press Step or Play first, and the code has a draft.")
    done = rounds[position]
    drafted = done.drafted if done.last else done.drafted[: len(done.tokens)]
    tests = [(name(one.token_id), *rounded((one.p, one.q)).tolist(), one.u) for one in drafted]
    likely = done.last.top if done.last else ()
    brief = "\n".join(
        [
            comment(prompt),
            "# The drafted tokens with p, q and the number u of the test; None where it was not reached.",
            given(drafted=tests),
            *_last(done, name),
        ]
    )
    first = done.drafted[0].top if done.drafted else ()
    count = "\n".join(
        [
            "# The same at the first drafted token, for the count below.",
            given(
                first_tokens=[name(one.token_id) for one in first],
                first_p=rounded([one.p for one in first]),
                first_q=rounded([one.q for one in first]),
            ),
        ]
    )
    return lab(
        "speculative",
        brief=brief,
        whole=f"{brief}\n{count}",
        screen=given(
            screen_accepted=done.accepted,
            screen_last={name(token): probability for token, probability in likely},
            rounds=[(one.tested, one.accepted) for one in rounds],
        ),
    )


def _last(done: Round, name: Named) -> list[str]:
    """What the last token was drawn from."""
    if done.last is None:
        return [ENDED, given(tokens=["none"], p=np.ones(1), q=np.zeros(1), overlap=0.0, last_u=0.0)]
    if done.last.origin == "bonus":
        tokens, p = zip(*done.last.top, strict=True)
        values = {"p": rounded(p), "q": np.zeros(len(p)), "overlap": 0.0}
        remark = BONUS if done.drafted else OWN
    else:
        place = done.drafted[done.accepted]
        tokens = tuple(one.token_id for one in place.top)
        values = {
            "p": rounded([one.p for one in place.top]),
            "q": rounded([one.q for one in place.top]),
            "overlap": place.overlap,
        }
        remark = REJECTED
    return [remark, given(tokens=[name(token) for token in tokens], **values, last_u=done.last.u)]
