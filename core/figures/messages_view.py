"""One conversation in four views, ready to draw: typed messages, a provider's JSON, the text, the tokens."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from core.errors import InputError
from core.figures.loop_timeline import counted
from core.figures.message_cards import Cards, cards_of
from core.figures.rendered_view import RenderedView, rendered_view
from core.figures.tool_view import FAMILIES
from core.figures.wire_lines import JsonLine, wire_lines
from core.lm.tokenizer import Tokenizer
from core.messages import Loss, Message, ToolSchema, losses
from core.messages.templates import is_jinja
from core.values import Value

PROVIDERS = {
    "openai-chat": "OpenAI chat",
    "openai-responses": "OpenAI Responses",
    "anthropic": "Anthropic",
    "ollama": "Ollama",
}
"""What a screen calls each provider's JSON."""

OWN_TEMPLATE = "own"
"""The name of a template that was pasted."""


class Option(Value):
    """A choice of a switch."""

    name: str
    title: str


class WireColumn(Value):
    """The JSON; or why it cannot be written. `verdict` is what the server says to it, and `tone` is "open"
    where it takes a fault without a word."""

    lines: tuple[JsonLine, ...]
    problem: str
    verdict: str
    tone: Literal["good", "bad", "open"]
    lost: tuple[str, ...]


class MessagesView(Value):
    """All that the picture draws; `counts` says how many tokens each message takes, template included."""

    cards: Cards
    counts: dict[str, str]
    tools: str
    wire: WireColumn
    rendered: RenderedView
    provider: str
    providers: tuple[Option, ...]
    template: str
    templates: tuple[Option, ...]


def messages_view(
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    provider: str,
    template: str,
    own_template: str,
    tokenizer: Tokenizer,
) -> MessagesView:
    """The four views.

    Args:
        messages: the conversation.
        tools: the tools that are advertised.
        provider: one of `PROVIDERS`.
        template: one of `FAMILIES`, or `OWN_TEMPLATE`.
        own_template: the Jinja text of the reader's own template, or empty.
        tokenizer: that of the embedded model.
    """
    cards = cards_of(messages, provider)
    rendered = rendered_view(messages, tools, template_of(template, own_template), tokenizer)
    titles = FAMILIES | ({OWN_TEMPLATE: "Your own Jinja"} if own_template else {})
    return MessagesView(
        cards=cards,
        counts=_counts(rendered),
        tools=", ".join(tool.name for tool in tools),
        wire=_wire(messages, tools, provider, cards),
        rendered=rendered,
        provider=provider,
        providers=tuple(Option(name=name, title=title) for name, title in PROVIDERS.items()),
        template=template,
        templates=tuple(Option(name=name, title=title) for name, title in titles.items()),
    )


def template_of(template: str, own_template: str) -> str:
    """What `core.messages.render` takes: the name, or the reader's own Jinja text."""
    return own_template if template == OWN_TEMPLATE else template


def checked_template(text: str) -> str:
    """The text, if it is a Jinja template.

    Raises:
        InputError: it is none, or too long.
    """
    if len(text) > LONGEST_TEMPLATE:
        raise InputError(f"The template has {len(text):,} characters; at most {LONGEST_TEMPLATE:,} are read.")
    if not is_jinja(text):
        raise InputError("This is no Jinja template: one has {{ … }} or {% … %} in it.")
    return text


LONGEST_TEMPLATE = 40_000
"""Characters."""


def _wire(
    messages: Sequence[Message], tools: Sequence[ToolSchema], provider: str, cards: Cards
) -> WireColumn:
    lines: tuple[JsonLine, ...] = ()
    problem = ""
    try:
        lines = wire_lines(messages, tools, provider)
    except InputError as error:
        problem = str(error)
    faults = sum(len(card.answers) for card in cards.cards)
    breaches = any(row.faults for card in cards.cards for row in card.rows)
    return WireColumn(
        lines=lines,
        problem=problem,
        verdict=_verdict(provider, faults, breaches, bool(problem)),
        tone="bad" if faults or problem else "open" if breaches else "good",
        lost=tuple(_sentence(loss) for loss in losses(messages, provider)),
    )


def _verdict(provider: str, faults: int, breaches: bool, problem: bool) -> str:
    title = PROVIDERS[provider]
    if problem:
        return f"It cannot be sent to {title}."
    if faults:
        return f"{title} refuses it: {counted(faults, 'fault')}."
    if breaches:
        return f"{title} takes it, faults and all: the model sees them as they are."
    return f"This is what is sent. {title} takes it."


def _counts(rendered: RenderedView) -> dict[str, str]:
    tokens: Counter[str] = Counter()
    for run in rendered.runs:
        tokens[run.owner] += len(run.tokens)
    about = "" if rendered.exact else "about "
    return {owner: f"{about}{counted(count, 'token')}" for owner, count in tokens.items()}


def _sentence(loss: Loss) -> str:
    return f"Message {loss.index}: {loss.reason}"
