"""The context of one model call: what is sent, whose it is, and how many tokens each owner takes.

The parts of a context add up to the count of the whole text, because the whole text is tokenised and every
token is given to the owner of its first character. Summing the counts of single messages would miss the
template's own tokens, the tool schemas, and the merges across a seam.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, Protocol

from core.messages import Message, Part, Rendered, Span, ToolSchema, render
from core.messages.templates import template_name
from core.trace import Counting, Segment
from core.values import Value


class TokenSpan(Protocol):
    """A token and the characters that it stands for."""

    @property
    def id(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Tokenizer(Protocol):
    """What counting needs of a tokenizer; `core.lm.Tokenizer` is one."""

    @property
    def name(self) -> str: ...
    def encode_with_offsets(self, text: str, special: bool = True) -> Sequence[TokenSpan]: ...
    def is_special(self, id: int) -> bool: ...


class Insert(Value):
    """A text within the system prompt, or within text of its own part, that has a name of its own."""

    part: Part
    label: str
    text: str


@dataclass(frozen=True)
class TokenCounter:
    """How contexts are written and counted: a tokenizer, and a chat template by name or as Jinja text.

    Without a tokenizer the context is still split among its owners, and the number of tokens is unknown. If
    the model has others than these, so that it is told something else, the counts are estimates. `inserts`
    are what the system prompt holds that is not the system prompt's, in its order, and what others of their
    part hold.
    """

    tokenizer: Tokenizer | None
    template: str = "chatml"
    is_the_models: bool = True
    inserts: tuple[Insert, ...] = ()

    @property
    def counting(self) -> Counting:
        """The method, as a trace records it."""
        name = template_name(self.template)
        if self.tokenizer is None:
            return Counting(method="unknown", template=name)
        method: Literal["exact", "estimate"] = "exact" if self.is_the_models else "estimate"
        return Counting(method=method, tokenizer=self.tokenizer.name, template=name)


def assemble(
    messages: Sequence[Message], tools: Sequence[ToolSchema], counter: TokenCounter
) -> tuple[Segment, ...]:
    """The context that a call with these messages sends, ending with the opening of the assistant's turn.

    Args:
        messages: all messages that are sent, the system prompt included.
        tools: the tools that are advertised.
        counter: the template to write them with and the tokenizer to count them with.

    Returns:
        Segments whose texts, joined, are the text that is sent, and whose token ids, joined, are its tokens.

    Raises:
        InputError: the template refuses the conversation.
    """
    rendered = render(messages, tools, counter.template)
    if counter.inserts:
        rendered = rendered.model_copy(update={"spans": tuple(_with_inserts(rendered, counter.inserts))})
    if counter.tokenizer is None:
        return tuple(_segment(rendered, index, None) for index in range(len(rendered.spans)))
    shares: list[list[int]] = [[] for _ in rendered.spans]
    index = 0
    for token, start in _tokens(rendered, counter.tokenizer):
        while start >= rendered.spans[index].end:
            index += 1
        shares[index].append(token)
    return tuple(_segment(rendered, index, tuple(share)) for index, share in enumerate(shares))


def _with_inserts(rendered: Rendered, inserts: Sequence[Insert]) -> Iterator[Span]:
    """The spans, cut where something is inserted."""
    for span in rendered.spans:
        position = span.start
        for insert in (insert for insert in inserts if span.part in (Part.SYSTEM, insert.part)):
            start = rendered.text.find(insert.text, position, span.end)
            if start < 0:
                continue
            if start > position:
                yield span.model_copy(update={"start": position, "end": start})
            position = start + len(insert.text)
            yield Span(part=insert.part, message=span.message, label=insert.label, start=start, end=position)
        if position < span.end:
            yield span.model_copy(update={"start": position})


def _segment(rendered: Rendered, index: int, token_ids: tuple[int, ...] | None) -> Segment:
    span = rendered.spans[index]
    return Segment(
        part=span.part,
        text=rendered.text[span.start : span.end],
        message=span.message,
        label=span.label,
        token_ids=token_ids,
        tokens=None if token_ids is None else len(token_ids),
    )


def _tokens(rendered: Rendered, tokenizer: Tokenizer) -> Iterator[tuple[int, int]]:
    """The tokens of the text in order, each with the place of its first character.

    A marker such as `<|im_start|>` is a control token only where the template wrote it: in what a user or a
    tool wrote it stays the characters that it is, so no content can forge a turn. So the control tokens are
    looked for in the template's own stretches, and what lies between two of them is encoded as plain text.
    That cuts no merge in two, for a tokenizer never merges across a control token.
    """
    position = 0
    for token, start, end in _control_tokens(rendered, tokenizer):
        for plain in tokenizer.encode_with_offsets(rendered.text[position:start], special=False):
            yield plain.id, position + plain.start
        yield token, start
        position = end
    for plain in tokenizer.encode_with_offsets(rendered.text[position:], special=False):
        yield plain.id, position + plain.start


def _control_tokens(rendered: Rendered, tokenizer: Tokenizer) -> Iterator[tuple[int, int, int]]:
    for is_template, spans in groupby(rendered.spans, key=lambda span: span.part is Part.TEMPLATE):
        stretch = list(spans)
        if not is_template:
            continue
        offset = stretch[0].start
        for token in tokenizer.encode_with_offsets(rendered.text[offset : stretch[-1].end]):
            if tokenizer.is_special(token.id):
                yield token.id, offset + token.start, offset + token.end
