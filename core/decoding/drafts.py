"""Where drafted tokens come from: the same model stopped early or reading less, or the text itself.

Every draft here is real and needs no second model. What it proposes is tested by
`core.decoding.speculative_verify`, so that a bad draft costs time and never changes the distribution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.decoding.generate import LanguageModel
from core.errors import InputError
from core.lm import EmbeddedModel
from core.sampling import SamplerSettings, distribution, draw
from core.sampling.checks import whole_number

LONGEST_NGRAM = 3
"""As Saxena 2023 (github.com/apoorvumang/prompt-lookup-decoding) has it; transformers' default is 2."""


@dataclass(frozen=True, eq=False)
class Proposal:
    """Drafted tokens, the distribution q (V,) that each was drawn from as rows (k, V), and passes made."""

    tokens: tuple[int, ...]
    probs: NDArray[np.float64]
    passes: int


class Draft(Protocol):
    """Proposes the tokens after a text. `cost`: c, of one drafted token in passes of the target."""

    @property
    def name(self) -> str:
        """For the screen."""

    @property
    def cost(self) -> float:
        """By the weights that are read; what a clock says is another matter."""

    def propose(
        self, token_ids: Sequence[int], settings: SamplerSettings, numbers: Sequence[float]
    ) -> Proposal:
        """At most one token for each of `numbers`, the u of its draw; fewer if it knows no more."""


@dataclass(frozen=True)
class ModelDraft:
    """A model that drafts token by token, under the same settings; of a text it may read the end alone.

    `window`: the tokens that it reads; `None` is all. It stops after an end token.
    """

    name: str
    model: LanguageModel
    cost: float
    window: int | None = None

    def propose(
        self, token_ids: Sequence[int], settings: SamplerSettings, numbers: Sequence[float]
    ) -> Proposal:
        """See `Draft`."""
        text, rows = list(token_ids), []
        for u in numbers:
            result = distribution(self.model.next_logits(self.seen(text)), settings)
            rows.append(result.probs)
            text.append(draw(result, u))
            if text[-1] in self.model.tokenizer.end_ids:
                break
        drafted = tuple(text[len(token_ids) :])
        return Proposal(drafted, np.array(rows) if rows else np.empty((0, 0)), len(rows))

    def seen(self, token_ids: Sequence[int]) -> Sequence[int]:
        """What it reads of a text."""
        return token_ids[-self.window :] if self.window else token_ids


@dataclass(frozen=True)
class PromptLookup:
    """The tokens that followed the last n tokens where these stood before, latest place first.

    The longest n that is found counts, up to 3. Nothing is drawn, so q is 1 on the proposed token. It reads
    no weights. Source: Saxena 2023, prompt lookup decoding.
    """

    vocab_size: int
    name: str = "prompt lookup"
    cost: float = 0.0

    def propose(
        self,
        token_ids: Sequence[int],
        settings: SamplerSettings,  # noqa: ARG002 (a copy is the same at every temperature)
        numbers: Sequence[float],
    ) -> Proposal:
        """See `Draft`."""
        tokens = tuple(_continuation(list(token_ids), len(numbers)))
        rows = np.zeros((len(tokens), self.vocab_size))
        rows[np.arange(len(tokens)), tokens] = 1
        return Proposal(tokens, rows, 0)


def early_exit(model: EmbeddedModel, layers: int) -> ModelDraft:
    """The model stopped after `layers` of its layers. `InputError` if there are not so many."""
    early = model.stopped_after(layers)
    return ModelDraft(
        f"layers 1 to {layers} of {model.layers}", early, early.weights_per_token / model.weights_per_token
    )


def last_tokens(model: EmbeddedModel, window: int) -> ModelDraft:
    """The whole model, reading the last `window` tokens only. `InputError` if those are none."""
    if whole_number("The number of tokens that the draft reads", window) < 1:
        raise InputError("The draft must read at least one token.")
    # Through a twin with a cache of its own: the windows, of use to nobody else, push out no text of a class.
    twin = model.stopped_after(model.layers)
    return ModelDraft(f"all layers, last {window} tokens", twin, 1.0, window)


def _continuation(text: list[int], most: int) -> list[int]:
    for length in range(min(LONGEST_NGRAM, len(text) - 1), 0, -1):
        ending = text[-length:]
        for start in range(len(text) - length - 1, -1, -1):
            if text[start : start + length] == ending:
                return text[start + length : start + length + most]
    return []
