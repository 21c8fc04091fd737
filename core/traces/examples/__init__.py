"""Small files of every format, to open and to look into: which of two cities is warmer, asked with a tool."""

from importlib import resources

from core.errors import InputError

FILES = (
    "openai-chat.json",
    "openai-responses.json",
    "anthropic.json",
    "ollama.json",
    "react-paper.txt",
    "react-langchain.txt",
    "swe-agent.traj",
    "inspect.json",
    "inspect.eval",
    "otel-genai.json",
    "openinference.json",
    "langfuse.json",
    "claude-code.jsonl",
    "atif.json",
    "loopscope.json",
)


def example(name: str) -> bytes:
    """The bytes of one of `FILES`.

    Raises:
        InputError: there is none of this name.
    """
    if name not in FILES:
        raise InputError(f"There is no example {name!r:.40}. Choose one of {', '.join(FILES)}.")
    return resources.files(__package__).joinpath(name).read_bytes()
