"""The text that a chat template makes of a conversation, and its tokens, each with its owner."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from core.context import TokenCounter, assemble
from core.errors import InputError
from core.figures.loop_timeline import counted, slug
from core.figures.tool_view import FAMILIES, OWN_TOKENIZER
from core.figures.wire_lines import TOOLS
from core.lm.tokenizer import Tokenizer
from core.lm.visible import visible
from core.messages import (
    Marker,
    Message,
    Part,
    Rendered,
    Span,
    TemplateRefusal,
    ToolSchema,
    find_markers,
    read_by_owner,
)
from core.messages.deadline import render_in_time
from core.messages.rendered import GENERATION_PROMPT
from core.messages.templates import is_jinja
from core.values import Value

Token = tuple[str, int | None, bool]
"""What it stands for, made visible; its number in the vocabulary, where that is known; whether it is a
control token."""

NOBODY = "template"
"""The owner of template text that belongs to no message and has no label."""

LESSONS: Mapping[str, str] = {
    "only supports single tool-calls": (
        "Llama 3.1 was trained on one call in a turn: two in one message are a text that it has never seen. "
        "Ask for them one after the other."
    ),
    "alphanumeric strings with length 9": (
        "Mistral was trained on ids of nine letters or digits. A runtime may rename ids, as long as call and "
        "result get the same new one."
    ),
    "roles must alternate": (
        "Mistral was trained on turns that alternate between user and model. Two messages of one side have "
        "to be joined before they are sent."
    ),
    "Only user and assistant roles": (
        "Mistral was trained with one system prompt, at the start. Orders that come later have to stand in "
        "what the user says."
    ),
    "when there's no first user message": (
        "Llama 3.1 writes the tools into the first message of the user, so there has to be one."
    ),
}
"""What a student learns of a refusal, by some of the template's own words."""

ANY_LESSON = (
    "A template refuses what its model was not trained on, rather than write a text that the model has never "
    "seen."
)

MISTRAL_SYSTEM = (
    "Mistral writes the system prompt into the last message, if that is the user's: in this call the model "
    "does not read it."
)


ORIGINS: Mapping[str, str] = {
    "chatml": "ChatML, which OpenAI introduced and Qwen and SmolLM2 use",
    "smollm2": "SmolLM2, in ChatML",
    "qwen2.5": "Qwen, the family of the lab's models, in ChatML",
    "llama3.1": "Llama's own format, not ChatML",
    "mistral": "Mistral's own format, not ChatML",
}
"""Whose format a template writes. Sources: the lecture, and the published templates."""


class TextPiece(Value):
    """A stretch of text; `forged` where it is a marker that somebody else than the template wrote."""

    text: str
    forged: bool = False


class TextRun(Value):
    """What one owner wrote, or the template for it, and the tokens that begin in it."""

    owner: str
    part: str
    about: str
    pieces: tuple[TextPiece, ...]
    tokens: tuple[Token, ...]


class RefusalView(Value):
    """A template's own refusal: its words, the message at which it refuses, and what that teaches."""

    words: str
    owner: str
    where: str
    lesson: str
    nine: bool = False


class RenderedView(Value):
    """The text and its tokens; or why there are none, in `refusal` or `problem`.

    `count` is the number of tokens in words, `counted_by` how they were counted. `notes` are sentences on
    what the template left out or transformed, `forged` one on markers that others than it wrote, or empty.
    `format` says whose format it is, and with which markers.
    """

    runs: tuple[TextRun, ...] = ()
    count: str = ""
    counted_by: str = ""
    exact: bool = False
    notes: tuple[str, ...] = ()
    format: str = ""
    forged: str = ""
    refusal: RefusalView | None = None
    problem: str = ""


def rendered_view(
    messages: Sequence[Message], tools: Sequence[ToolSchema], template: str, tokenizer: Tokenizer
) -> RenderedView:
    """What the model reads of a conversation: the text by a template, given by name or as Jinja text."""
    try:
        rendered = render_in_time(messages, tools, template)
        exact = template in OWN_TOKENIZER
        tokens = (
            _exact_tokens(messages, tools, template, tokenizer)
            if exact
            else _estimated_tokens(rendered, template, tokenizer)
        )
    except TemplateRefusal as refusal:
        return RenderedView(refusal=_refusal(refusal))
    except InputError as error:
        return RenderedView(problem=str(error))
    forged: dict[int, list[Marker]] = {}
    found = find_markers(rendered, template)
    markers = [marker for marker in found if marker.forged]
    starts = [span.start for span in rendered.spans]
    for marker in markers:
        forged.setdefault(_span_at(starts, marker.start), []).append(marker)
    runs = tuple(
        TextRun(
            owner=owner_of(span),
            part=slug(span.part),
            about=_about(span),
            pieces=tuple(_pieces(rendered.text, span, forged.get(index, ()))),
            tokens=tuple(tokens[index]),
        )
        for index, span in enumerate(rendered.spans)
    )
    total = sum(len(run.tokens) for run in runs)
    return RenderedView(
        runs=runs,
        count=f"{'' if exact else 'about '}{counted(total, 'token')}",
        counted_by=_counted_by(template),
        exact=exact,
        notes=tuple(_notes(rendered, template)),
        format=_format(template, [marker.text for marker in found if not marker.forged]),
        forged=_forged(len(markers)),
    )


def owner_of(span: Span) -> str:
    """The name under which a stretch is lit: its message's number, `TOOLS`, or what the template calls it."""
    if span.message is not None:
        return str(span.message)
    return TOOLS if span.part is Part.TOOLS else span.label or NOBODY


def template_title(template: str) -> str:
    """What a screen calls a template."""
    return "Your own template" if is_jinja(template) else FAMILIES.get(template, template)


def _about(span: Span) -> str:
    if span.label == GENERATION_PROMPT:
        return "generation prompt: from here the model writes"
    where = "" if span.message is None else f" of message {span.message}"
    label = f" · {span.label}" if span.label else ""
    return f"{span.part.value}{where}{label}"


def _pieces(text: str, span: Span, forged: Sequence[Marker]) -> Iterator[TextPiece]:
    position = span.start
    for marker in forged:
        if marker.start > position:
            yield TextPiece(text=text[position : marker.start])
        yield TextPiece(text=marker.text, forged=True)
        position = marker.end
    if position < span.end:
        yield TextPiece(text=text[position : span.end])


def _exact_tokens(
    messages: Sequence[Message], tools: Sequence[ToolSchema], template: str, tokenizer: Tokenizer
) -> list[list[Token]]:
    return [
        [
            (visible(tokenizer.token_bytes(id_)), id_, tokenizer.is_special(id_))
            for id_ in segment.token_ids or ()
        ]
        for segment in assemble(messages, tools, TokenCounter(tokenizer, template))
    ]


def _estimated_tokens(rendered: Rendered, template: str, tokenizer: Tokenizer) -> list[list[Token]]:
    """One token for each marker of the template, and the words as another model's tokenizer cuts them."""
    shares: list[list[Token]] = [[] for _ in rendered.spans]
    starts = [span.start for span in rendered.spans]
    position = 0
    for piece in read_by_owner(rendered, template):
        if piece.control:
            shares[_span_at(starts, position)].append((piece.text, None, True))
        else:
            for token in tokenizer.encode_with_offsets(piece.text, special=False):
                share = shares[_span_at(starts, position + token.start)]
                share.append((visible(tokenizer.token_bytes(token.id)), None, False))
        position += len(piece.text)
    return shares


def _format(template: str, markers: Sequence[str]) -> str:
    """Whose format it is, and its markers, without those that close: turns before what stands in them."""
    opening = [marker for marker in dict.fromkeys(markers) if marker[1] != "/"]
    opening.sort(key=lambda marker: marker[:2] not in ("<|", "<｜"))
    return ": ".join(filter(None, (ORIGINS.get(template, template_title(template)), " ".join(opening))))


def _forged(count: int) -> str:
    if not count:
        return ""
    return f"{counted(count, 'marker')} in what somebody wrote: kept as text here. Key 2 shows the danger."


def _span_at(starts: Sequence[int], place: int) -> int:
    return bisect_right(starts, place) - 1


def _counted_by(template: str) -> str:
    if template in OWN_TOKENIZER:
        return "Exact: the tokenizer of SmolLM2, the embedded model, which reads this template."
    of = "the tokenizer of your model" if is_jinja(template) else f"{template_title(template)}'s tokenizer"
    return f"An estimate: {of} is not here. Each marker counts as one, words as in SmolLM2."


def _notes(rendered: Rendered, template: str) -> Iterator[str]:
    title = template_title(template)
    left_out = {owner.label if owner.label == "thinking" else owner.part for owner in rendered.omitted}
    if Part.TOOLS in left_out:
        yield f"{title} does not write the tools: the model never learns of them."
    if Part.TOOL_CALL in left_out:
        yield f"{title} does not write the calls: the model reads results that nobody asked for."
    if "thinking" in left_out:
        yield f"{title} leaves the thinking out: the model does not read what it thought before."
    if Part.SYSTEM in left_out and template == "mistral":
        left_out.remove(Part.SYSTEM)
        yield MISTRAL_SYSTEM
    others = [part.value for part in Part if part in left_out - {Part.TOOLS, Part.TOOL_CALL}]
    if others:
        yield f"{title} leaves out: {', '.join(others)}."
    if not rendered.exact:
        yield f"{title} transforms some content, which could not be followed: it is drawn as the template's."


def _refusal(refusal: TemplateRefusal) -> RefusalView:
    at = refusal.message
    return RefusalView(
        words=refusal.words,
        owner="" if at is None else str(at),
        where="this conversation" if at is None else f"message {at}",
        lesson=next((told for words, told in LESSONS.items() if words in refusal.words), ANY_LESSON),
        nine="length 9" in refusal.words,
    )
