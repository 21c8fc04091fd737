"""The generation screen as code: what the numbers of the seed drew."""

import math
from collections.abc import Callable, Mapping, Sequence

from core.decoding import Drawn
from core.errors import InputError
from core.lab.lab import Lab, lab
from core.lab.python import DIGITS, comment, given, literal, significant
from core.sampling import uniform

BRIEF = 8  # tokens of each text that a snippet lists
BRIEF_DIGITS = 5  # significant ones of a probability
OF_THE_SEED = (
    "{title: np.random.default_rng(seed).random(first + len(steps)) for title, steps in texts.items()}"
)
LEAST = math.ulp(0.0)  # of which there is a logarithm

Named = Callable[[int], str]


def generation_lab(
    prompt: str, texts: Mapping[str, Sequence[Drawn]], last: int, seed: int, name: Named
) -> Lab:
    """One text or several, token by token.

    Args:
        prompt: what they follow, for the reader.
        texts: the tokens of each under its title.
        last: the token in view, from 0, with which the snippet ends.
        seed: that of the numbers u.
        name: how a token is written.

    Raises:
        InputError: there is no token yet.
    """
    written = {title: drawn for title, drawn in texts.items() if drawn}
    if not written:
        raise InputError("There is no token yet: press Step or Play first, and the code has a draw.")
    first = max(0, last + 1 - BRIEF)
    some = {title: drawn[first : last + 1] for title, drawn in written.items() if len(drawn) > first}
    return lab(
        "generation",
        brief=_state(prompt, some, first, seed, BRIEF_DIGITS, name),
        whole=_state(prompt, written, 0, seed, DIGITS, name),
        screen=given(screen={title: [_bits(one) for one in drawn] for title, drawn in written.items()}),
    )


def _state(
    prompt: str, texts: Mapping[str, Sequence[Drawn]], first: int, seed: int, digits: int, name: Named
) -> str:
    rows = {title: [_row(one, digits, name) for one in drawn] for title, drawn in texts.items()}
    return "\n".join(
        [
            comment(prompt),
            "# Each token: the most probable ones with their probabilities after the sampler, what was",
            "# written, its probability in the model, and whether it was put there by hand.",
            f"first, seed = {first}, {seed}",
            f"texts = {literal(rows)}",
            f"numbers = {_numbers(texts, first, seed)}",
        ]
    )


def _row(drawn: Drawn, digits: int, name: Named) -> tuple[object, ...]:
    likely = [candidate for candidate in drawn.top if candidate.prob > 0]
    return (
        [name(candidate.token_id) for candidate in likely],
        [significant(candidate.prob, digits) for candidate in likely],
        name(drawn.token_id),
        significant(max(drawn.model_prob, LEAST), digits),
        drawn.by_hand,
    )


def _numbers(texts: Mapping[str, Sequence[Drawn]], first: int, seed: int) -> str:
    """The numbers u: those of the seed, or, where a text was begun under another one, as they were."""
    of_seed = all(
        one.u is None or one.u == uniform(seed, index)
        for drawn in texts.values()
        for index, one in enumerate(drawn, first)
    )
    if of_seed:
        return OF_THE_SEED
    used = {title: [0.0] * first + [one.u or 0.0 for one in drawn] for title, drawn in texts.items()}
    return literal(used)


def _bits(drawn: Drawn) -> float:
    return significant(-math.log2(max(drawn.model_prob, LEAST)), DIGITS)
