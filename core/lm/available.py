"""Which chat models can be chosen here, and how each of them can call tools.

Nobody is called but whom the configuration names, or whom a person has asked to look for. Each server has a
function of its own, so that its answer can be kept by its address.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from core.errors import InputError
from core.lm.install import find
from core.lm.next_token import BadReply
from core.lm.servers import OllamaServer, OpenAIServer, Servers, host
from core.values import Value

if TYPE_CHECKING:  # the clients take half a second to load: whoever asks a server pays for it
    import httpx


PATIENCE = 5.0  # seconds for each answer: a list is to be there at once, or not at all

EMBEDDED = "SmolLM2-135M-Instruct"


class ModelChoice(Value):
    """A model that can be chosen.

    `address` is host and port, empty for the embedded model. `calls` are the ways in which it can be made to
    call tools, the best first: those of `core.lm.chat_options.Calls`, or `core.agent.EmbeddedCalls`.
    `trained_window` is in tokens, and what is allocated can be less; `None` where it is not told.
    """

    kind: Literal["embedded", "ollama", "openai"]
    name: str
    address: str = ""
    calls: tuple[str, ...]
    thinks: bool = False
    trained_window: int | None = None


class Offered(Value):
    """What can be chosen, and a sentence for each server that has nothing to offer."""

    choices: tuple[ModelChoice, ...] = ()
    failures: tuple[str, ...] = ()


def available_models(servers: Servers, look_for_ollama: bool = False) -> Offered:
    """All models that can be chosen: the embedded one, Ollama's, and those of the OpenAI-compatible server.

    Args:
        look_for_ollama: whether to ask at the usual address although nobody has configured an Ollama.
    """
    offers = [embedded_choices()]
    if servers.ollama.configured or look_for_ollama:
        offers.append(ollama_choices(servers.ollama))
    if servers.openai is not None:
        offers.append(openai_choices(servers.openai))
    return Offered(
        choices=tuple(choice for offer in offers for choice in offer.choices),
        failures=tuple(failure for offer in offers for failure in offer.failures),
    )


def embedded_choices() -> Offered:
    """The embedded model, if it is installed. Looks at a file and calls nobody."""
    if find() is None:
        sentence = "The embedded model is not installed: install it on the sampling screen."
        return Offered(failures=(sentence,))
    return Offered(
        choices=(
            ModelChoice(
                kind="embedded", name=EMBEDDED, calls=("guided", "grammar", "free"), trained_window=8192
            ),
        )
    )


def ollama_choices(server: OllamaServer) -> Offered:
    """The chat models of an Ollama, or why there are none."""
    from core.lm import ollama_http

    try:
        with (
            ollama_http.sentences(server, patience=PATIENCE),
            ollama_http.connect(server, PATIENCE) as client,
        ):
            choices = tuple(_ollama_choices(client, host(server.url)))
    except InputError as error:
        return Offered(failures=(str(error),))
    if not choices:
        return Offered(failures=(f"The Ollama at {host(server.url)} has no chat model: pull one.",))
    return Offered(choices=choices)


def openai_choices(server: OpenAIServer) -> Offered:
    """The model of the configuration, or all that the server lists, or why there are none."""
    from core.lm import openai_http

    try:
        with openai_http.sentences(server, PATIENCE), openai_http.connect(server, PATIENCE) as client:
            listed: Iterable[openai_http.ListedModel]
            listed = (
                [openai_http.chosen_model(server, client)]
                if server.model
                else openai_http.listed_models(client)
            )
            choices = tuple(
                # Not told: whether it can call tools by itself. A server that cannot refuses with a sentence.
                ModelChoice(
                    kind="openai",
                    name=model.name,
                    address=host(server.url),
                    calls=("native", "schema", "text"),
                    trained_window=model.window,
                )
                for model in listed
            )
    except InputError as error:
        return Offered(failures=(str(error),))
    if not choices:
        sentence = f"The server {host(server.url)} lists no model: set LOOPSCOPE_OPENAI_MODEL."
        return Offered(failures=(sentence,))
    return Offered(choices=choices)


def _ollama_choices(client: "httpx.Client", address: str) -> Iterator[ModelChoice]:
    import ollama

    from core.lm import ollama_http

    match ollama_http.get(client, "/api/tags"):
        case {"models": [*listed]}:
            names = [entry["name"] for entry in listed if isinstance(entry, dict) and entry.get("name")]
        case _:
            raise BadReply("no list of models")
    for name in names:
        try:
            shown = ollama_http.checked(client.post("/api/show", json={"model": name}))
        except ollama.ResponseError:  # of this model alone: its file is damaged, or it has just been removed
            continue
        if choice := _ollama_choice(name, address, shown):
            yield choice


def _ollama_choice(name: str, address: str, shown: Any) -> ModelChoice | None:
    match shown:
        case {"capabilities": [*capabilities]}:
            pass
        case _:  # before 0.6.4
            capabilities = ["completion"]
    if "completion" not in capabilities:
        return None
    window = None
    match shown:
        case {"model_info": {"general.architecture": str(architecture), **info}}:
            length = info.get(f"{architecture}.context_length")
            window = length if isinstance(length, int) else None
    return ModelChoice(
        kind="ollama",
        name=name,
        address=address,
        calls=("native", "schema", "text") if "tools" in capabilities else ("schema", "text"),
        thinks="thinking" in capabilities,
        trained_window=window,
    )
