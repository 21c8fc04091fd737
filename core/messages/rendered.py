"""A rendered conversation: one text, and who owns each character of it."""

from core.messages.parts import Part
from core.values import Value

GENERATION_PROMPT = "generation prompt"
PREAMBLE = "preamble"


class Owner(Value):
    """Whom a stretch of text belongs to.

    `message` is the index of the owning message; `None` for tool schemas, and for template text that belongs
    to no message. `label` is the name of the tool, the id of the call, `thinking`, or, of template text that
    belongs to no message, `preamble` or `generation prompt`.
    """

    part: Part
    message: int | None = None
    label: str = ""


class Span(Owner):
    """`text[start:end]` and its owner."""

    start: int
    end: int


class Rendered(Value):
    """The text that the model continues.

    `spans` are in order, touch each other and cover the whole text. `exact` is false where a template
    transforms some content so that it could not be followed; that content is then counted as the template's.
    `omitted` names what the template does not write at all (some templates know no tools).
    """

    text: str
    spans: tuple[Span, ...]
    exact: bool = True
    omitted: tuple[Owner, ...] = ()
