"""Autoregressive generation: draw a token, append it, read the longer text, draw again.

One factor of the chain rule per step, P(w_t | w_1 ... w_(t-1)), until an end token is drawn (Jurafsky &
Martin 2026, section 7.6). The number u of the i-th generated token is `uniform(seed, i)`, whatever was
paused, taken back or branched before: so a prompt, settings and a seed determine a text.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from core.lm import Tokenizer
from core.sampling import Candidate, Distribution, SamplerSettings, Tail, distribution, draw, uniform

BLOCK = 64  # positions whose logits are held at once, 13 MB
TOP = 8  # tokens that are kept with each draw: the roads not taken
Ending = Literal["end token", "context"]


class LanguageModel(Protocol):
    """What generation asks of a model: `core.lm.EmbeddedModel` is one."""

    @property
    def tokenizer(self) -> Tokenizer:
        """Its tokenizer; its end tokens end a generation."""

    @property
    def context_length(self) -> int:
        """The most tokens that it reads."""

    def start(self, ids: Sequence[int]) -> list[int]:
        """The tokens, or the token that begins a text if there are none."""

    def next_logits(self, ids: Sequence[int]) -> NDArray[np.floating[Any]]:
        """The logits (V,) of the token after `ids`."""

    def all_logits(self, ids: Sequence[int], start: int = 0) -> NDArray[np.floating[Any]]:
        """The logits (n - start, V) at each position from `start` on."""


@dataclass(frozen=True)
class Drawn:
    """One generated token and the distribution that it was drawn from, in numbers.

    `u`: the number that drew it; `None` if the draw was greedy (T = 0), and if the token was put there
    `by_hand`. `settings`: of the sampler. `entropy_bits` and `kept`: of the distribution after the sampler.
    `top`: its first 8 tokens by falling logit, `tail`: all others as one. `seed`: under which u was drawn,
    where that is known.
    """

    token: Candidate
    u: float | None
    by_hand: bool
    settings: SamplerSettings
    entropy_bits: float
    kept: int
    top: tuple[Candidate, ...]
    tail: Tail
    seed: int | None = None

    @property
    def token_id(self) -> int:
        """The token."""
        return self.token.token_id

    @property
    def prob(self) -> float:
        """Its probability after the sampler; 0 if it was put there although the sampler had cut it."""
        return self.token.prob

    @property
    def model_prob(self) -> float:
        """Its probability in the model's own distribution (T = 1, no filter)."""
        return self.token.model_prob

    @property
    def rank(self) -> int:
        """Its place by falling logit, from 0."""
        return self.token.rank

    @property
    def surprisal_bits(self) -> float:
        """-log2 of `model_prob`: how much the token surprises the model. Infinite if it rounds to 0."""
        return -math.log2(self.model_prob) if self.model_prob > 0 else math.inf


def step(model: LanguageModel, token_ids: Sequence[int], settings: SamplerSettings, u: float) -> Drawn:
    """Draw the token after `token_ids` with the number u in [0, 1); at T = 0 u plays no part.

    Errors: as `next_logits` of the model.
    """
    return _drawn(distribution(model.next_logits(token_ids), settings), u)


def taken(model: LanguageModel, token_ids: Sequence[int], settings: SamplerSettings, token_id: int) -> Drawn:
    """Put a token of one's choice after `token_ids`.

    Errors: as `next_logits` of the model, and `InputError` if the vocabulary has no such token.
    """
    return _facts(distribution(model.next_logits(token_ids), settings), token_id, u=None, by_hand=True)


def generate(
    model: LanguageModel,
    prompt_ids: Sequence[int],
    settings: SamplerSettings,
    seed: int,
    start_index: int = 0,
    max_tokens: int = 256,
) -> Iterator[Drawn]:
    """Tokens after `prompt_ids`, one at a time, at most `max_tokens`, up to an `ending`.

    `start_index`: how many tokens at the end of `prompt_ids` were generated before; the stream of u goes on.
    """
    token_ids = model.start(prompt_ids)
    for index in range(start_index, start_index + max_tokens):
        if ending(model, token_ids, index):
            return
        drawn = under(seed, step(model, token_ids, settings, uniform(seed, index)))
        yield drawn
        token_ids.append(drawn.token_id)


def replay(
    model: LanguageModel,
    prompt_ids: Sequence[int],
    path: Sequence[int],
    settings: SamplerSettings,
    seed: int,
    start_index: int = 0,
) -> Iterator[Drawn]:
    """The tokens of `path` after `prompt_ids`, read as blocks: much faster than to generate them again.

    A token counts as drawn if `settings` and `seed` draw it there, else as put there by hand. `start_index`:
    of the first of them among all generated tokens, where `prompt_ids` end with some.

    Errors: `InputError` if prompt and path are more than the context holds, or a token does not exist.
    """
    token_ids, first = [*model.start(prompt_ids), *path], len(model.start(prompt_ids))
    for start in range(first, len(token_ids), BLOCK):
        block = token_ids[start : start + BLOCK]
        rows = model.all_logits(token_ids[: start + len(block) - 1], start - 1)
        for index, (token_id, row) in enumerate(zip(block, rows, strict=True), start - first):
            result = distribution(row, settings)
            drawn = under(seed, _drawn(result, uniform(seed, start_index + index)))
            yield drawn if drawn.token_id == token_id else _facts(result, token_id, u=None, by_hand=True)


def under(seed: int, drawn: Drawn) -> Drawn:
    """The same, noting the seed, if a number of its was used."""
    return drawn if drawn.u is None else replace(drawn, seed=seed)


def ending(model: LanguageModel, token_ids: Sequence[int], generated: int) -> Ending | None:
    """Why nothing follows `token_ids`, of which the last `generated` were generated; else `None`.

    End tokens in the prompt end nothing: a chat template is full of them.
    """
    if generated and token_ids[-1] in model.tokenizer.end_ids:
        return "end token"
    if len(token_ids) >= model.context_length:
        return "context"
    return None


def _drawn(result: Distribution, u: float) -> Drawn:
    if result.settings.temperature == 0:
        return _facts(result, int(result.order[0]), u=None, by_hand=False)
    return _facts(result, draw(result, u), u, by_hand=False)


def _facts(result: Distribution, token_id: int, u: float | None, by_hand: bool) -> Drawn:
    return Drawn(
        token=result.token(token_id),
        u=u,
        by_hand=by_hand,
        settings=result.settings,
        entropy_bits=result.entropy_bits,
        kept=result.kept_count,
        top=result.top(TOP),
        tail=result.tail(TOP),
    )
