"""What a model receives of one tool: the text of a call with the schema in it, and what it costs."""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from core.context import TokenCounter, assemble
from core.figures.loop_timeline import counted, slug
from core.messages import (
    Message,
    Owner,
    Part,
    SystemMessage,
    ToolSchema,
    UserMessage,
    render,
    with_nine_character_ids,
)
from core.trace import Segment
from core.values import Value

FAMILIES = {
    "chatml": "ChatML",
    "qwen2.5": "Qwen2.5",
    "llama3.1": "Llama 3.1",
    "mistral": "Mistral",
    "smollm2": "SmolLM2",
}
"""The templates by the name of the models that they are for, in the order of the switch."""

OWN_TOKENIZER = ("chatml", "smollm2")
"""The templates that the embedded model reads, whose tokenizer counts here."""

NINE_CHARACTERS = ("mistral",)
"""The templates that want ids of nine characters."""

SYSTEM = "You are a helpful assistant."
CALLS = 10
"""Calls of a run for which the cost is told as well."""


class Stretch(Value):
    """A stretch of the text and the part that it belongs to."""

    part: str
    name: str
    text: str


class Share(Value):
    """The tokens of one part of the call; `share` is of the whole call, from 0 to 1."""

    part: str
    name: str
    label: str
    share: float


class SeenView(Value):
    """The text, its parts, and the cost of the tool. `notice` is what a reader must know, or empty."""

    stretches: tuple[Stretch, ...]
    shares: tuple[Share, ...]
    cost: str
    in_every_call: str
    counted_by: str
    notice: str = ""


def seen_view(
    schema: ToolSchema, question: str, template: str, tokenizer: Any, turn: Sequence[Message] = ()
) -> SeenView:
    """What a model receives of a tool in a call with a system prompt and a question.

    Args:
        schema: the tool.
        question: what the user asks.
        template: one of `FAMILIES`.
        tokenizer: that of the embedded model; it counts exactly what this model reads, the rest about.
        turn: a call of the tool and its result, if the text of the call after them is wanted.

    Raises:
        InputError: the text cannot be written or counted, or the template refuses the turn.
    """
    counter = TokenCounter(tokenizer, template)
    opening: tuple[Message, ...] = (SystemMessage(content=SYSTEM), UserMessage(content=question))
    messages = [*opening, *turn]
    if template in NINE_CHARACTERS:
        messages = with_nine_character_ids(messages)
    with_tool = assemble(opening, [schema], counter)
    of_schema = _total([segment for segment in with_tool if segment.part is Part.TOOLS])
    brought = _total(with_tool) - _total(assemble(opening, [], counter))
    segments = assemble(messages, [schema], counter)
    about = "" if template in OWN_TOKENIZER else "about "
    return SeenView(
        stretches=tuple(
            Stretch(part=slug(segment.part), name=segment.part.value, text=segment.text)
            for segment in segments
        ),
        shares=tuple(_shares(segments, _total(segments), about)),
        cost=_cost(brought, of_schema, about),
        in_every_call=(
            f"In every call, for a model knows no tools of its own: {CALLS} calls send "
            f"{about}{CALLS * brought:,} tokens for it."
            if brought
            else ""
        ),
        counted_by=_counted_by(template),
        notice=_notice(render(messages, [schema], template).omitted, FAMILIES[template]),
    )


def source_of(function: Callable[..., object]) -> str:
    """A tool's function as it is written, without what is said in it to a linter."""
    return re.sub(r"  # noqa: .*", "", inspect.getsource(inspect.unwrap(function)))


def _notice(omitted: Sequence[Owner], family: str) -> str:
    """What the template does not write at all."""
    parts = list(dict.fromkeys(owner.part for owner in omitted))
    if Part.TOOLS in parts:
        call = ", and drops the calls" if Part.TOOL_CALL in parts else ""
        return (
            f"The published template of {family} does not write tools{call}: the model hears nothing of "
            "them. Whoever wants calls from it has to describe the tool in the prompt."
        )
    if not parts:
        return ""
    return f"The published template of {family} leaves something out here: {', '.join(parts)}."


def _cost(brought: int, of_schema: int, about: str) -> str:
    if not brought:
        return "The tool costs nothing, for it is not sent."
    return (
        f"The tool costs {about}{counted(brought, 'token')}: {of_schema:,} for its schema and "
        f"{brought - of_schema:,} for what the template writes around it."
    )


def _counted_by(template: str) -> str:
    if template in OWN_TOKENIZER:
        return "Exact counts by the tokenizer of SmolLM2, the embedded model."
    family = FAMILIES[template]
    return f"Estimates: the text is {family}'s, the tokenizer SmolLM2's; {family} has one of its own."


def _shares(segments: Sequence[Segment], total: int, about: str) -> list[Share]:
    shares = []
    for part in Part:
        tokens = _total([segment for segment in segments if segment.part is part])
        if tokens:
            label = f"{about}{tokens:,}"
            shares.append(Share(part=slug(part), name=part.value, label=label, share=tokens / total))
    return shares


def _total(segments: Sequence[Segment]) -> int:
    return sum(segment.tokens or 0 for segment in segments)
