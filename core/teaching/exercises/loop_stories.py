"""Questions with fresh names and figures, and the tool calls that each of them takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.agent import Tool
from core.scenarios.calculator import CALCULATE
from core.scenarios.tools import FORECAST, GET_FORECAST, GET_WEATHER, WEATHER
from core.teaching.exercises.loop_chance import between, pick, some
from core.teaching.tool_bench import BENCH

FIND_ROOM = BENCH["find_room"].tool
DAYS = ("monday", "tuesday", "wednesday", "thursday")
GOODS = {"notebook": (2, 4), "map": (5, 9), "lamp": (18, 35), "chair": (40, 75), "cable": (6, 12)}
"""What can be bought, and from what to what price in euros."""


@dataclass(frozen=True)
class Need:
    """A call that a question takes: the thought before it, and whether it needs the result of another."""

    thought: str
    tool: Tool
    arguments: dict[str, Any]
    builds_on_others: bool = False

    @property
    def result(self) -> str:
        """What the tool returns."""
        return self.tool.execute(self.arguments)


@dataclass(frozen=True)
class Story:
    """A question, the calls that it takes in order, and the answer to it."""

    question: str
    needs: tuple[Need, ...]
    answer: str

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that are advertised: those that it takes."""
        return tuple({need.tool.name: need.tool for need in self.needs}.values())


def story(rng: np.random.Generator) -> Story:
    """A question with fresh names and figures."""
    return pick(rng, (_warmest, _tomorrow, _receipt, _rooms))(rng)


def _warmest(rng: np.random.Generator) -> Story:
    cities = some(rng, sorted(WEATHER), between(rng, 2, 4))
    needs = [Need(f"I need the weather in {city}.", GET_WEATHER, {"city": city}) for city in cities]
    best = max(cities, key=lambda city: WEATHER[city][0])
    return Story(
        f"Where is it warmest now, in {_listed(cities, 'or')}?",
        tuple(needs),
        f"In {best}, with {WEATHER[best][0]}°C.",
    )


def _tomorrow(rng: np.random.Generator) -> Story:
    city = pick(rng, sorted(WEATHER))
    now, then = WEATHER[city][0], FORECAST[city][0]
    difference = Need(
        "Now the difference of the two.", CALCULATE, {"expression": f"{then} - {now}"}, builds_on_others=True
    )
    needs = (
        Need(f"I need the temperature in {city} today.", GET_WEATHER, {"city": city}),
        Need(f"I need tomorrow's in {city}.", GET_FORECAST, {"city": city, "unit": "celsius"}),
        difference,
    )
    return Story(
        f"By how many degrees does the temperature in {city} change until tomorrow?",
        needs,
        f"It changes by {difference.result} degrees.",
    )


def _receipt(rng: np.random.Generator) -> Story:
    goods = some(rng, sorted(GOODS), 2)
    counts = [between(rng, 2, 9) for _ in goods]
    prices = [between(rng, *GOODS[name]) + pick(rng, (0.25, 0.4, 0.5, 0.95)) for name in goods]
    needs = [
        Need(f"First all {name}s.", CALCULATE, {"expression": f"{count} * {price:.2f}"})
        for name, count, price in zip(goods, counts, prices, strict=True)
    ]
    total = Need(
        "Now the two sums together.",
        CALCULATE,
        {"expression": " + ".join(need.result for need in needs)},
        builds_on_others=True,
    )
    listed = _listed(
        [
            f"{count} {name}s at {price:.2f} euros"
            for name, count, price in zip(goods, counts, prices, strict=True)
        ],
        "and",
    )
    return Story(f"What do {listed} cost?", (*needs, total), f"They cost {total.result} euros.")


def _rooms(rng: np.random.Generator) -> Story:
    days = some(rng, DAYS, between(rng, 2, 3))
    seats = some(rng, range(2, 31), len(days))
    needs = tuple(
        Need(f"I need a room for {number} on {day.title()}.", FIND_ROOM, {"seats": number, "day": day})
        for day, number in zip(days, seats, strict=True)
    )
    asked = [f"{number} of us on {day.title()}" for day, number in zip(days, seats, strict=True)]
    rooms = "; ".join(need.result for need in needs)
    return Story(f"Where can {_listed(asked, 'and')} meet?", needs, f"In these rooms: {rooms}.")


def _listed(words: Sequence[str], last: str) -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
