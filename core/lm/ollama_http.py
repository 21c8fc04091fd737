"""The way to an Ollama and back: connection, timeouts, streams, and a sentence for what goes wrong on it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import ollama

from core.errors import InputError
from core.lm.next_token import BadReply
from core.lm.patience import Busy, Slow
from core.lm.servers import OllamaServer, host, is_local

CONNECT_TIMEOUT = 3.0  # seconds
READ_TIMEOUT = 120.0  # seconds; a model of some GB is read from the disk before the first token
BETWEEN_TIMEOUT = 90.0  # seconds; a tool call comes whole, so that a long one is a long silence
LONGEST_LINE = 8_000_000  # bytes; the limit of Ollama's own client (api/client.go, maxBufferSize)


def lines(client: httpx.Client, path: str, body: dict[str, Any]) -> Iterator[Any]:
    """The lines of a streamed reply."""
    # Through httpx: the client for Python (ollama 0.6.3) drops the bytes of tokens, the ids of tool calls and
    # results, and `anyOf`, nested properties, defaults and limits of tool schemas.
    with client.stream("POST", path, json=body) as response:
        if response.is_error or response.is_redirect:
            response.read()
            checked(response)
        for line in _split(response.iter_bytes()):
            part = json.loads(line)
            if isinstance(part, dict) and "error" in part:
                raise _refused(str(part["error"]), response.status_code)
            yield part


def _split(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a text that comes in chunks; httpx would gather a line of any length."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from filter(bytes.strip, whole)
        if len(rest) > LONGEST_LINE:
            raise BadReply("a line without an end")
    if rest.strip():
        yield rest


def get(client: httpx.Client, path: str) -> Any:
    """The JSON at a path."""
    return checked(client.get(path))


def checked(response: httpx.Response) -> Any:
    """The JSON of a response, if it is no refusal."""
    if not response.is_success:
        try:
            said = response.json()["error"]
        except (ValueError, LookupError, TypeError):
            said = response.text
        raise _refused(str(said), response.status_code)
    return response.json()


def _refused(said: str, status: int) -> ollama.ResponseError:
    # It parses what it is given, and stumbles over JSON that is no object.
    return ollama.ResponseError(json.dumps({"error": said}), status)


def connect(server: OllamaServer, patience: float | None = None) -> httpx.Client:
    """A client of the server, for use in a `with`. `patience`: seconds for an answer, else the usual ones."""
    return httpx.Client(base_url=server.url, **connection(server, patience))


def connection(server: OllamaServer, patience: float | None = None) -> dict[str, Any]:
    """What `ollama.Client` and `httpx.Client` have in common: no redirect leads to another address."""
    return {
        "timeout": httpx.Timeout(patience or READ_TIMEOUT, connect=CONNECT_TIMEOUT),
        "trust_env": not is_local(server.url),
        "follow_redirects": False,
    }


@contextmanager
def sentences(server: OllamaServer, model: str = "", patience: float | None = None) -> Iterator[None]:
    """Turn what can go wrong on the way into one sentence with the way out."""
    at = host(server.url)
    try:
        yield
    except InputError:
        raise
    except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout):
        raise InputError(
            f"No Ollama answers at {at}: start it with `ollama serve`, or correct LOOPSCOPE_OLLAMA."
        ) from None
    except Slow as slow:
        raise InputError(_too_slow(at, slow)) from None
    except httpx.TimeoutException:
        raise InputError(_too_slow(at, Slow(patience or READ_TIMEOUT, begun=False))) from None
    except httpx.TransportError:
        raise InputError(f"The Ollama at {at} broke off in the middle of its reply: try again.") from None
    except ollama.ResponseError as error:
        raise InputError(_refusal(at, model, error)) from None
    except ValueError:  # BadReply, JSON that is none, and what the client's types refuse
        sentence = f"What answers at {at} does not speak Ollama's protocol: check LOOPSCOPE_OLLAMA."
        raise InputError(sentence) from None


def busy(error: Exception) -> Busy | None:
    """What an error says about another try: an Ollama whose queue is full answers 503, a proxy 502 or 504."""
    if isinstance(error, ollama.ResponseError) and error.status_code in (429, 502, 503, 504):
        return Busy(f"Ollama is busy (status {error.status_code})")
    return None


def _too_slow(at: str, slow: Slow) -> str:
    if slow.begun:
        return (
            f"The Ollama at {at} has sent nothing for {slow.seconds:g} seconds in the middle of its reply: "
            "try again, or choose a smaller model."
        )
    return (
        f"The Ollama at {at} has not answered for {slow.seconds:g} seconds: it may still be loading the "
        "model. Try again, or choose a smaller one."
    )


def _refusal(at: str, model: str, error: ollama.ResponseError) -> str:
    said = " ".join(str(error.error).split()).rstrip(".")[:200]
    if error.status_code == 404 and model in said and "not found" in said:
        return (
            f"The Ollama at {at} has no model {model}: get it with `ollama pull {model}`, or choose another."
        )
    if error.status_code in (301, 302, 307, 308, 404, 405):
        return f"What answers at {at} does not speak Ollama's protocol: check LOOPSCOPE_OLLAMA."
    if "does not support tools" in said:
        return (
            f"The model {model} has no tool calls of its own: choose one that has, such as qwen3, or let it "
            "call by a schema or by text."
        )
    if "does not support thinking" in said:
        return f"The model {model} does not think: switch thinking off, or choose another."
    if "does not support" in said:
        return f"Ollama says: {said}. Choose another model."
    if error.status_code == 200:
        return f"The Ollama at {at} broke off with an error: {said}."
    return f"The Ollama at {at} refused with status {error.status_code}: {said}."
