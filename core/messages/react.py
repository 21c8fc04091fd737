"""One conversation in two dialects: native tool calls, and Thought / Action / Observation text.

The text is that of Yao et al. (2023) with LangChain's `Action Input:` for the arguments. It is one string
that the model continues, so what the messages keep in fields must be told by labels and by order.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from core.messages.chat_dialect import MessageLike, as_messages
from core.messages.pairing import pairs
from core.messages.react_labels import sections
from core.messages.types import AssistantMessage, Message, SystemMessage, ToolResultMessage, UserMessage
from core.values import Value

Label = Literal["", "Question", "Thought", "Action", "Action Input", "Observation", "Final Answer"]


class Line(Value):
    """A labelled stretch of the text, and the message that it says; `call_id` is set in what belongs to one
    call."""

    label: Label
    text: str
    message: int
    call_id: str = ""

    def __str__(self) -> str:
        return f"{self.label}: {self.text}" if self.label else self.text


class DialectLoss(Value):
    """What one dialect does not tell of the message with this index, and the other does."""

    dialect: Literal["native", "text"]
    index: int
    reason: str


def react_lines(messages: Iterable[MessageLike]) -> list[Line]:
    """The conversation as ReAct text, line by line; `"\\n".join(map(str, lines))` is the text.

    A result stands directly below its call, as nothing else could pair them. One that belongs to no call
    stays where it is.

    Raises:
        InputError: a message that cannot be read.
    """
    typed = as_messages(messages)
    answers = {(pair.call, pair.place): pair.result for pair in pairs(typed)}
    placed = set(answers.values())
    lines: list[Line] = []
    for index, message in enumerate(typed):
        match message:
            case SystemMessage(content=text):
                lines.append(Line(label="", text=text, message=index))
            case UserMessage(content=text):
                lines.append(Line(label="Question", text=text, message=index))
            case ToolResultMessage() if index not in placed:
                lines.append(_observation(index, message))
            case AssistantMessage():
                lines += _reply(index, message, typed, answers)
    return lines


def dialect_losses(messages: Iterable[MessageLike]) -> list[DialectLoss]:
    """What is lost of this conversation as native calls, and what as text, by message.

    Raises:
        InputError: a message that cannot be read.
    """
    typed = as_messages(messages)
    found: list[DialectLoss] = []
    for index, message in enumerate(typed):
        for reason in _text_loses(message):
            found.append(DialectLoss(dialect="text", index=index, reason=reason))
        for reason in _native_loses(message):
            found.append(DialectLoss(dialect="native", index=index, reason=reason))
    return found


def _reply(
    index: int,
    message: AssistantMessage,
    typed: Sequence[Message],
    answers: dict[tuple[int, int], int | None],
) -> Iterator[Line]:
    thoughts = [message.thinking, message.content if message.tool_calls else None]
    for thought in thoughts:
        if thought:
            yield Line(label="Thought", text=thought, message=index)
    for place, call in enumerate(message.tool_calls):
        yield Line(label="Action", text=call.name, message=index, call_id=call.id)
        yield Line(label="Action Input", text=call.arguments or "{}", message=index, call_id=call.id)
        at = answers[index, place]
        if at is not None:
            yield _observation(at, typed[at])
    if not message.tool_calls:
        yield Line(label="Final Answer", text=message.content, message=index)


def _observation(index: int, message: Message) -> Line:
    id_ = message.tool_call_id if isinstance(message, ToolResultMessage) else ""
    return Line(label="Observation", text=message.content, message=index, call_id=id_)


def _text_loses(message: Message) -> Iterator[str]:
    texts = [message.content]
    match message:
        case AssistantMessage(tool_calls=calls, thinking=thinking, content=content):
            if len(calls) > 1:
                yield f"That its {len(calls)} calls were asked for together: they become one after the other."
            if calls:
                yield "The ids of its calls: an observation belongs to the action above it."
            if calls and thinking and content:
                yield "Which thought was thinking and which was said: both become a thought."
            texts += [thinking or "", *(call.arguments for call in calls)]
        case ToolResultMessage(is_error=True):
            yield "The mark that the result is an error: only its words can tell."
    if labels := sorted(
        {found.label.capitalize() for text in texts for found in sections(text) if found.label}
    ):
        yield f"Where it ends: a line in it begins like a label ({', '.join(labels)}), and is read as one."


def _native_loses(message: Message) -> Iterator[str]:
    if isinstance(message, AssistantMessage):
        if message.tool_calls and not message.content and not message.thinking:
            yield "The thought: a call may come without a word, where the text's form asks for one first."
        if message.tool_calls and message.content:
            yield "The label of the thought: as text without calls it would be the answer."
