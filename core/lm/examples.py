"""Real logits of five prompts, bundled: the sampling screen works with them before the model is installed.

`scripts/capture_examples.py` makes the file from this list. The logits are the embedded model's own, whole
vocabulary, float32, not rounded.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BUNDLED = Path(__file__).parent / "data" / "examples.npz"

_TOOL_SYSTEM = (
    "You can call one tool: get_weather(city). To call it, reply with JSON only, like "
    '{"name": "get_weather", "arguments": {"city": "Rome"}}'
)


@dataclass(frozen=True)
class Prompt:
    """A prompt to capture. `name` stands in addresses, so it stays; `note` is what its logits teach."""

    name: str
    title: str
    text: str
    note: str


@dataclass(frozen=True, eq=False)
class Example(Prompt):
    """A prompt with its tokens and the logits of the next token: float32 (V,), read-only."""

    token_ids: tuple[int, ...]
    logits: NDArray[np.float32]


PROMPTS = (
    Prompt(
        "peaked",
        "A fact: one token leads",
        "The capital of France is",
        "One token has three quarters of the probability: sampling and greedy decoding mostly agree.",
    ),
    Prompt(
        "flat",
        "A story: many ways on",
        "Her name was",
        "No token reaches 3 %: greedy decoding hides that hundreds of names are about as likely.",
    ),
    Prompt(
        "code",
        "Code: likely, and wrong",
        "def fibonacci(n):\n    return",
        "The likeliest token is not the right one: ` n` leads, the recursive call ` fib` comes second.",
    ),
    Prompt(
        "chat",
        "A chat: how to begin the answer",
        "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n",
        "The model chooses a form before it names a fact: `The` leads, far ahead of `Paris`.",
    ),
    Prompt(
        "tool-call",
        "A tool call: the schema decides",
        f"<|im_start|>system\n{_TOOL_SYSTEM}<|im_end|>\n"
        "<|im_start|>user\nWhat is the weather in Paris?<|im_end|>\n"
        '<|im_start|>assistant\n{"name": "get_weather", "arguments": {"',
        "With the tool in the context, its argument `city` gets over 90 %: a call is text like any other.",
    ),
)


@cache
def load_examples() -> tuple[Example, ...]:
    """The bundled examples, in the order of `PROMPTS`."""
    with np.load(BUNDLED, allow_pickle=False) as bundled:
        examples = []
        for prompt in PROMPTS:
            logits = bundled[f"{prompt.name}.logits"]
            logits.flags.writeable = False
            ids = tuple(bundled[f"{prompt.name}.ids"].tolist())
            examples.append(Example(prompt.name, prompt.title, prompt.text, prompt.note, ids, logits))
    return tuple(examples)
