"""Prompts to speculate on: prose, where a draft must know the language, and a copy, where it need not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DraftingExample:
    """A prompt, the draft that it is made for (exit, window or lookup), and the temperature."""

    title: str
    prompt: str
    draft: str
    temperature: float = 1.0


_COPIED = (
    "The draft proposes four tokens. The target reads all four in one pass. "
    "It keeps what it would have said itself."
)

DRAFTING_EXAMPLES = (
    DraftingExample("A story, an early exit", "Once upon a time, there was", "exit"),
    DraftingExample(
        "A sentence, the last tokens",
        "The river Spree flows through the city of Berlin. In summer, people swim in the lakes around the",
        "window",
    ),
    # At T = 0 this model goes on copying; at T = 1 it soon leaves the text, and nothing is found to propose.
    DraftingExample("A copy, prompt lookup", f"{_COPIED}\n\n{_COPIED}\n\n{_COPIED[:31]}", "lookup", 0.0),
)
