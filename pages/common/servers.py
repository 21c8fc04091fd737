"""What the servers of this installation tell of the next token, cached by what it depends on."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import streamlit as st

from core.errors import InputError
from core.lm.next_token import NextToken
from core.lm.servers import OllamaServer, OpenAIServer, Servers, host, read_servers

LOOK = "look for an Ollama"  # session: whether the reader asked for it
LISTED = 30  # seconds that a list of models, or the word that there is none, stays good
TOLD = 600  # seconds that an answer stays good: the model behind a name can change


def settings() -> Mapping[str, Any]:
    """The environment and, where there are any, Streamlit's secrets."""
    try:
        return {**os.environ, **st.secrets.to_dict()}
    except FileNotFoundError:
        return os.environ


@dataclass(frozen=True)
class Offered:
    """What can be chosen, slug -> title, and why something else cannot."""

    titles: dict[str, str]
    problem: str = ""


def offered(look: bool) -> Offered:
    """The models of the configured servers; with `look` also those of an Ollama at the usual place."""
    try:
        servers = read_servers(settings())
    except InputError as error:
        return Offered({}, str(error))
    titles, problem = {}, ""
    if servers.openai:
        names = [PurePath(servers.openai.model).name] if servers.openai.model else []
        titles["openai"] = " · ".join([*names, f"server {host(servers.openai.url)}"])
    if servers.ollama.configured or look:
        models, problem = st_ollama_models(servers.ollama)
        titles |= {f"ollama:{model}": f"{model} · Ollama" for model in models}
    else:
        titles["ollama"] = "Look for an Ollama"
    return Offered(titles, problem)


def told(slug: str, prompt: str) -> NextToken:
    """What the server behind a slug tells of the token after `prompt`.

    Errors: `InputError` where it is down, slow or refuses, or is not configured.
    """
    servers: Servers = read_servers(settings())
    if slug == "openai" and servers.openai:
        return st_openai(servers.openai, prompt)
    if slug.startswith("ollama:"):
        return st_ollama(servers.ollama, slug.removeprefix("ollama:"), prompt)
    raise InputError("This source is not configured here: choose another.")


def _by_key(server: OpenAIServer) -> tuple[object, ...]:
    return server.url, server.model, server.key and hash(server.key.get_secret_value())


@st.cache_resource(ttl=LISTED, show_spinner="Asking Ollama for its models", hash_funcs={OllamaServer: repr})
def st_ollama_models(server: OllamaServer) -> tuple[tuple[str, ...], str]:
    """The models of an Ollama, or the sentence why there are none."""
    from core.lm.ollama_source import OllamaSource  # imported late, as below: the clients take a while

    try:
        models = OllamaSource(server).models()
    except InputError as error:
        return (), str(error)
    return models, "" if models else f"The Ollama at {host(server.url)} has no models: pull one."


@st.cache_resource(ttl=TOLD, max_entries=64, show_spinner="Asking Ollama", hash_funcs={OllamaServer: repr})
def st_ollama(server: OllamaServer, model: str, prompt: str) -> NextToken:
    """What an Ollama tells."""
    from core.lm.ollama_source import OllamaSource

    return OllamaSource(server).next_token(model, prompt)


@st.cache_resource(
    ttl=TOLD, max_entries=16, show_spinner="Asking the server", hash_funcs={OpenAIServer: _by_key}
)
def st_openai(server: OpenAIServer, prompt: str) -> NextToken:
    """What a server tells that speaks OpenAI's protocol: the whole vocabulary if it can."""
    from core.lm.openai_source import OpenAISource

    return OpenAISource(server).next_token(prompt, top=None)
