"""Speculative decoding, round by round: a draft proposes γ tokens, the target verifies them in one pass.

for done in speculate(model, early_exit(model, 20), prompt_ids, settings, seed=7, gamma=4, max_tokens=60):
    print(done.accepted, "of", len(done.drafted), model.tokenizer.decode(done.tokens))

Temperature and filters are applied to both p and q before the test, so what comes out has the distribution of
plain generation with these settings, and is the greedy text at T = 0. (The same seed does not give the same
text as plain generation: other numbers are used.)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.decoding.drafts import Draft
from core.decoding.generate import LanguageModel, ending
from core.decoding.speculative_verify import Verification, verify_draft
from core.errors import InputError
from core.sampling import SamplerSettings, distribution, uniform
from core.sampling.checks import whole_number

MOST_DRAFTED = 16
ROUNDING = 1e-12  # of p - q where both are equal: no token that could be drawn
TOP = 8  # tokens whose p and q are kept with each position
Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Overlap:
    """One token's probability under the target and under the draft, after the settings."""

    token_id: int
    p: float
    q: float


@dataclass(frozen=True)
class Drafted:
    """One drafted token and its test.

    `bar`: min(1, p / q). `u`: the number that had to stay below it; `None` if a token before it was rejected,
    and then `accepted` is `None` too. `draft_u`: the number that drew it. `overlap`: Σ min(p, q), how
    probable it was, before the draw, that what is drafted here is accepted; `match`: Σ p q, the same under
    llama.cpp's rule. `top`: the 8 tokens of largest p or q, by falling p.
    """

    token_id: int
    p: float
    q: float
    bar: float
    draft_u: float
    u: float | None
    accepted: bool | None
    overlap: float
    match: float
    top: tuple[Overlap, ...]


@dataclass(frozen=True)
class Last:
    """The token that ends a round: from the residual after a rejection, else the bonus, from the target.

    `prob`: how probable it was. `top`: the first 8 tokens that it could have been, with theirs.
    """

    token_id: int
    prob: float
    u: float
    origin: Literal["residual", "bonus"]
    top: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Round:
    """One pass of the target and what led to it.

    `tokens`: what is added to the text; cut after an end token, and `last` is then `None` if the end came
    before it. `positions`: of which that one pass gave the logits, one more than were drafted.
    """

    drafted: tuple[Drafted, ...]
    accepted: int
    last: Last | None
    tokens: tuple[int, ...]
    positions: int
    draft_passes: int

    @property
    def tested(self) -> int:
        """The drafted tokens that came to their test."""
        return sum(token.u is not None for token in self.drafted)


def speculate(
    model: LanguageModel,
    draft: Draft,
    prompt_ids: Sequence[int],
    settings: SamplerSettings,
    seed: int,
    gamma: int = 4,
    max_tokens: int = 256,
) -> Iterator[Round]:
    """Rounds after `prompt_ids`, until `max_tokens` tokens, an end token or a full context.

    Errors: `InputError` for γ outside 0 to 16, and as the model's.
    """
    token_ids, generated, index = model.start(prompt_ids), 0, 0
    while generated < max_tokens and not ending(model, token_ids, generated):
        done = speculate_round(model, draft, token_ids, settings, seed, index, gamma, max_tokens - generated)
        yield done
        token_ids += done.tokens
        generated, index = generated + len(done.tokens), index + 1


def speculate_round(
    model: LanguageModel,
    draft: Draft,
    token_ids: Sequence[int],
    settings: SamplerSettings,
    seed: int,
    index: int,
    gamma: int,
    max_tokens: int,
) -> Round:
    """Round `index`, from 0, of a generation: at most `max_tokens` tokens after the text `token_ids`.

    Its numbers are those of the seed from index (2 γ + 1) on: γ draws of the draft, then the tests in order
    and the last draw. Errors: as `speculate`.
    """
    if not 0 <= whole_number("γ, the number of drafted tokens,", gamma) <= MOST_DRAFTED:
        raise InputError(f"γ, the number of drafted tokens, must lie between 0 and {MOST_DRAFTED}.")
    numbers = [uniform(seed, index * (2 * gamma + 1) + place) for place in range(2 * gamma + 1)]
    # One place is for the token that the target adds.
    room = max(0, min(gamma, max_tokens - 1, model.context_length - len(token_ids) - 1))
    proposal = draft.propose(token_ids, settings, numbers[:room])
    logits = model.all_logits([*token_ids, *proposal.tokens], len(token_ids) - 1)
    p = np.array([distribution(row, settings).probs for row in logits])
    q = proposal.probs.reshape(len(proposal.tokens), p.shape[1])
    result = verify_draft(p, q, proposal.tokens, numbers[gamma:])
    tokens = _up_to_the_end(result.tokens, model.tokenizer.end_ids)
    return Round(
        drafted=_drafted(p, q, proposal.tokens, numbers, result),
        accepted=min(result.accepted, len(tokens)),
        last=_last(p, result) if len(tokens) == len(result.tokens) else None,
        tokens=tokens,
        positions=len(p),
        draft_passes=proposal.passes,
    )


def _drafted(
    p: Rows, q: Rows, tokens: Sequence[int], numbers: Sequence[float], result: Verification
) -> tuple[Drafted, ...]:
    tested = min(result.accepted + 1, len(tokens))
    return tuple(
        Drafted(
            token_id=token,
            p=float(p[place, token]),
            q=float(q[place, token]),
            bar=result.accept_probs[place],
            draft_u=numbers[place],
            u=result.used[place] if place < tested else None,
            accepted=place < result.accepted if place < tested else None,
            overlap=min(1.0, float(np.minimum(p[place], q[place]).sum())),
            match=float(np.einsum("v,v->", p[place], q[place])),
            top=_top(p[place], q[place]),
        )
        for place, token in enumerate(tokens)
    )


def _top(p: Rows, q: Rows) -> tuple[Overlap, ...]:
    largest = _largest(np.maximum(p, q), TOP)
    shown = sorted(largest, key=lambda token: (-p[token], -q[token], token))
    return tuple(Overlap(token, float(p[token]), float(q[token])) for token in shown)


def _last(p: Rows, result: Verification) -> Last:
    probs = p[-1] if result.residual is None else result.residual
    top = tuple((token, float(probs[token])) for token in _largest(probs, TOP) if probs[token] > ROUNDING)
    token = result.next_token
    return Last(token, float(probs[token]), result.used[-1], "bonus" if result.bonus else "residual", top)


def _largest(values: Rows, count: int) -> list[int]:
    """The places of the largest values, falling; the lowest place wins a tie at the end of a short list."""
    count = min(count, len(values))
    some = np.flatnonzero(values >= np.partition(values, -count)[-count])
    order = np.argsort(-values[some], kind="stable")[:count]
    return [int(place) for place in some[order]]


def _up_to_the_end(tokens: Sequence[int], end_ids: frozenset[int]) -> tuple[int, ...]:
    length = next((place + 1 for place, token in enumerate(tokens) if token in end_ids), len(tokens))
    return tuple(tokens[:length])
