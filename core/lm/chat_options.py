"""What a request to a chat model says beside its messages, the same for every kind of server."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.errors import InputError
from core.sampling.checks import fraction, temperature_value, whole_number

Calls = Literal["native", "schema", "text"]
"""How a model is made to call tools.

    native   the server gets the schemas, writes them into the model's template and reads the calls back
    schema   the server holds the whole reply to one JSON Schema: a tool's call or the answer
    text     the server knows no tools: the prompt explains a format, and whoever asks reads the text
"""

MOST_ALTERNATIVES = 20
"""The most that Ollama and OpenAI report for each token."""


@dataclass(frozen=True)
class ChatOptions:
    """The dials of a request; what is `None` is left to the server.

    `alternatives`: how many log-probabilities to ask for with each token, 0 for none. `stop`: texts at which
    the reply ends; they are not part of it.

    Raises:
        InputError: a value of the wrong kind, or outside its range.
    """

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    alternatives: int = 0

    def __post_init__(self) -> None:
        if self.temperature is not None:
            temperature_value(self.temperature)
        for name in ("top_p", "min_p"):
            if getattr(self, name) is not None:
                fraction(name, getattr(self, name))
        _in_range("top_k", self.top_k, 0, None)
        _in_range("seed", self.seed, 0, 2**31 - 1)
        _in_range("max_tokens", self.max_tokens, 1, None)
        _in_range("alternatives", whole_number("alternatives", self.alternatives), 0, MOST_ALTERNATIVES)
        if not isinstance(self.stop, tuple) or not all(isinstance(text, str) and text for text in self.stop):
            raise InputError(f"stop must be a tuple of texts that are not empty, not {self.stop!r}.")

    def given(self, **names: str) -> dict[str, Any]:
        """The dials that are set, under the server's names for them: `given(num_predict="max_tokens")`."""
        values = {name: getattr(self, ours) for name, ours in names.items()}
        return {
            name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v not in (None, ())
        }


def checked_type(what: str, value: object, kind: type[Any]) -> None:
    """Refuse a value of another type. It is not repeated: it can be a key.

    Raises:
        InputError: naming both types.
    """
    if not isinstance(value, kind):
        raise InputError(f"{what} must be of type {kind.__name__}, not {type(value).__name__}.")


def checked_calls(calls: object) -> None:
    """Refuse what is no way to call tools.

    Raises:
        InputError: naming the ways that there are.
    """
    if calls not in get_args(Calls):
        raise InputError(f"A server's model calls tools by {', '.join(get_args(Calls))}, not by {calls!r}.")


def checked_name(model: object) -> str:
    """The name of a model.

    Raises:
        InputError: it is no text, or empty.
    """
    if not isinstance(model, str) or not model.strip():
        raise InputError(f"A model is chosen by its name, and {model!r} is none.")
    return model


def _in_range(name: str, value: object, low: int, high: int | None) -> None:
    if value is None:
        return
    number = whole_number(name, value)
    if number < low or (high is not None and number > high):
        limits = f"at least {low}" if high is None else f"between {low} and {high}"
        raise InputError(f"{name} must be {limits}; {number} is not.")
