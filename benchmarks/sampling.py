"""What a move of a slider costs: presorted logits against a plain numpy pipeline, in one run.

    python benchmarks/sampling.py

Both sides produce the same facts, and the run stops if they differ. Two comparisons:
screen   what the sampling screen reads: of every stage the count, the mass removed and the entropy;
         of the first 30 tokens the probability in every stage; the tail's mass in every stage
arrays   the same, and the probabilities of every stage over the whole vocabulary, by token id
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.sampling import SamplerSettings, SortedLogits, distribution, presort

Array = NDArray[np.float64]
Facts = list[tuple[int, float, float, Array, float]]

SIZES = (50_257, 152_064)
TOP = 30
REPEATS = 25
TARGET = 5
# Every case moves the temperature, the one dial that changes all weights.
CASES = {
    "T": SamplerSettings(temperature=0.8),
    "T, top-p": SamplerSettings(temperature=0.8, top_p=0.9),
    "T, min-p": SamplerSettings(temperature=0.8, min_p=0.05),
    "T, top-p, min-p": SamplerSettings(temperature=0.8, top_p=0.9, min_p=0.05),
    "T, top-k": SamplerSettings(temperature=0.8, top_k=40),
}


def plain(logits: Array, settings: SamplerSettings, arrays: bool) -> tuple[Facts, list[Array]]:
    """Sort, softmax, cumulative sum and filters as one writes them down; an off filter is free."""
    order = np.argsort(-logits, kind="stable")
    falling = logits[order]

    def softmax(scaled: Array) -> Array:
        weights = np.exp(scaled - scaled[0])
        return np.asarray(weights / weights.sum())

    steps = [
        (len(falling), 0.0, softmax(falling)),
        (len(falling), 0.0, softmax(falling / settings.temperature)),
    ]
    counts: list[Callable[[Array], int] | None] = [
        (lambda _: settings.top_k) if settings.top_k else None,
        (lambda p: int(np.argmax(np.cumsum(p) >= settings.top_p - 1e-9)) + 1) if settings.top_p < 1 else None,
        (lambda p: int(np.count_nonzero(p >= settings.min_p * p[0]))) if settings.min_p else None,
    ]
    for count in counts:
        probs = steps[-1][2]
        if count is None:
            steps.append((len(probs), 0.0, probs))
            continue
        kept = count(probs)
        head = probs[:kept]
        steps.append((kept, float(probs[kept:].sum()), head / head.sum()))

    facts: Facts = []
    entropies: dict[int, float] = {}
    for kept, removed, probs in steps:
        if id(probs) not in entropies:
            present = probs[probs > 0]
            entropies[id(probs)] = float(-(present * np.log2(present)).sum())
        facts.append((kept, removed, entropies[id(probs)], probs[:TOP], float(probs[TOP:].sum())))
    scattered: dict[int, Array] = {}
    for _, _, probs in steps if arrays else ():
        if id(probs) not in scattered:
            scattered[id(probs)] = np.zeros(len(logits))
            scattered[id(probs)][order[: len(probs)]] = probs
    whole = [scattered[id(probs)] for _, _, probs in steps] if arrays else []
    return facts, whole


def presorted(ranked: SortedLogits, settings: SamplerSettings, arrays: bool) -> tuple[Facts, list[Array]]:
    """The same facts from `core.sampling`, as a page reads them."""
    result = distribution(ranked, settings)
    columns = np.array([token.stage_probs for token in result.top(TOP)]).T
    masses = result.tail(TOP).stage_masses
    facts: Facts = [
        (stage.kept, stage.mass_removed, stage.entropy_bits, column[: stage.kept], mass)
        for stage, column, mass in zip(result.stages, columns, masses, strict=True)
    ]
    return facts, [stage.probs for stage in result.stages] if arrays else []


def same(one: tuple[Facts, list[Array]], other: tuple[Facts, list[Array]]) -> bool:
    """Whether both sides produced the same facts and arrays."""
    return all(
        a[0] == b[0]
        and np.allclose([a[1], a[2], a[4]], [b[1], b[2], b[4]], atol=1e-9)
        and np.allclose(a[3], b[3])
        for a, b in zip(one[0], other[0], strict=True)
    ) and all(np.allclose(a, b, rtol=1e-9, atol=0) for a, b in zip(one[1], other[1], strict=True))


def fastest(*works: Callable[[], object]) -> list[float]:
    """Milliseconds of the fastest run of each, taken in turns: the one that other work disturbed least."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(REPEATS):
        for work, spent in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            spent.append((time.perf_counter() - start) * 1e3)
    return [min(spent) for spent in times]


def main() -> None:
    """Print a row per size, setting and reading, and the lowest ratios of each size."""
    print(f"{'logits':>8}  {'setting':<16}  {'':7}  {'plain ms':>9}  {'presorted ms':>12}  {'ratio':>6}")
    for size in SIZES:
        lowest = {"screen": np.inf, "arrays": np.inf}
        # A few likely tokens over a broad tail, as a language model's logits are.
        logits = np.random.default_rng(0).normal(0, 2.5, size).astype(np.float32).astype(np.float64)
        ranked = presort(logits)
        (sorting,) = fastest(partial(presort, logits))
        print(f"{size:>8,}  {'presort, once per prompt':<26}  {'':8}  {sorting:>12.2f}")
        for label, settings in CASES.items():
            for reading, arrays in (("screen", False), ("arrays", True)):
                if not same(plain(logits, settings, arrays), presorted(ranked, settings, arrays)):
                    raise SystemExit(f"{label} at {size:,}: the two sides disagree")
                slow, fast = fastest(
                    partial(plain, logits, settings, arrays), partial(presorted, ranked, settings, arrays)
                )
                lowest[reading] = min(lowest[reading], slow / fast)
                print(
                    f"{size:>8,}  {label:<16}  {reading:7}  {slow:>9.2f}  {fast:>12.2f}  {slow / fast:>5.1f}x"
                )
        print(
            f"{size:>8,}  lowest ratio: screen {lowest['screen']:.1f}x (target {TARGET}x), "
            f"arrays {lowest['arrays']:.1f}x"
        )


if __name__ == "__main__":
    main()
