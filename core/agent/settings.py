"""Three loops on the same question: reason, act, and both, which is ReAct (Yao et al., 2023, Figure 1).

They are one loop in different settings. What differs is what the model is told, whether it gets tools, and
the format; what it then does is its own affair, and the trace shows it. Chain of thought is the open loop:
one call, no tools, and nothing comes back.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from core.agent.checks import checked_tools
from core.agent.formats import NATIVE, Format, Turn
from core.agent.react_format import TEXT
from core.agent.tools import Tool
from core.errors import InputError
from core.messages.types import AssistantMessage, Message, ToolSchema
from core.trace import Trace


class LoopKind(StrEnum):
    """The loop that a model is asked to go round."""

    CHAIN_OF_THOUGHT = "chain of thought"
    ACT = "act"
    REACT = "ReAct"


Thoughts = Literal["dense", "sparse"]
"""How often ReAct is asked to think: before every action, or where it matters (Yao et al., 2023)."""


@dataclass(frozen=True)
class Setting:
    """What `run` is given beside model and question, `**vars(setting)`; `history` holds the examples."""

    system: str
    tools: tuple[Tool, ...]
    format: Format
    max_steps: int
    history: tuple[Message, ...] = ()


def setting(
    kind: LoopKind,
    tools: Sequence[Tool],
    *,
    thoughts: Thoughts = "dense",
    as_text: bool = False,
    examples: Sequence[Trace] = (),
    max_steps: int = 8,
) -> Setting:
    """How one of the three loops is run.

    Args:
        kind: which of them.
        tools: what may be called; chain of thought gets none, and without any the others are told of none.
        thoughts: how often ReAct is asked to think.
        as_text: whether calls are written as text, and the tools described in the system prompt; else they
            are native.
        examples: runs to show as few-shot examples, as turns before the question, which is how a chat model
            sees them. A model that was trained for the format needs none.
        max_steps: the largest number of model calls; chain of thought makes one.

    Raises:
        InputError: on a loop or thoughts that there are not, or tools that are none.
    """
    if kind not in list(LoopKind) or thoughts not in ("dense", "sparse"):
        raise InputError(
            f"There is no loop {kind!r} with {thoughts!r} thoughts. The loops are {', '.join(LoopKind)}; "
            "thoughts are dense or sparse."
        )
    if not all(isinstance(example, Trace) for example in examples):
        raise InputError("An example must be a Trace: record a run that went well.")
    checked_tools(tools)
    history = tuple(message for example in examples for message in example.messages)
    if kind == LoopKind.CHAIN_OF_THOUGHT:
        return Setting(REASON_ONLY, (), CHAIN, 1, history)
    if not tools:  # nothing to act with: no word of tools, and no examples that use them
        rules = f"{WITHOUT_TOOLS}\n\n{TO_ANSWER}" if as_text else WITHOUT_TOOLS
        return Setting(rules, (), TEXT if as_text else NATIVE, max_steps)
    parts = [_text_rules(kind, tools)] if as_text else [USE_TOOLS]
    if kind == LoopKind.REACT:
        parts.append(THINK_ALWAYS if thoughts == "dense" else THINK_SPARSELY)
    else:
        parts.append(DO_NOT_THINK)
    return Setting("\n\n".join(parts), tuple(tools), TEXT if as_text else NATIVE, max_steps, history)


REASON_ONLY = (
    "Answer from what you know; nothing can be looked up. Write your reasoning step by step, each step in a "
    "line of its own. Then write a last line that begins with `Answer:` and holds the answer alone."
)
WITHOUT_TOOLS = "Answer from what you know; nothing can be looked up."
TO_ANSWER = "To answer, write\nFinal Answer: the answer"
USE_TOOLS = (
    "Answer with the help of the tools. Take facts from their results only, and do not repeat a call. When "
    "you know enough, answer without calling a tool."
)
THINK_ALWAYS = (
    "Before every call write a thought of one sentence: what you know by now, what you need next, and why."
)
THINK_SPARSELY = (
    "Write a thought of one sentence before a call only where it matters: to plan at the beginning, and "
    "where a result was not what you expected. Make all other calls without a thought."
)
DO_NOT_THINK = "Write no thoughts and no other text beside a call."


def _text_rules(kind: LoopKind, tools: Sequence[Tool]) -> str:
    described = "\n".join(json.dumps(tool.schema.model_dump(), ensure_ascii=False) for tool in tools)
    thought = "Thought: what you know by now, and what you need next\n" if kind == LoopKind.REACT else ""
    return (
        f"{USE_TOOLS}\n\nThe tools, with the JSON Schema of their arguments:\n{described}\n\n"
        "To call a tool, write these lines and stop. Its result comes back after `Observation:`, which you "
        "never write yourself.\n"
        f"{thought}Action: the name of one tool\nAction Input: its arguments as a JSON object\n\n"
        f"{TO_ANSWER}"
    )


class ChainFormat:
    """Chain of thought: all of a reply is text, and its last line that begins with `Answer:` is the answer.

    What stands before it is the chain. Without such a line the whole text is the answer.
    """

    def sent(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
    ) -> tuple[tuple[Message, ...], tuple[ToolSchema, ...]]:
        return tuple(messages), tuple(tools)

    def read(self, reply: AssistantMessage, tools: Sequence[ToolSchema]) -> Turn:  # noqa: ARG002
        labels = list(_ANSWER.finditer(reply.content))
        answer = reply.content[labels[-1].end() :].strip() if labels else ""
        if not answer:
            return Turn(message=reply)
        chain = reply.content[: labels[-1].start()].strip()
        thinking = "\n\n".join(text for text in (reply.thinking, chain) if text)
        return Turn(message=reply.model_copy(update={"content": answer, "thinking": thinking or None}))

    def is_complete(self, text: str) -> bool:  # noqa: ARG002
        return False


CHAIN = ChainFormat()
_ANSWER = re.compile(r"^[ \t]*+\**+(?:final[ \t]++)?answer[ \t]*+\**+[ \t]*+:[ \t]*+\**+", re.I | re.M)
