"""From messages to the one text that the model continues, with an owner for every character."""

from collections.abc import Iterable

from core.errors import InputError
from core.messages.chat_dialect import MessageLike, ToolLike, as_messages, as_tool_schemas
from core.messages.marks import Marks
from core.messages.ownership import cover, follow
from core.messages.parts import Part
from core.messages.rendered import Rendered
from core.messages.template_objects import Conversation, Writer
from core.messages.templates import TemplateRefusal, template_text


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
    write = conversation.writer(Marks({}, ""))
    try:
        text = write(len(conversation.messages), add_generation_prompt)
    except TemplateRefusal as refusal:
        first = _first_refused(write, len(conversation.messages), refusal.words)
        raise TemplateRefusal(refusal.words, first) from None
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
