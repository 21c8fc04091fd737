"""The way to a server that speaks OpenAI's protocol: connection, models, and a sentence for what fails."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import openai

from core.errors import InputError
from core.lm.next_token import BadReply
from core.lm.patience import Busy, Slow
from core.lm.servers import OpenAIServer, host, is_local

CONNECT_TIMEOUT = 3.0  # seconds
READ_TIMEOUT = 120.0  # seconds
BETWEEN_TIMEOUT = 90.0  # seconds between two tokens
BUSY = (408, 429, 502, 503, 504, 529)
"""Statuses after which the same request may succeed. Not 500, with which llama.cpp and vLLM answer also what
they will never do; 529 is Anthropic's "overloaded"."""


class BrokenOff(Exception):
    """The connection ended in the middle of a reply."""


@dataclass(frozen=True)
class ListedModel:
    """A model of the server. What it does not tell is `None`, and most tell the name alone.

    `window`: the tokens that a context and its reply share.
    """

    name: str
    vocab_size: int | None = None
    window: int | None = None


def listed_models(client: openai.OpenAI) -> tuple[ListedModel, ...]:
    """The models that the server lists."""
    match json.loads(client.models.with_raw_response.list().text):
        case {"data": [*entries]}:
            return tuple(_listed(entry) for entry in entries)
    raise BadReply("no list of models")


def _listed(entry: Any) -> ListedModel:
    match entry:
        case {"id": str(name), "meta": dict(meta)}:  # llama.cpp
            return ListedModel(name, *(_count(meta.get(key)) for key in ("n_vocab", "n_ctx")))
        case {"id": str(name)}:
            return ListedModel(name, window=_count(entry.get("max_model_len")))  # vLLM
    raise BadReply("a model without a name")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def chosen_model(server: OpenAIServer, client: openai.OpenAI) -> ListedModel:
    """The model of the configuration, or the first that is listed.

    Raises:
        InputError: neither is there.
    """
    if server.model is None:
        listed = listed_models(client)
        if not listed:
            raise InputError(f"The server {host(server.url)} lists no model: set LOOPSCOPE_OPENAI_MODEL.")
        return listed[0]
    named = ListedModel(server.model)
    try:
        return next((model for model in listed_models(client) if model.name == named.name), named)
    except (openai.APIStatusError, BadReply):  # not every server lists its models
        return named


def connect(server: OpenAIServer, patience: float | None = None) -> openai.OpenAI:
    """A client of the server, for use in a `with`. It never asks twice by itself: a retry is to be seen.

    `patience`: seconds for an answer, else the usual ones.
    """
    return openai.OpenAI(
        base_url=server.url,
        # The client insists on a key, or would look for one elsewhere.
        api_key=server.key.get_secret_value() if server.key else "none",
        timeout=openai.Timeout(patience or READ_TIMEOUT, connect=CONNECT_TIMEOUT),
        max_retries=0,
        http_client=openai.DefaultHttpxClient(trust_env=not is_local(server.url), follow_redirects=False),
    )


@contextmanager
def sentences(server: OpenAIServer, patience: float | None = None) -> Iterator[None]:
    """Turn what can go wrong on the way into one sentence with the way out."""
    at = host(server.url)
    try:
        yield
    except InputError:
        raise
    except Slow as slow:
        raise InputError(_too_slow(at, slow)) from None
    except BrokenOff:
        raise InputError(f"The server {at} broke off in the middle of its reply: try again.") from None
    except openai.APITimeoutError:
        raise InputError(_too_slow(at, Slow(patience or READ_TIMEOUT, begun=False))) from None
    except openai.APIConnectionError:
        raise InputError(
            f"No server answers at {at}, or it broke off: start it, or correct LOOPSCOPE_OPENAI_BASE_URL."
        ) from None
    except openai.APIStatusError as error:
        raise InputError(_refusal(server, error)) from None
    except (openai.APIError, ValueError) as error:  # BadReply, and JSON that is none
        if type(error) is openai.APIError:  # an event of the stream
            said = _said(server, error.body)
            raise InputError(f"The server {at} broke off with an error: {said}.") from None
        raise InputError(
            f"What answers at {at} does not speak OpenAI's protocol: check LOOPSCOPE_OPENAI_BASE_URL, "
            "which as a rule ends in /v1."
        ) from None


def busy(error: Exception) -> Busy | None:
    """What an error says about another try. A quota that is used up is not filled by waiting."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in BUSY:
        return None
    match error.body:
        case {"code": "insufficient_quota"} | {"type": "insufficient_quota"}:
            return None
    asked = error.response.headers.get("retry-after", "")
    seconds = float(asked) if asked.isdecimal() else None  # else a date, or nothing
    return Busy(f"The server is busy (status {error.status_code})", seconds)


def _too_slow(at: str, slow: Slow) -> str:
    what = "sent nothing in the middle of its reply" if slow.begun else "not answered"
    return f"The server {at} has {what} for {slow.seconds:g} seconds: try again, or a smaller model."


def _refusal(server: OpenAIServer, error: openai.APIStatusError) -> str:
    at, status = host(server.url), error.status_code
    if status in (401, 403):  # what such servers say repeats a part of the key
        return f"The server {at} does not accept the key: check LOOPSCOPE_OPENAI_KEY or OPENAI_API_KEY."
    said = _said(server, error.body)
    if status == 429:
        return f"The server {at} takes no more requests at present: {said}. Wait a little, and try again."
    if status in (301, 302, 307, 308, 404, 405):
        return (
            f"The server {at} has no such model, or no {error.request.url.path}: {said}. Check "
            "LOOPSCOPE_OPENAI_MODEL and LOOPSCOPE_OPENAI_BASE_URL."
        )
    return f"The server {at} refused with status {status}: {said}."


def _said(server: OpenAIServer, body: Any) -> str:
    """The reason that the server gives, in one line, without the key."""
    match body:
        case {"message": str(said)} | {"error": str(said)}:
            pass
        case _:
            said = "it gives no reason"
    if server.key:
        said = said.replace(server.key.get_secret_value(), "…")
    return " ".join(said.split()).rstrip(".")[:200]
