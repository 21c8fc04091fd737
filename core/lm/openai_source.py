"""The next token by a server that speaks OpenAI's protocol: `/v1/completions` with `logprobs`.

Tested with llama.cpp's server, which reports the whole vocabulary if asked. Requests say T = 1 and top_p = 1,
so that a server that reports the probabilities after its sampler reports those of the model too. Two forms of
a reply are in use:
    content[0].top_logprobs: [{token, logprob, bytes, id?}]    llama.cpp, tools/server
    top_logprobs[0]: {token: logprob}                          OpenAI API reference, Completions; vLLM
The second adds the drawn token to those asked for, and shows two tokens that look alike as one.
"""

import json
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from core.errors import InputError
from core.lm.next_token import (
    BadReply,
    NextToken,
    ReportedToken,
    next_token,
    read_entries,
    read_logprob,
    sendable,
)
from core.lm.openai_http import ListedModel, chosen_model, connect, listed_models, sentences
from core.lm.servers import OpenAIServer, host

USUAL = 20
"""Log-probabilities that most servers report at most."""

ATTEMPTS = 4


@dataclass(frozen=True)
class OpenAISource:
    """The models of one server. Every method asks it anew, and tells a failure as an `InputError`."""

    server: OpenAIServer

    def models(self) -> tuple[ListedModel, ...]:
        """The models that the server lists."""
        with sentences(self.server), connect(self.server) as client:
            return listed_models(client)

    def next_token(self, prompt: str, top: int | None = USUAL) -> NextToken:
        """What follows the prompt as it is, by the model of the configuration or the first that is listed.

        Args:
            top: how many log-probabilities; `None` for the whole vocabulary, if the server tells its size.

        Raises:
            InputError: the server is down, slow or refuses, or reports no log-probabilities; or the prompt is
            empty or broken.
        """
        prompt = sendable(prompt)
        with sentences(self.server), connect(self.server) as client:
            model = chosen_model(self.server, client)
            count = top or model.vocab_size or USUAL
            for attempt in range(ATTEMPTS):
                reply = client.completions.with_raw_response.create(
                    model=model.name,
                    prompt=prompt,
                    max_tokens=1,
                    temperature=1,
                    top_p=1,
                    logprobs=count,
                    seed=attempt,
                )
                body = json.loads(reply.text)
                # A token that is a part of a character has no entry, so another is drawn.
                if entries := _entries(body, count):
                    return next_token(entries, model.vocab_size, self._name(body), PurePath(model.name).name)
        raise InputError(
            f"The server {host(self.server.url)} reports no log-probabilities for this prompt: it has none, "
            "or the model goes on with a part of a character. Change the end of the prompt."
        )

    def _name(self, body: dict[str, Any]) -> str:
        version = body.get("system_fingerprint") or "version not told"
        return f"OpenAI-compatible server {host(self.server.url)}, {version}"


def _entries(body: Any, count: int) -> list[tuple[ReportedToken, float]]:
    """The alternatives of the one token, none if the server reports none."""
    match body:
        case {"choices": [{"logprobs": {"content": [{"top_logprobs": reported}, *_]}}, *_]}:
            return read_entries(reported)
        case {"choices": [{"logprobs": {"top_logprobs": [dict(reported), *_]}}, *_]}:
            entries = [(ReportedToken(text), read_logprob(logprob)) for text, logprob in reported.items()]
            # The drawn token comes on top of the most probable ones, and says nothing about those between.
            return sorted(entries, key=lambda entry: -entry[1])[:count]
        case {"choices": [{"text": str()}, *_]}:
            return []
    raise BadReply("no choice")
