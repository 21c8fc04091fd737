"""From messages to the one text that the model continues, with an owner for every character."""

from collections.abc import Iterable
from dataclasses import replace

from core.errors import InputError
from core.messages.chat_dialect import MessageLike, ToolLike, as_messages, as_tool_schemas
from core.messages.marks import Marks
from core.messages.ownership import cover, follow
from core.messages.parts import Part
from core.messages.rendered import Rendered
from core.messages.template_objects import Conversation, Writer
from core.messages.templates import TemplateRefusal, template_text
from core.messages.types import AssistantMessage, Message


def render(
    messages: Iterable[MessageLike],
    tools: Iterable[ToolLike] | None,
    template: str,
    add_generation_prompt: bool = True,
) -> Rendered:
    """The conversation as the single text that a chat template makes of it.

    Args:
        messages: typed messages, or dicts of the OpenAI chat dialect, including the system prompt.
        tools: the tools that are advertised.
        template: the name of a template (`core.messages.TEMPLATES`) or the text of a Jinja template.
        add_generation_prompt: whether to end with the opening of the assistant's turn.

    Raises:
        TemplateRefusal: the template itself refuses the conversation; an InputError with its words.
        InputError: a message or template that cannot be read, or a template that fails.
    """
    conversation = Conversation(as_messages(messages), as_tool_schemas(tools), template_text(template))
    conversation, text = _written(conversation, add_generation_prompt)
    followed = follow(conversation, text, add_generation_prompt)
    lost = {
        owner
        for owner in conversation.slots
        if owner not in followed.owners and owner.part is not Part.TEMPLATE
    }
    seen = {owner for _, _, owner in followed.runs}
    return Rendered(
        text=text,
        spans=cover(conversation, text, followed, add_generation_prompt),
        exact=not lost,
        omitted=tuple(
            owner
            for owner in dict.fromkeys(conversation.slots)
            if owner not in seen | lost and owner.part is not Part.TEMPLATE
        ),
    )


def _written(conversation: Conversation, add_generation_prompt: bool) -> tuple[Conversation, str]:
    """The plain text, and the conversation as the template takes it."""
    length = len(conversation.messages)
    write = conversation.writer(Marks({}, ""))
    try:
        return conversation, write(length, add_generation_prompt)
    except TemplateRefusal as refusal:
        raise TemplateRefusal(refusal.words, _first_refused(write, length, refusal.words)) from None
    except InputError:
        if conversation.text_arguments or not any(map(_calls, conversation.messages)):
            raise
        try:
            return _written(replace(conversation, text_arguments=True), add_generation_prompt)
        except InputError:
            pass
        raise


def _calls(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and bool(message.tool_calls)


def _first_refused(write: Writer, length: int, words: str) -> int | None:
    """The index of a message with which the conversation is refused, and without which it is not."""

    def refused(shorter: int) -> bool:
        try:
            write(shorter, False)
        except InputError as error:
            return isinstance(error, TemplateRefusal) and error.words == words
        return False

    allowed = 0
    if refused(0) or not refused(length):
        return None
    while length - allowed > 1:
        middle = (allowed + length) // 2
        allowed, length = (allowed, middle) if refused(middle) else (middle, length)
    return length - 1
