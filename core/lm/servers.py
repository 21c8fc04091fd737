"""Which servers may be called: the operator's configuration says so, never a text field of a page.

    LOOPSCOPE_OLLAMA            address of an Ollama; http://127.0.0.1:11434 if it is not set
    LOOPSCOPE_OPENAI_BASE_URL   address of a server that speaks OpenAI's protocol, with its /v1
    LOOPSCOPE_OPENAI_MODEL      its model; the first that it lists if it is not set
    LOOPSCOPE_OPENAI_KEY        its key, else OPENAI_API_KEY, else none

Reading this calls nobody. A key is a `SecretStr`: it shows itself to nobody who does not ask for its value.
"""

import ipaddress
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from core.errors import InputError
from core.values import Value

OLLAMA = "http://127.0.0.1:11434"


class OllamaServer(Value):
    """An Ollama. `configured` is False where nobody set an address: ask before looking at the usual one."""

    url: str
    configured: bool


class OpenAIServer(Value):
    """A server that speaks OpenAI's protocol. `model` is `None` for the first that it lists."""

    url: str
    model: str | None
    key: SecretStr | None


class Servers(Value):
    """The servers of this installation. There is always an Ollama to look for."""

    ollama: OllamaServer
    openai: OpenAIServer | None


def read_servers(settings: Mapping[str, Any] | None = None) -> Servers:
    """The servers that the settings name.

    Args:
        settings: names and values as above, among others; the environment if it is `None`. Pages add
        Streamlit's secrets.

    Raises:
        InputError: an address is none, or a key cannot be sent. No key and no password is repeated.
    """
    given = os.environ if settings is None else settings

    def value(name: str) -> str:
        return str(given.get(name) or "").strip()

    ollama = value("LOOPSCOPE_OLLAMA")
    server = OllamaServer(url=_address("LOOPSCOPE_OLLAMA", ollama or OLLAMA, OLLAMA), configured=bool(ollama))
    address = value("LOOPSCOPE_OPENAI_BASE_URL")
    if not address:
        return Servers(ollama=server, openai=None)
    name = "LOOPSCOPE_OPENAI_KEY" if value("LOOPSCOPE_OPENAI_KEY") else "OPENAI_API_KEY"
    compatible = OpenAIServer(
        url=_address("LOOPSCOPE_OPENAI_BASE_URL", address, "http://127.0.0.1:8080/v1"),
        model=value("LOOPSCOPE_OPENAI_MODEL") or None,
        key=_key(name, value(name)),
    )
    return Servers(ollama=server, openai=compatible)


def host(url: str) -> str:
    """Host and port of an address, as a screen names a server."""
    return urlsplit(url).netloc


def is_local(url: str) -> bool:
    """Whether the address is this computer, so that no proxy leads to it."""
    name = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def _address(variable: str, value: str, example: str) -> str:
    """The address without a slash at its end."""
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port or an IPv6 address that is none
        usable = False
    if not usable or not value.isprintable() or " " in value:
        raise InputError(f"{variable} is not an address: write it as in {example}.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InputError(
            f"{variable} must be an address alone, without a password, `?` or `#`: write it as in {example}."
        )
    return value.rstrip("/")


def _key(variable: str, key: str) -> SecretStr | None:
    # A header holds no other characters; the HTTP library would repeat the key in its complaint.
    if not all("!" <= character <= "~" for character in key):
        raise InputError(f"{variable} holds a space or a character that no key has: copy the key again.")
    return SecretStr(key) if key else None
