"""The constrained screen as code: P, the mask, P′."""

from collections.abc import Callable, Sequence

import numpy as np

from core.decoding.constrained import ConstrainedStep
from core.errors import InputError
from core.lab.lab import Lab, lab
from core.lab.python import comment, given, literal, rounded
from core.sampling import SamplerSettings

DRAWS_FIRST = "None  # llama.cpp and Ollama draw first and mask only where the grammar refuses the token"
OTHER_SETTINGS = "None  # the settings reshape P before the draw"


def constrained_lab(
    constraint: str, steps: Sequence[ConstrainedStep], position: int, name: Callable[[int], str]
) -> Lab:
    """One token before and after the mask, and in the notebook what the mask removed along the text.

    Args:
        constraint: what the text is held to, for the reader.
        steps: the tokens of the text.
        position: the token in view, from 0.
        name: how a token is written.

    Raises:
        InputError: there is no such token yet.
    """
    if not 0 <= position < len(steps):
        raise InputError("There is no token yet: press Step or Play first, and the code has a mask.")
    step = steps[position]
    rows = [
        (name(shown.token_id), shown.model_prob, shown.allowed, shown.lecture_prob) for shown in step.shown
    ]
    likeliest = max((one for one in step.shown if one.allowed), key=lambda one: one.lecture_prob)
    left = likeliest.model_prob / likeliest.lecture_prob  # 1 - removed_mass, to all digits also near 0
    rest, hidden = step.rest, step.rest.tokens - step.rest.allowed
    within = rest.lecture_prob * left  # of P on the allowed ones among those not shown
    if rest.allowed:
        rows.append((f"{rest.allowed:,} others, allowed", within, True, rest.lecture_prob))
    if hidden:
        rows.append((f"{hidden:,} others, forbidden", max(0.0, rest.model_prob - within), False, 0.0))
    names, model, mask, lecture = zip(*rows, strict=True)
    state = "\n".join(
        [
            comment(f"Held to: {constraint}"),
            given(tokens=list(names), P=rounded(model), allowed=np.array(mask)),
            f"u = {_u(step)}",
        ]
    )
    text = [one.token for one in steps]
    return lab(
        "constrained",
        brief=state,
        whole=state,
        screen="\n".join(
            [
                "# Of every token of the text: its probability in P and in P′, and what the mask removed.",
                given(
                    text=[name(token.token_id) for token in text],
                    text_P=rounded(token.model_prob for token in text),
                    text_P_masked=rounded(token.lecture_prob for token in text),
                    removed=rounded(one.removed_mass for one in steps),
                    in_view=position,
                    screen=rounded(lecture),
                ),
            ]
        ),
    )


def _u(step: ConstrainedStep) -> str:
    """The number of the draw, where P′ itself was drawn from."""
    if step.method != "mask first":
        return DRAWS_FIRST
    return (
        literal(step.u) if step.settings == SamplerSettings(engine=step.settings.engine) else OTHER_SETTINGS
    )
