"""The next token by a server that speaks OpenAI's protocol: `/v1/completions` with `logprobs`.

Tested with llama.cpp's server, which reports the whole vocabulary if asked. Requests say T = 1 and top_p = 1,
so that a server that reports the probabilities after its sampler reports those of the model too. Two forms of
a reply are in use:
    content[0].top_logprobs: [{token, logprob, bytes, id?}]    llama.cpp, tools/server
    top_logprobs[0]: {token: logprob}                          OpenAI API reference, Completions; vLLM
The second adds the drawn token to those asked for, and shows two tokens that look alike as one.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import openai

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
from core.lm.servers import OpenAIServer, host, is_local

USUAL = 20
"""Log-probabilities that most servers report at most."""

ATTEMPTS = 4
CONNECT_TIMEOUT = 3.0  # seconds
READ_TIMEOUT = 120.0  # seconds


@dataclass(frozen=True)
class ListedModel:
    """A model of the server. `vocab_size` is `None` where the server does not tell, as most do not."""

    name: str
    vocab_size: int | None


@dataclass(frozen=True)
class OpenAISource:
    """The models of one server. Every method asks it anew, and tells a failure as an `InputError`."""

    server: OpenAIServer

    def models(self) -> tuple[ListedModel, ...]:
        """The models that the server lists."""
        with _sentences(self.server), _client(self.server) as client:
            return _models(client)

    def next_token(self, prompt: str, top: int | None = USUAL) -> NextToken:
        """What follows the prompt as it is, by the model of the configuration or the first that is listed.

        Args:
            top: how many log-probabilities; `None` for the whole vocabulary, if the server tells its size.

        Raises:
            InputError: the server is down, slow or refuses, or reports no log-probabilities; or the prompt is
            empty or broken.
        """
        prompt = sendable(prompt)
        with _sentences(self.server), _client(self.server) as client:
            model = self._model(client)
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

    def _model(self, client: openai.OpenAI) -> ListedModel:
        if self.server.model is None:
            listed = _models(client)
            if not listed:
                raise InputError(
                    f"The server {host(self.server.url)} lists no model: set LOOPSCOPE_OPENAI_MODEL."
                )
            return listed[0]
        named = ListedModel(self.server.model, None)
        try:
            return next((model for model in _models(client) if model.name == named.name), named)
        except (openai.APIStatusError, BadReply):  # not every server lists its models
            return named

    def _name(self, body: dict[str, Any]) -> str:
        version = body.get("system_fingerprint") or "version not told"
        return f"OpenAI-compatible server {host(self.server.url)}, {version}"


def _models(client: openai.OpenAI) -> tuple[ListedModel, ...]:
    match json.loads(client.models.with_raw_response.list().text):
        case {"data": [*entries]}:
            return tuple(_listed(entry) for entry in entries)
    raise BadReply("no list of models")


def _listed(entry: Any) -> ListedModel:
    match entry:
        case {"id": str(name), "meta": {"n_vocab": int(size)}}:  # llama.cpp
            return ListedModel(name, size)
        case {"id": str(name)}:
            return ListedModel(name, None)
    raise BadReply("a model without a name")


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


def _client(server: OpenAIServer) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=server.url,
        # The client insists on a key, or would look for one elsewhere.
        api_key=server.key.get_secret_value() if server.key else "none",
        timeout=openai.Timeout(READ_TIMEOUT, connect=CONNECT_TIMEOUT),
        max_retries=0,
        http_client=openai.DefaultHttpxClient(trust_env=not is_local(server.url), follow_redirects=False),
    )


@contextmanager
def _sentences(server: OpenAIServer) -> Iterator[None]:
    """Turn what can go wrong on the way into one sentence with the way out."""
    at = host(server.url)
    try:
        yield
    except InputError:
        raise
    except openai.APITimeoutError:
        sentence = (
            f"The server {at} has not answered for {READ_TIMEOUT:g} seconds: try again, or a smaller model."
        )
        raise InputError(sentence) from None
    except openai.APIConnectionError:
        raise InputError(
            f"No server answers at {at}, or it broke off: start it, or correct LOOPSCOPE_OPENAI_BASE_URL."
        ) from None
    except openai.APIStatusError as error:
        raise InputError(_refusal(server, error)) from None
    except (openai.APIError, ValueError):  # BadReply, and JSON that is none
        raise InputError(
            f"What answers at {at} does not speak OpenAI's protocol: check LOOPSCOPE_OPENAI_BASE_URL, "
            "which as a rule ends in /v1."
        ) from None


def _refusal(server: OpenAIServer, error: openai.APIStatusError) -> str:
    at, status = host(server.url), error.status_code
    if status in (401, 403):  # what such servers say repeats a part of the key
        return f"The server {at} does not accept the key: check LOOPSCOPE_OPENAI_KEY or OPENAI_API_KEY."
    match error.body:
        case {"message": str(said)} | {"error": str(said)}:
            pass
        case _:
            said = "it gives no reason"
    said = " ".join(said.split()).rstrip(".")[:200]
    if server.key:
        said = said.replace(server.key.get_secret_value(), "…")
    if status == 429:
        return f"The server {at} takes no more requests at present: {said}. Wait a little, and try again."
    if status in (301, 302, 307, 308, 404, 405):
        return (
            f"The server {at} has no such model, or no /completions: {said}. Check LOOPSCOPE_OPENAI_MODEL "
            "and LOOPSCOPE_OPENAI_BASE_URL."
        )
    return f"The server {at} refused with status {status}: {said}."
