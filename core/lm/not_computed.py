"""The refusal of a model that the forward pass of `core.lm.llama` does not compute."""

from core.errors import InputError


class NotComputed(InputError):
    """What is different about a model, a clause without a full stop, and where it can run."""

    def __init__(self, difference: str) -> None:
        super().__init__(f"{difference}: serve it with Ollama or llama.cpp instead.")


def wants_a_token(name: str) -> NotComputed:
    """A model whose every text begins or ends with a token that nobody typed."""
    return NotComputed(f"{name} wants a token of its own around every text, which Loopscope does not add")
