"""What a bundled demo is: a question, tools that really run, and the replies of a scripted model."""

import json
from dataclasses import dataclass, field

from core.agent import NATIVE, Format, Guards, Policy, Tool
from core.agent.goal import Goal
from core.context.supplies import Assembly, Supplies
from core.messages.types import AssistantMessage, Message, ToolCall


@dataclass(frozen=True)
class Scenario:
    """A demo: what the user asks, what may be called, and what the scripted model replies.

    `history` is what was said before the question; with `library`, the tools of the bundled MCP server are
    discovered and added to `tools`; `policy`, `guards`, `format` and `goal` are those of the run. What fits
    the question of `supplies` is added to the system prompt.
    """

    slug: str
    title: str
    question: str
    note: str
    tools: tuple[Tool, ...]
    replies: tuple[AssistantMessage, ...]
    system: str = "You are a helpful assistant."
    max_steps: int = 6
    history: tuple[Message, ...] = ()
    library: bool = False
    policy: Policy | None = None
    guards: Guards = field(default_factory=Guards)
    format: Format = NATIVE
    goal: Goal | None = None
    supplies: Supplies | None = None

    @property
    def assembly(self) -> Assembly | None:
        """What the system prompt is made of, where something is added to it."""
        if self.supplies is None:
            return None
        return Assembly(system=self.system, question=self.question, supplies=self.supplies)


def calls(*requested: ToolCall, thought: str = "") -> AssistantMessage:
    """A reply that asks for tools, with a thought beside it or without."""
    return AssistantMessage(content=thought, tool_calls=requested)


def call(id: str, name: str, **arguments: object) -> ToolCall:
    """A request of the model, its arguments written as JSON."""
    return ToolCall(id=id, name=name, arguments=json.dumps(arguments, ensure_ascii=False))


def answer(text: str, thinking: str = "") -> AssistantMessage:
    """A reply that asks for nothing: the answer."""
    return AssistantMessage(content=text, thinking=thinking)
