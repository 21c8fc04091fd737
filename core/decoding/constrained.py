"""Constrained decoding, step by step: tokens that lead out of the grammar cannot be drawn.

held = constraint("regex", "[0-9]{4}-[0-9]{2}-[0-9]{2}")
for done in generate_constrained(model, prompt_ids, held, settings, seed=7, max_tokens=40):
    print(done.allowed, done.removed_mass, model.tokenizer.decode([done.token.token_id]))

The lecture's formula masks the model's distribution and renormalises it: P'(i) = 1[i in A(s)] P(i) / sum over
A(s) of P(j). What engines do differs in the order. transformers and vLLM mask the logits and then apply
temperature and filters. llama.cpp and Ollama draw first and look only at the token drawn; if the grammar
refuses it, they mask the logits, apply temperature and filters once more and draw again, to save masks.
Sources: transformers, generation/logits_process.py (`PrefixConstrainedLogitsProcessor` stands before the
filters); vLLM, v1/worker/gpu_model_runner.py (`apply_grammar_bitmask` before the sampler); llama.cpp,
common/sampling.cpp, `common_sampler_sample`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.decoding.constrained_grammar import Constraint
from core.decoding.constrained_matcher import Allowed, Matcher, TooIntricate
from core.decoding.generate import LanguageModel
from core.sampling import ENGINES, Distribution, SamplerSettings, distribution, draw, masked, uniform

TOP = 8
REDRAWS = 2**32
"""Where in the seed's stream the numbers of second draws begin: far from those of first ones."""

Method = Literal["mask first", "draw, check, redraw"]
ConstrainedEnding = Literal["end token", "dead end", "too intricate", "max tokens", "context"]
Probs = NDArray[np.float64]


@dataclass(frozen=True)
class MaskedToken:
    """One token before and after the mask.

    `rank`: by falling logit of the model, from 0. `model_prob`: P, at T = 1, without filters or mask.
    `lecture_prob`: P', the formula of the lecture. `free_prob`: of being drawn under the settings without the
    mask; `prob`: with it, as the engine does it, second draws included.
    """

    token_id: int
    rank: int
    allowed: bool
    model_prob: float
    lecture_prob: float
    free_prob: float
    prob: float


@dataclass(frozen=True)
class MaskedRest:
    """All tokens that are not shown, as one."""

    tokens: int
    allowed: int
    model_prob: float
    lecture_prob: float
    free_prob: float
    prob: float


@dataclass(frozen=True)
class ConstrainedStep:
    """One token under a constraint, and what the mask did.

    `token`: the one that is drawn. `refused`: the one that was drawn before it and that the grammar does not
    allow. `u`, `redraw_u`: the numbers of both draws; `None` if greedy, or not needed. `allowed`: how many
    tokens the mask leaves. `forced`: it leaves one, or only the end. `may_end`: the text fits as it is.
    `removed_mass`: of P on the tokens that the mask forbids. `refusal_prob`: the same after temperature and
    filters, which is how often llama.cpp draws again. `shown`: the first 8 tokens of the model and the first
    8 allowed ones, by rank. `ending`: why no step follows.
    """

    token: MaskedToken
    u: float | None
    refused: MaskedToken | None
    redraw_u: float | None
    settings: SamplerSettings
    method: Method
    allowed: int
    forced: bool
    may_end: bool
    removed_mass: float
    refusal_prob: float
    shown: tuple[MaskedToken, ...]
    rest: MaskedRest
    ending: ConstrainedEnding | None = None


def method_of(settings: SamplerSettings) -> Method:
    """When the settings' engine applies a grammar."""
    return "draw, check, redraw" if settings.engine in ("llama.cpp", "ollama") else "mask first"


def constrain_step(
    logits: ArrayLike, allowed: Allowed, settings: SamplerSettings, u: float, redraw_u: float
) -> ConstrainedStep:
    """Draw one token under a mask, with the number u, and `redraw_u` where the engine draws a second time.

    Errors: `NoTokenAllowed` in a dead end, and as `core.sampling.distribution`.
    """
    inside = distribution(masked(logits, allowed.mask), settings)
    free = distribution(logits, settings)
    refusal = float(free.probs[~allowed.mask].sum())
    method = method_of(settings)
    token_id, refused = draw(inside if method == "mask first" else free, u), None
    if not allowed.mask[token_id]:
        refused, token_id = token_id, draw(inside, redraw_u)
    probs = inside.probs
    if method != "mask first":
        probs = np.where(allowed.mask, free.probs, 0) + refusal * inside.probs
    table = _Table(free, inside, allowed.mask, probs)
    greedy = settings.temperature == 0
    return ConstrainedStep(
        token=table.token(token_id),
        u=None if greedy else u,
        refused=None if refused is None else table.token(refused),
        redraw_u=None if greedy or refused is None else redraw_u,
        settings=settings,
        method=method,
        allowed=allowed.count,
        forced=allowed.forced,
        may_end=allowed.may_end,
        removed_mass=float(table.model[~allowed.mask].sum()),
        refusal_prob=refusal,
        shown=table.shown,
        rest=table.rest,
    )


def generate_constrained(
    model: LanguageModel,
    prompt_ids: Sequence[int],
    constraint: Constraint,
    settings: SamplerSettings,
    seed: int,
    max_tokens: int = 256,
    path: Sequence[int] = (),
) -> Iterator[ConstrainedStep]:
    """Tokens after `prompt_ids` that keep the constraint, at most `max_tokens`; the last says what ended it.

    A constraint makes no progress: one that allows a text without end is stopped at `max_tokens`, and what is
    there then need not fit. `path`: tokens generated before, from which to go on; they count.

    The numbers are those of `generate`, so that a free and a constrained text of one seed part only where the
    mask makes them.

    Errors: `InputError` if the constraint allows no first token, or not `path`; and as the model's.
    """
    matcher = Matcher(constraint, model.tokenizer)
    for token_id in path:
        matcher.take(token_id)
    token_ids, allowed = [*model.start(prompt_ids), *path], matcher.allowed()
    for index in range(len(path), max_tokens):
        if allowed.dead_end or len(token_ids) >= model.context_length:
            return
        numbers = uniform(seed, index), uniform(seed, REDRAWS + index)
        done = constrain_step(model.next_logits(token_ids), allowed, settings, *numbers)
        token_ids.append(done.token.token_id)
        ending: ConstrainedEnding | None = None
        if token_ids[-1] in model.tokenizer.end_ids:
            ending = "end token"
        else:
            try:
                matcher.take(token_ids[-1])
                allowed = matcher.allowed()
            except TooIntricate:
                ending = "too intricate"
            else:
                ending = _ending(allowed, index + 1 == max_tokens, len(token_ids) >= model.context_length)
        yield replace(done, ending=ending)
        if ending:
            return


def by_engine(
    model: LanguageModel,
    prompt_ids: Sequence[int],
    path: Sequence[int],
    constraint: Constraint,
    settings: SamplerSettings,
    seed: int,
) -> dict[str, ConstrainedStep]:
    """The step after `path` as each engine does it: the same logits, mask, dials and numbers.

    Errors: as `generate_constrained`, and `NoTokenAllowed` in a dead end.
    """
    matcher = Matcher(constraint, model.tokenizer)
    for token_id in path:
        matcher.take(token_id)
    logits, allowed = model.next_logits([*model.start(prompt_ids), *path]), matcher.allowed()
    numbers = uniform(seed, len(path)), uniform(seed, REDRAWS + len(path))
    return {
        engine: constrain_step(logits, allowed, replace(settings, engine=engine, order=()), *numbers)
        for engine in ENGINES
    }


def _ending(allowed: Allowed, last: bool, full: bool) -> ConstrainedEnding | None:
    if allowed.dead_end:
        return "dead end"
    if full:
        return "context"
    return "max tokens" if last else None


class _Table:
    """Every token's five numbers, of which a few are shown."""

    def __init__(
        self, free: Distribution, inside: Distribution, mask: NDArray[np.bool_], probs: Probs
    ) -> None:
        self._free, self._mask = free, mask
        self.model = free.stages[0].probs
        self._columns = (self.model, inside.stages[0].probs, free.probs, probs)
        self._ranks = np.empty(len(mask), dtype=np.intp)
        self._ranks[free.order] = np.arange(len(mask))
        allowed_first = free.order[mask[free.order]][:TOP]
        chosen = np.union1d(self._ranks[free.order[:TOP]], self._ranks[allowed_first])
        self._shown = free.order[chosen]

    def token(self, token_id: int) -> MaskedToken:
        numbers = (float(column[token_id]) for column in self._columns)
        return MaskedToken(token_id, int(self._ranks[token_id]), bool(self._mask[token_id]), *numbers)

    @property
    def shown(self) -> tuple[MaskedToken, ...]:
        return tuple(self.token(int(token_id)) for token_id in self._shown)

    @property
    def rest(self) -> MaskedRest:
        hidden = np.ones(len(self._mask), dtype=np.bool_)
        hidden[self._shown] = False
        masses = (float(column[hidden].sum()) for column in self._columns)
        return MaskedRest(int(hidden.sum()), int(self._mask[hidden].sum()), *masses)
