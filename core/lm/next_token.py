"""What a source tells of the next token: the value that every source of the sampling screen returns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.lm.visible import visible
from core.sampling.bounded import Badge, Partial, partial

UNLIKELY = -9999.0
"""A log-probability from here down stands for minus infinity, which JSON cannot write.

-9999.0 in OpenAI's and vLLM's API (OpenAI API reference, Chat, logprobs), the lowest float32 in llama.cpp.
"""

BROKEN = "\ufffd"


class BadReply(ValueError):
    """A reply does not have the form that its protocol describes."""


@dataclass(frozen=True)
class ReportedToken:
    """A token as a server names it.

    `raw` are its bytes, `None` if the server does not tell them, and `id` its number, `None` likewise.
    """

    text: str
    raw: bytes | None = None
    id: int | None = None

    @property
    def shown(self) -> str:
        """With spaces and line breaks visible. Bytes that are not known are shown as U+FFFD."""
        return visible(self.text.encode(errors="surrogatepass") if self.raw is None else self.raw)


@dataclass(frozen=True, eq=False)
class NextToken:
    """The most probable next tokens, falling, with log-probabilities at T = 1.

    `partial` gives what is known at other temperatures. `server` names the source with its version, `model`
    the model, `note` is a sentence that a screen adds, or `None`.
    """

    tokens: tuple[ReportedToken, ...]
    partial: Partial
    server: str
    model: str
    note: str | None = None

    @property
    def logprobs(self) -> NDArray[np.float64]:
        """Natural logarithms, T = 1, float64 (n,), read-only. Where the badge is exact they are logits."""
        return self.partial.logprobs

    @property
    def badge(self) -> Badge:
        """ "exact", "bounded" or "unknown": what can be said at every temperature."""
        return self.partial.badge

    @property
    def source_line(self) -> str:
        """Source, version, model and how much it tells, for the screen."""
        count = f"{len(self.tokens):,} log-probabilities at T = 1"
        return " · ".join([self.server, self.model, f"all {count}" if self.badge == "exact" else count])


def sendable(prompt: str) -> str:
    """The prompt, if a server can answer it.

    Raises:
        InputError: it is empty, or holds half a surrogate pair, which JSON in UTF-8 cannot carry.
    """
    if not prompt:
        raise InputError("An empty prompt has no next token here: type something.")
    try:
        prompt.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"Character {error.start + 1} of the prompt is half of a surrogate pair: remove it."
        ) from None
    return prompt


def next_token(
    entries: Sequence[tuple[ReportedToken, float]],
    vocab_size: int | None,
    server: str,
    model: str,
    note: str | None = None,
) -> NextToken:
    """Sort what a server reported. Tokens are never merged by their text: several can look alike.

    Raises:
        InputError: the numbers are not the largest of one distribution at T = 1.
    """
    falling = sorted(entries, key=lambda entry: -entry[1])
    return NextToken(
        tokens=tuple(token for token, _ in falling),
        partial=partial([logprob for _, logprob in falling], vocab_size),
        server=server,
        model=model,
        note=note,
    )


def read_entries(reported: Any) -> list[tuple[ReportedToken, float]]:
    """A list of `{token, logprob, bytes?, id?}`, the form that Ollama and OpenAI's chat API share.

    Raises:
        BadReply: it is something else.
    """
    if not isinstance(reported, list):
        raise BadReply("no list of tokens")
    return [_read_entry(entry) for entry in reported]


def _read_entry(entry: Any) -> tuple[ReportedToken, float]:
    match entry:
        case {"token": str(text), "logprob": logprob}:
            raw, id_ = entry.get("bytes"), entry.get("id")
        case _:
            raise BadReply("a token without text or log-probability")
    if raw is not None:
        if not isinstance(raw, list) or not all(isinstance(byte, int) and 0 <= byte < 256 for byte in raw):
            raise BadReply("bytes that are none")
        raw = bytes(raw)
        # Ollama makes the bytes from the text, where a part of a character has already become U+FFFD.
        if raw == text.encode(errors="surrogatepass") and BROKEN in text:
            raw = None
    return ReportedToken(text, raw, id_ if isinstance(id_, int) else None), read_logprob(logprob)


def read_logprob(value: Any) -> float:
    """A log-probability as JSON has it.

    Raises:
        BadReply: it is no number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise BadReply("a log-probability that is no number")
    return -math.inf if value <= UNLIKELY else float(value)
