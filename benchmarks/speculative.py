"""Speculative decoding on the embedded model: α of each draft, the predicted speed-up, and the clock.

    python benchmarks/speculative.py

α and the prediction of Leviathan et al. on a piece of text, for every draft; what a pass over several
positions costs in passes over one, which the prediction takes to be 1; then tokens per second of plain and of
speculative generation in turns. Needs a machine that does nothing else: the threads of BLAS wait for one
another.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.decoding import Draft, ModelDraft, PromptLookup, early_exit, last_tokens
from core.decoding.speculative_clock import race
from core.decoding.speculative_speed import acceptances, best_gamma, counted, speed_up
from core.lm import EmbeddedModel, embedded
from core.sampling import SamplerSettings

TEXT = (
    "What the network gives for each token is a score, and only the softmax makes probabilities of the "
    "scores. A rule then picks one token, which is put at the end of the text, and everything begins again "
    "with a text that is one token longer. Divide the scores by a small number first, and the most probable "
    "token is nearly certain; divide them by a large one, and all tokens become alike."
)
COPY = f"Repeat the text.\n\n{TEXT}\n\nThe text again:\n\nWhat the network gives for each"
PLAIN = SamplerSettings()
GREEDY = SamplerSettings(temperature=0)
LAYERS, WINDOWS = (1, 5, 10, 15, 20, 25, 28, 29), (2, 4, 8)
TOKENS = 40
ROUNDS = 2  # the better one counts


def drafts(model: EmbeddedModel) -> list[ModelDraft]:
    """All drafts that have a model."""
    return [early_exit(model, count) for count in LAYERS] + [last_tokens(model, count) for count in WINDOWS]


def predictions(model: EmbeddedModel) -> None:
    """Print α, c and the best predicted speed-up of each draft."""
    ids, some = model.tokenizer.encode(TEXT), drafts(model)
    print(f"on {len(ids)} tokens, T = 1{'α':>20}{'c':>8}{'best γ':>8}{'predicted':>11}")
    for draft, alpha in zip(some, acceptances(model, some, ids, PLAIN), strict=True):
        gamma = best_gamma(alpha, draft.cost)
        print(
            f"{draft.name:32}{alpha:11.2f}{draft.cost:8.2f}{gamma:8}"
            f"{speed_up(alpha, gamma, draft.cost):10.2f}x"
        )


def passes(model: EmbeddedModel) -> None:
    """Print what a pass over some positions costs, in passes over one."""
    ids = model.tokenizer.encode(TEXT)
    model.next_logits(ids)
    one = min(clock(lambda: model.next_logits(ids)) for _ in range(8))
    print(f"\na pass over 1 position takes {1e3 * one:.0f} ms, over ", end="")
    for count in (2, 3, 5, 9):
        many = min(clock(lambda: model.all_logits(ids, len(ids) - count)) for _ in range(8))  # noqa: B023
        print(f"{count}: {many / one:.1f} times that", end=", " if count < 9 else "\n\n")


def clock(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def ratio(
    model: EmbeddedModel, name: str, prompt: str, draft: Draft, settings: SamplerSettings, gamma: int
) -> None:
    """Print tokens per second of both, and the counts of the speculative side."""
    ids = model.tokenizer.encode(prompt)
    best = max(
        (list(race(model, draft, ids, settings, seed, gamma, TOKENS))[-1] for seed in range(ROUNDS)),
        key=lambda state: state.ratio or 0,
    )
    result = counted(best.rounds)
    print(
        f"{name:16}{draft.name:26}γ = {gamma}   α {result.alpha or 0:.2f}   tokens per pass "
        f"{result.tokens_per_pass:.2f}   {best.plain_tokens / best.plain_seconds:5.1f} and "
        f"{best.tokens / best.seconds:5.1f} tokens/s   {best.ratio:.2f}x",
        flush=True,
    )


def main() -> None:
    """Print all three."""
    model = embedded()
    predictions(model)
    passes(model)
    lookup = PromptLookup(model.vocab_size)
    for name, prompt, draft, gamma in [
        ("lecture text", TEXT, early_exit(model, 15), 2),
        ("lecture text", TEXT, early_exit(model, 29), 2),
        ("lecture text", TEXT, last_tokens(model, 8), 2),
        ("lecture text", TEXT, lookup, 4),
        ("copied text", COPY, lookup, 8),
    ]:
        ratio(model, name, prompt, draft, GREEDY, gamma)


if __name__ == "__main__":
    main()
