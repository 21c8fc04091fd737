"""By hand: temperature and a filter together, in the order of an engine."""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from core.sampling import ENGINES, Distribution, SamplerSettings, SortedLogits, distribution, presort
from core.teaching.exercises.base import Kind, Made, Mistake, SetField, Step, Table
from core.teaching.exercises.sampling_drawn import (
    TOKENS,
    asked,
    falling,
    kept,
    kept_instead,
    of,
    stage_by_stage,
)
from core.teaching.exercises.sampling_softmax import TEMPERED

NAMES = TOKENS[:4]
KEPT = SetField("kept", "Kept", NAMES)
FIRST = "transformers", "vllm"
LAST = "llama.cpp", "ollama"


@dataclass(frozen=True)
class Tempered:
    """Logits ln x with a temperature that makes a root (T = 2) or a square (T = 1/2) of x, and a filter."""

    weights: tuple[int, ...]
    temperature: float
    top_p: float = 1.0
    min_p: float = 0.0

    @property
    def filter(self) -> str:
        """What the filter is set to."""
        return f"top-p {self.top_p:g}" if self.top_p < 1 else f"min-p {self.min_p:g}"

    def by(self, engine: str, temperature: float | None = None) -> Distribution:
        """What core makes of them in an engine's order."""
        t = self.temperature if temperature is None else temperature
        return distribution(self._ranked, SamplerSettings(t, 0, self.top_p, self.min_p, engine))

    @cached_property
    def _ranked(self) -> SortedLogits:
        return presort(np.log(self.weights))

    @property
    def table(self) -> Table:
        """The tokens and their logits."""
        return Table(("token", *NAMES), (("z", *(f"ln {weight}" for weight in self.weights)),))

    @property
    def power(self) -> str:
        """What the temperature does to x."""
        return "the root of x" if self.temperature > 1 else "x squared"

    @property
    def tempered(self) -> tuple[float, ...]:
        """exp(z / T)."""
        return tuple(weight ** (1 / self.temperature) for weight in self.weights)


@cache
def _telling(name: Literal["top_p", "min_p"]) -> tuple[Tempered, ...]:
    """All figures with which the order matters, and two or three tokens are kept, the temperature first."""
    filters = (
        (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95) if name == "top_p" else (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)
    )
    possible = (
        Tempered(tuple(root**2 for root in roots) if t > 1 else roots, t, **{name: value})
        for roots in combinations(range(1, 8), 4)
        for t in (2.0, 0.5)
        for value in filters
    )
    return tuple(
        drawn
        for drawn in possible
        if (first := drawn.by("transformers").kept_count) in {2, 3}
        and drawn.by("llama.cpp").kept_count not in {1, first}
    )


def _drawn(rng: np.random.Generator, name: Literal["top_p", "min_p"]) -> Tempered:
    telling = _telling(name)
    drawn = telling[int(rng.integers(len(telling)))]
    return replace(drawn, weights=tuple(rng.permutation(drawn.weights).tolist()))


def temperature_then_top_p(rng: np.random.Generator) -> Made:
    """Temperature and top-p, in the lecture's order."""
    drawn = _drawn(rng, "top_p")
    result = drawn.by("transformers")
    ranked, size = falling(drawn.weights), result.kept_count
    fields = ranked[:2]
    filtered_first = drawn.by("llama.cpp")
    untempered = drawn.by("transformers", temperature=1.0)
    multiplied = drawn.by("transformers", temperature=1 / drawn.temperature)

    def instead(sentence: str, other: Distribution) -> Mistake:
        return Mistake(sentence, {"kept": kept(other), **{token: of(other, token) for token in fields}})

    total = sum(drawn.tempered)
    return Made(
        task=f"Temperature T = {drawn.temperature:g}, then top-p with p = {drawn.top_p:g}. Which tokens are "
        f"kept, and how probable is each of {' and '.join(fields)}?",
        given=(drawn.table,),
        fields=(KEPT, *asked(fields)),
        answers={"kept": kept(result), **{token: of(result, token) for token in fields}},
        hint=f"With z = ln x, e^(z / {drawn.temperature:g}) is {drawn.power}.",
        mistakes=(
            instead("Filtered before tempering: the temperature goes first.", filtered_first),
            instead("Temperature not applied.", untempered),
            instead("You multiplied the logits by T; divide by it.", multiplied),
            Mistake(
                "Not renormalised: what is kept has to sum to 1.",
                {
                    token: drawn.tempered[NAMES.index(token)] / total
                    for token in fields
                },
            ),
            kept_instead("You kept one token too many.", drawn.tempered, ranked[: size + 1], fields),
            kept_instead("You kept one token too few.", drawn.tempered, ranked[: size - 1], fields),
        ),
        steps=(
            Step(
                f"e^(z / T) is {drawn.power}: {', '.join(f'{value:g}' for value in drawn.tempered)},"
                f" together {total:g}."
            ),
            stage_by_stage(result),
        ),
    )  # fmt: skip


def engine_order(rng: np.random.Generator) -> Made:
    """The same settings in an engine that tempers first, and in one that tempers last."""
    drawn = _drawn(rng, "top_p" if rng.random() < 0.5 else "min_p")
    engines = str(rng.choice(FIRST)), str(rng.choice(LAST))
    if rng.random() < 0.5:
        engines = engines[1], engines[0]
    results = {engine: drawn.by(engine) for engine in engines}
    untempered = kept(drawn.by("transformers", temperature=1.0))
    fields = tuple(SetField(engine, f"Kept by {engine}", NAMES) for engine in engines)
    one, other = engines
    return Made(
        task=f"T = {drawn.temperature:g} and {drawn.filter}, in two engines, each with its own order. "
        "Which tokens does each keep?",
        given=(
            drawn.table,
            Table(("engine", "order"), tuple((name, " → ".join(ENGINES[name].order)) for name in engines)),
        ),
        fields=fields,
        answers={engine: kept(result) for engine, result in results.items()},
        hint="What stands before the temperature sees the model's own probabilities.",
        mistakes=(
            *(
                Mistake("Here the filter sees the probabilities after the temperature.", {engine: untempered})
                for engine in engines
                if engine in FIRST
            ),
            *(
                Mistake(
                    "Here the filter comes before the temperature.", {engine: kept(drawn.by("transformers"))}
                )
                for engine in engines
                if engine in LAST
            ),
            Mistake(
                "You took the orders for each other.", {one: kept(results[other]), other: kept(results[one])}
            ),
        ),
        steps=tuple(
            step
            for engine, result in results.items()
            for step in (
                Step(f"{engine}: {' → '.join(ENGINES[engine].order)}."),
                stage_by_stage(result, NAMES),
            )
        ),
    )


ORDERS = (
    Kind(
        "temperature-top-p", "Temperature, then top-p", "A", 1, temperature_then_top_p, TEMPERED
    ),
    Kind("engine-order", "The order of an engine", "A", 1, engine_order),
)  # fmt: skip
