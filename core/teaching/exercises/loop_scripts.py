"""Runs to ask about: a question, tools that really run, and what a scripted model replies; drawn by chance.

Only replies are made up here. What the tools return, what fails and where a run ends comes from running it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from core.agent import Tool, record, run
from core.lm.chat import Reply
from core.lm.scripted import ScriptedModel
from core.messages import AssistantMessage, Message, ToolSchema
from core.scenarios.scenario import answer, call, calls
from core.teaching.exercises.loop_chance import happens
from core.teaching.exercises.loop_stories import Need, Story, story
from core.trace import Trace

SCRIPTS = 200
"""Runs to choose from. A run takes milliseconds, so those that were run are kept."""

THOUGHTFUL = 0.6
"""How probable a thought is in a turn."""

SYSTEM = "You are a helpful assistant."


@dataclass(frozen=True)
class Ran:
    """What came of a run: its trace, and the messages that each call of the model was sent."""

    trace: Trace
    sent: tuple[tuple[Message, ...], ...]


@dataclass(frozen=True)
class Script:
    """What a run is given."""

    question: str
    tools: tuple[Tool, ...]
    replies: tuple[AssistantMessage, ...]
    max_steps: int = 8

    @cached_property
    def ran(self) -> Ran:
        """The run of the real loop."""
        model = _Noting("scripted", self.replies)
        steps = run(model, self.question, self.tools, system=SYSTEM, max_steps=self.max_steps)
        trace = record(
            steps,
            title=self.question,
            source="scripted",
            system=SYSTEM,
            tools=[tool.schema for tool in self.tools],
            max_steps=self.max_steps,
        )
        return Ran(trace, tuple(model.sent))


class _Noting(ScriptedModel):
    """A scripted model that notes what it is sent."""

    def __init__(self, name: str, replies: Sequence[AssistantMessage]) -> None:
        super().__init__(name, replies)
        self.sent: list[tuple[Message, ...]] = []

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        self.sent.append(tuple(messages))
        return super().reply(messages, tools)


def turns(rng: np.random.Generator, story: Story, together: float = 0.5) -> list[AssistantMessage]:
    """The replies that solve a story, the answer last.

    Args:
        rng: the source of chance.
        story: what is asked.
        together: how probable it is that calls which need nothing of each other stand in one turn.
    """
    groups: list[list[Need]] = []
    at_once = happens(rng, together)
    for need in story.needs:
        if groups and at_once and not need.builds_on_others:
            groups[-1].append(need)
        else:
            groups.append([need])
    replies, number = [], 0
    for group in groups:
        requested = []
        for need in group:
            number += 1
            requested.append(call(f"call_{number}", need.tool.name, **need.arguments))
        thought = " ".join(need.thought for need in group) if happens(rng, THOUGHTFUL) else ""
        replies.append(calls(*requested, thought=thought))
    return [*replies, answer(story.answer)]


def script(rng: np.random.Generator, together: float = 0.5) -> Script:
    """A run without a mistake; as `turns`."""
    return _numbered(int(rng.integers(SCRIPTS)), together)


@lru_cache(maxsize=2 * SCRIPTS)
def _numbered(number: int, together: float) -> Script:
    rng = np.random.default_rng(number)
    told = story(rng)
    return Script(told.question, told.tools, tuple(turns(rng, told, together)))
