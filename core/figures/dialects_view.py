"""The same conversation as native calls and as ReAct text, and what each of the two loses."""

from collections.abc import Mapping, Sequence

from core.figures.loop_timeline import slug
from core.figures.message_cards import Cards, cards_of
from core.messages import Message, Part, dialect_losses, react_lines
from core.values import Value

_PARTS: Mapping[str, Part] = {
    "": Part.SYSTEM,
    "Question": Part.USER,
    "Thought": Part.ASSISTANT,
    "Action": Part.TOOL_CALL,
    "Action Input": Part.TOOL_CALL,
    "Observation": Part.TOOL_RESULT,
    "Final Answer": Part.ASSISTANT,
}


class ReactLine(Value):
    """A labelled stretch of the ReAct text."""

    owner: str
    part: str
    label: str
    text: str


class Lost(Value):
    """What is lost of a message."""

    owner: str
    reason: str


class DialectsView(Value):
    """Both dialects; `native_loses` is what the calls do not tell and the text does, `text_loses` the other
    way round."""

    cards: Cards
    lines: tuple[ReactLine, ...]
    native_loses: tuple[Lost, ...]
    text_loses: tuple[Lost, ...]


def dialects_view(messages: Sequence[Message]) -> DialectsView:
    """A conversation in both dialects."""
    lost = dialect_losses(messages)
    return DialectsView(
        cards=cards_of(messages, "ollama"),  # the one server that objects to nothing: faults alone are told
        lines=tuple(
            ReactLine(
                owner=str(line.message), part=slug(_PARTS[line.label]), label=line.label, text=line.text
            )
            for line in react_lines(messages)
        ),
        native_loses=tuple(
            Lost(owner=str(loss.index), reason=loss.reason) for loss in lost if loss.dialect == "native"
        ),
        text_loses=tuple(
            Lost(owner=str(loss.index), reason=loss.reason) for loss in lost if loss.dialect == "text"
        ),
    )
