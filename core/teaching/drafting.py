"""Prompts to speculate on: prose, where a draft must know the language, and a copy, where it need not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DraftingExample:
    """A prompt, and the draft that it is made for: exit, window or lookup."""

    title: str
    prompt: str
    draft: str


_COPY = (
    "The draft proposes four tokens. The target reads all four in one pass. "
    "It keeps what it would have said itself. The draft proposes four tokens again."
)

DRAFTING_EXAMPLES = (
    DraftingExample(
        "Prose: an early exit",
        "A language model gives a probability to every token of its vocabulary. To write a text, it draws",
        "exit",
    ),
    DraftingExample(
        "Prose: the last tokens",
        "The river Spree flows through the city of Berlin. In summer, people swim in the lakes around the",
        "window",
    ),
    DraftingExample("A copy: prompt lookup", f"{_COPY}\n\n{_COPY}\n\n{_COPY[:71]}", "lookup"),
    DraftingExample(
        "Code: prompt lookup",
        "def first(items):\n    return items[0]\n\n"
        "def second(items):\n    return items[1]\n\n"
        "def third(items):\n",
        "lookup",
    ),
)
