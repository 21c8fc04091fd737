"""The summary of a compaction: what a model is asked for it, and the text that then stands in the context.

A runtime that compacts sends what is about to go to a model, as one text, and puts the answer in its place.
An earlier summary is part of what goes, so each summary holds what the one before has kept.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing

from core.errors import InputError
from core.lm.chat import StreamingModel
from core.messages import AssistantMessage, Message, SystemMessage, ToolResultMessage, UserMessage
from core.values import Value

ASKS = (
    "Provide a concise, objective summary of the input text in up to five sentences, focusing on key actions "
    "and on the facts that were found. It takes the place of the text."
)
"""As the embedded model was asked when it was trained to summarise: SmolTalk, its part smol-summarize."""

LEAD = "Summary of the conversation so far: "
LONGEST = 2_000
"""Characters of a summary. A model that writes on is stopped there."""


class Summary(Value):
    """What stands for messages that are gone. `by` is the model that wrote it; empty where none did."""

    text: str
    by: str = ""


Summaries = Callable[[str], Summary | None]
"""The summary of a transcript, as far as one was written."""


def transcript(messages: Iterable[Message]) -> str:
    """Messages as one text, such as a model is given to summarise: a line for each, and for each call."""
    return "\n".join(line for message in messages for line in _lines(message))


def _lines(message: Message) -> Iterator[str]:
    match message:
        case AssistantMessage():
            if message.content:
                yield f"Agent: {message.content}"
            for call in message.tool_calls:
                yield f"Agent calls {call.name}: {call.arguments}"
        case ToolResultMessage():
            yield f"Result: {message.content}"
        case SystemMessage():
            yield f"System: {message.content}"
        case _:
            yield f"User: {message.content}"


def summarise(model: StreamingModel, of: str) -> Generator[str, None, Summary]:
    """Have a model write the summary of a transcript.

    Yields what has come of it, also while nothing comes: then whoever waits can close it, which stops the
    model. The generator returns the summary.

    Raises:
        InputError: the model cannot be reached, refuses the text, or writes nothing.
    """
    text = ""
    with closing(model.stream((SystemMessage(content=ASKS), UserMessage(content=of)), ())) as stream:
        for piece in stream:
            text += piece.text
            yield text
            if len(text) >= LONGEST:
                break
    if not text.strip():
        raise InputError(f"{model.name} wrote no summary: choose another model, or write it by hand.")
    return Summary(text=f"{LEAD}{text[:LONGEST].strip()}", by=model.name)
