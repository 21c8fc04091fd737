"""Chat templates: their texts, and the Jinja environment in which they run.

The environment is set up as in Hugging Face transformers (utils/chat_template_utils.py), so that any template
published with a model gives the text that the model was trained on. It is sandboxed: a template is data.
"""

from collections.abc import Callable, Sized
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import Node
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from core.errors import InputError

FOLDER = Path(__file__).parent / "chat_templates"

TEMPLATES: tuple[str, ...] = ("chatml", "smollm2", "qwen2.5", "llama3.1", "mistral")
"""The templates that come with Loopscope. `chatml` is plain ChatML with the tool blocks of the Hermes and
Qwen families and no default system prompt; the others give the text of the published templates of these
models: Llama 3.1 with the date that it writes where none is given, and Mistral as of its v3 tokenizer
(Mistral NeMo). `llama3.1` writes one call at a time, `mistral` wants call ids of nine characters."""


def template_text(template: str) -> str:
    """The Jinja text of a template, from its name or from the text itself.

    Raises:
        InputError: no template has this name.
    """
    if not isinstance(template, str):
        raise InputError(f"A chat template must be a name or the text of a template, not {template!r}.")
    if is_jinja(template):
        return template
    if template not in TEMPLATES:
        raise InputError(
            f"There is no chat template {template!r}. Choose one of {', '.join(TEMPLATES)}, "
            "or paste the text of a Jinja template."
        )
    return (FOLDER / f"{template}.jinja").read_text(encoding="utf-8")


def template_name(template: str) -> str:
    """What a screen calls the template."""
    return "custom template" if is_jinja(template) else template


def is_jinja(template: str) -> bool:
    """Whether the string is the text of a Jinja template rather than a name."""
    return "{%" in template or "{{" in template


class TemplateRefusal(InputError):
    """The template itself refused the conversation, by `raise_exception`: what its model was not trained on.

    `words` are the template's own; `message` is the index of the message at which it refuses, where that is
    known.
    """

    def __init__(self, words: str, message: int | None = None) -> None:
        what = "this conversation" if message is None else f"message {message}"
        super().__init__(f"The chat template refuses {what}: {words}")
        self.words = words
        self.message = message


class _Raised(jinja2.TemplateError):
    """`raise_exception` was called."""


class _GenerationBlock(Extension):
    """`{% generation %}`, with which training templates enclose the model's words. It writes nothing
    itself."""

    tags = {"generation"}  # noqa: RUF012 - Jinja reads it from the class

    def parse(self, parser: Parser) -> list[Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _refuse(message: str) -> None:
    raise _Raised(message)


class _Environment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which a product cannot fill the memory either."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        sizes = [len(side) if isinstance(side, Sized) else side for side in (left, right)]
        if operator == "**" or not all(isinstance(size, int | float) for size in sizes):
            raise SecurityError(f"{operator} is not allowed here")
        if abs(sizes[0] * sizes[1]) > _LARGEST_PRODUCT:
            raise SecurityError("a product is too large")
        return super().call_binop(context, operator, left, right)


_LARGEST_PRODUCT = 1_000_000


def _environment() -> ImmutableSandboxedEnvironment:
    environment = _Environment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _GenerationBlock]
    )
    environment.globals["raise_exception"] = _refuse
    return environment


@lru_cache(maxsize=64)
def _compiled(text: str) -> jinja2.Template:
    environment = _environment()
    # Named per rendering through the context: the filter has to know what it marks.
    environment.filters["tojson"] = jinja2.pass_context(
        lambda context, value, **options: context["_tojson"](value, **options)
    )
    return environment.from_string(text)


def run_template(text: str, tojson: Callable[..., str], variables: dict[str, Any]) -> str:
    """The output of a Jinja template.

    Raises:
        TemplateRefusal: the template refuses the conversation.
        InputError: the template is not valid Jinja, or fails on the conversation.
    """
    try:
        return _compiled(text).render(_tojson=tojson, **variables)
    except _Raised as error:
        raise TemplateRefusal(str(error.message)) from error
    except jinja2.TemplateSyntaxError as error:
        raise InputError(
            f"Line {error.lineno} of the chat template is not valid Jinja: {error.message}"
        ) from error
    except Exception as error:  # a template can fail as any program can
        raise InputError(f"The chat template fails on this conversation: {error}") from error
