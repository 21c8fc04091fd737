"""Speculative against plain generation by the clock, in turns on this machine."""

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.decoding.drafts import Draft
from core.decoding.generate import LanguageModel, generate
from core.decoding.speculative import Round, speculate
from core.sampling import SamplerSettings


@dataclass(frozen=True)
class Clock:
    """Tokens and seconds of both sides so far. `rounds`: of the speculative one."""

    plain_tokens: int
    plain_seconds: float
    tokens: int
    seconds: float
    rounds: tuple[Round, ...]

    @property
    def ratio(self) -> float | None:
        """Tokens per second, speculative in those of plain; `None` before both have some."""
        if not (self.plain_tokens and self.tokens and self.seconds):
            return None
        return self.tokens / self.seconds * self.plain_seconds / self.plain_tokens


def race(
    model: LanguageModel,
    draft: Draft,
    prompt_ids: Sequence[int],
    settings: SamplerSettings,
    seed: int,
    gamma: int,
    max_tokens: int,
) -> Iterator[Clock]:
    """A round, then as many plain tokens, and so on: what else the machine does meets both sides.

    The target has read the prompt before; what the draft reads of it counts in the first round. Each side
    goes on with its own text; plain generation may end earlier, and then only rounds follow. Errors: as
    `speculate`.
    """
    model.next_logits(model.start(prompt_ids))
    plain = generate(model, prompt_ids, settings, seed, max_tokens=max_tokens)
    speculative = speculate(model, draft, prompt_ids, settings, seed, gamma, max_tokens)
    state = Clock(0, 0.0, 0, 0.0, ())
    start = time.perf_counter()
    for done in speculative:
        between = time.perf_counter()
        drawn = sum(1 for _, _ in zip(done.tokens, plain, strict=False))
        end = time.perf_counter()
        state = Clock(
            state.plain_tokens + drawn,
            state.plain_seconds + end - between,
            state.tokens + len(done.tokens),
            state.seconds + between - start,
            (*state.rounds, done),
        )
        yield state
        start = time.perf_counter()


def pass_ratio(model: LanguageModel, token_ids: Sequence[int], positions: int, times: int = 5) -> float:
    """How long a pass over the last `positions` of a text lasts, in passes over its last one alone.

    The prediction takes it for 1. The median of `times` readings, in turns; the text before is read already.
    Errors: as the model's.
    """
    token_ids = list(token_ids)
    model.next_logits(token_ids)
    ratios = []
    for _ in range(times):
        start = time.perf_counter()
        model.next_logits(token_ids)
        between = time.perf_counter()
        model.all_logits(token_ids, len(token_ids) - positions)
        ratios.append((time.perf_counter() - between) / max(between - start, 1e-9))
    return statistics.median(ratios)
