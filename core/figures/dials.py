"""The dials of a sampler, the same on every screen and in every address."""

from typing import Any, NamedTuple


class Dial(NamedTuple):
    """A setting of `SamplerSettings`: its name in an address, its label, where it ends and where it is off."""

    setting: str
    name: str
    label: str
    highest: float
    step: float
    neutral: float


DIALS = (
    Dial("temperature", "T", "Temperature T", 3.0, 0.05, 1.0),
    Dial("top_k", "top_k", "Top-k", 100, 1, 0),
    Dial("top_p", "top_p", "Top-p", 1.0, 0.01, 1.0),
    Dial("min_p", "min_p", "Min-p", 1.0, 0.01, 0.0),
)
HIGHEST = {dial.setting: dial.highest for dial in DIALS}
NAMES = {dial.name: dial.setting for dial in DIALS}


def dials_view() -> list[dict[str, Any]]:
    """The dials as the browser takes them."""
    return [dial._asdict() for dial in DIALS]
