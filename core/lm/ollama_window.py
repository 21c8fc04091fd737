"""How much an Ollama reads: the window that it allocated, and whether it cut a prompt without saying so."""

from collections.abc import Sequence
from typing import Any

import httpx

from core.lm.next_token import BadReply
from core.lm.ollama_http import get


def allocated_windows(client: httpx.Client, model: str) -> tuple[int, ...]:
    """The context lengths, in tokens, with which the model is loaded at present: none, one or several.

    They are what counts: a model's trained context is as a rule much longer than what fits the memory.
    """
    match get(client, "/api/ps"):
        case {"models": [*loaded]}:
            windows = (_window(entry, model) for entry in loaded)
            return tuple(window for window in windows if window)
    raise BadReply("no list of loaded models")


def probably_truncated(sent: int, counted: int, window: int) -> bool:
    """Whether a prompt of about `sent` tokens was cut, of which the server counted `counted`.

    Ollama cuts silently, to about half of the `window` that it has allocated. An estimate alone says little:
    another tokenizer can need twice as many tokens for the same text.
    """
    return sent > 1.5 * counted and abs(counted - window / 2) <= 16


def truncation_note(sent: int, counted: int, windows: Sequence[int]) -> str | None:
    """A sentence if a prompt of about `sent` tokens of SmolLM2 was probably cut, else `None`."""
    if not any(probably_truncated(sent, counted, window) for window in windows):
        return None
    return (
        f"Ollama read {counted:,} tokens where about {sent:,} were sent (counted with the tokenizer of "
        "SmolLM2): it has probably cut off the beginning of the prompt."
    )


def _window(loaded: Any, model: str) -> int | None:
    match loaded:
        case {"model": str(name), "context_length": int(length)} if name in (model, f"{model}:latest"):
            return length
    return None
