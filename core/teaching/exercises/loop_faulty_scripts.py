"""Runs in which something goes wrong: a call that fails a check, a tool that fails, a run that ends early."""

import json
from functools import lru_cache

import numpy as np

from core.messages import AssistantMessage, ToolCall
from core.teaching.exercises.loop_chance import between, happens, pick, some
from core.teaching.exercises.loop_scripts import SCRIPTS, Script, turns
from core.teaching.exercises.loop_stories import story

WRONG_NAMES = {
    "get_weather": "get_temperature",
    "get_forecast": "get_weather_tomorrow",
    "calculate": "calculator",
    "find_room": "book_room",
}
FAILING = {
    "get_weather": {"city": "Lisbon"},
    "get_forecast": {"city": "Lisbon"},
    "calculate": {"expression": "7 / 0"},
}
"""Arguments that pass all checks, and with which the tool itself fails."""

PROMISES = (
    "I will look that up now.",
    "Let me work that out step by step.",
    "One moment, I will call a tool for that.",
)
"""Texts without a call. The model may mean to go on; the loop does not."""


def faulty_script(rng: np.random.Generator) -> Script:
    """A run with up to two calls that fail, and often one that ends before its last reply."""
    return _numbered(int(rng.integers(SCRIPTS)))


@lru_cache(maxsize=SCRIPTS)
def _numbered(number: int) -> Script:
    rng = np.random.default_rng((SCRIPTS, number))
    told = story(rng)
    replies = turns(rng, told)
    for place in sorted(some(rng, range(len(replies) - 1), between(rng, 0, 2)), reverse=True):
        wrong = faulty(rng, pick(rng, replies[place].tool_calls))
        replies.insert(place, AssistantMessage(tool_calls=(wrong,)))
    if happens(rng, 0.3):
        replies.insert(between(rng, 1, len(replies) - 1), AssistantMessage(content=pick(rng, PROMISES)))
    return Script(
        told.question, told.tools, _renumbered(replies), max_steps=between(rng, 2, len(replies) + 2)
    )


def faulty(rng: np.random.Generator, call: ToolCall) -> ToolCall:
    """The call with one fault: it fails one of the three checks, or its tool fails."""
    if call.name in FAILING and happens(rng, 0.25):
        return call.model_copy(update={"arguments": json.dumps(FAILING[call.name])})
    arguments = json.loads(call.arguments)
    first = next(iter(arguments))
    wrong = pick(
        rng,
        (
            {"name": WRONG_NAMES[call.name]},
            {"arguments": call.arguments.replace('"', "'")},
            {"arguments": call.arguments[:-1]},
            {"arguments": json.dumps({key: value for key, value in arguments.items() if key != first})},
            {"arguments": json.dumps({**arguments, "days": 1})},
        ),
    )
    return call.model_copy(update=wrong)


def _renumbered(replies: list[AssistantMessage]) -> tuple[AssistantMessage, ...]:
    number, found = 0, []
    for reply in replies:
        calls = []
        for call in reply.tool_calls:
            number += 1
            calls.append(call.model_copy(update={"id": f"call_{number}"}))
        found.append(reply.model_copy(update={"tool_calls": tuple(calls)}))
    return tuple(found)
