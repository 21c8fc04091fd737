"""The next token by an Ollama: at most twenty log-probabilities at T = 1, whatever the settings.

Protocol: Ollama, docs/api.md and server/routes.go, of August 2026. Log-probabilities exist from 0.12.11 on.
They come without token ids, and only with a token that is sent: with none that ends the text or is a part of
a character. So if the first token has none, others are drawn, which changes nothing about the distribution.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import ollama

from core.errors import InputError
from core.lm.next_token import BadReply, NextToken, next_token, read_entries, sendable
from core.lm.ollama_http import checked, connect, connection, get, lines, sentences
from core.lm.ollama_window import allocated_windows, truncation_note
from core.lm.servers import OllamaServer, host
from core.lm.tokenizer import load_tokenizer
from core.messages.types import Message
from core.messages.wire import to_wire

MOST = 20
"""Alternatives that Ollama reports; it refuses a larger number."""

FIRST_VERSION = (0, 12, 11)
ATTEMPTS = 4


@dataclass(frozen=True)
class OllamaSource:
    """The models of one server. Every method asks it anew, and tells a failure as an `InputError`."""

    server: OllamaServer

    def models(self) -> tuple[str, ...]:
        """The names of the models that are there."""
        with sentences(self.server), ollama.Client(self.server.url, **connection(self.server)) as client:
            try:
                listed = client.list().models
            except (TypeError, AttributeError):  # the client, where a reply is no JSON object
                raise BadReply("no list of models") from None
            return tuple(model.model for model in listed if model.model)

    def version(self) -> str:
        """Such as "0.30.2"."""
        with sentences(self.server), connect(self.server) as client:
            return _version(client)

    def next_token(self, model: str, prompt: str, top: int = MOST) -> NextToken:
        """What follows the prompt as it is, without a chat template.

        Args:
            top: how many log-probabilities, 1 to 20.

        Raises:
            InputError: the server is down, slow, too old or refuses, the model is not there, the next token
            has no log-probability, or the prompt is empty.
        """
        return self._ask(model, "/api/generate", {"prompt": prompt, "raw": True}, sendable(prompt), top)

    def next_chat_token(self, model: str, messages: Sequence[Message], top: int = MOST) -> NextToken:
        """How the model begins its reply to the messages, which Ollama puts into the model's template.

        Raises:
            InputError: as `next_token`; or a tool call among the messages has arguments that are no object.
        """
        if not messages:
            raise InputError("A chat without a message has no next token: write one.")
        sent = sendable("\n".join(message.content for message in messages) or "\n")
        return self._ask(model, "/api/chat", to_wire(messages, (), "ollama"), sent, top)

    def _ask(self, model: str, path: str, prompt: dict[str, Any], sent: str, top: int) -> NextToken:
        if not 1 <= top <= MOST:
            raise InputError(f"Ollama reports 1 to {MOST} log-probabilities, not {top}.")
        with sentences(self.server, model), connect(self.server) as client:
            version = _version(client)
            if (0, 0, 0) < _numbers(version) < FIRST_VERSION:  # 0.0.0 was built from the source
                raise InputError(
                    f"The Ollama at {host(self.server.url)} is version {version}, which reports no "
                    "log-probabilities: update it to 0.12.11 or newer."
                )
            vocab_size = _vocab_size(client, model)
            for attempt in range(ATTEMPTS):
                # The most probable token first, then others.
                options = {"num_predict": 1, "temperature": min(attempt, 1), "seed": attempt}
                body = {"model": model, **prompt, "logprobs": True, "top_logprobs": top, "options": options}
                reported, counted = _reply(lines(client, path, body))
                if reported is not None:
                    note = _truncation(client, model, sent, counted)
                    entries = read_entries(reported)
                    return next_token(entries, vocab_size, f"Ollama {version}", model, note)
        raise InputError(
            "Ollama reports no log-probabilities for this prompt: here the model ends the text, or goes on "
            "with a part of a character. Change the end of the prompt."
        )


def _truncation(client: httpx.Client, model: str, sent: str, counted: int | None) -> str | None:
    estimate = len(load_tokenizer().encode(sent))
    if counted is None or estimate <= 1.5 * counted:  # so that a prompt that fits costs no other request
        return None
    return truncation_note(estimate, counted, allocated_windows(client, model))


def _version(client: httpx.Client) -> str:
    match get(client, "/api/version"):
        case {"version": str(version)}:
            return version
    raise BadReply("no version")


def _numbers(version: str) -> tuple[int, ...]:
    """0.12.11-rc1 is (0, 12, 11); what is no version counts as built from the source."""
    found = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
    return tuple(map(int, found.groups())) if found else (0, 0, 0)


def _vocab_size(client: httpx.Client, model: str) -> int | None:
    """How many tokens the model has, `None` if the server does not tell."""
    # Not every architecture names the number, but a verbose answer lists the tokens.
    for verbose in (False, True):
        match checked(client.post("/api/show", json={"model": model, "verbose": verbose})):
            case {"model_info": {"tokenizer.ggml.tokens": [_, *_] as tokens}}:
                return len(tokens)
            case {"model_info": {"general.architecture": str(name), **info}}:
                if isinstance(size := info.get(f"{name}.vocab_size"), int):
                    return size
    return None


def _reply(lines: Iterator[Any]) -> tuple[Any, int | None]:
    """The alternatives of the one token, `None` if it has none, and the number of tokens of the prompt."""
    reported, counted, done = None, None, False
    for line in lines:
        match line:
            case {"logprobs": [{"top_logprobs": [_, *_] as alternatives}, *_]} if reported is None:
                reported = alternatives
            case {"response": str()} | {"message": dict()}:
                pass
            case _:
                raise BadReply("a line that is no part of a reply")
        done = done or line.get("done") is True
        if isinstance(line.get("prompt_eval_count"), int):
            counted = line["prompt_eval_count"]
    if not done:
        raise httpx.RemoteProtocolError("the stream ended before the reply")
    return reported, counted
