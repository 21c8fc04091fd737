"""The dials of a sampler, the same on every screen and in every address."""

from typing import Any, NamedTuple

from core.sampling import SamplerSettings


class Dial(NamedTuple):
    """A setting of `SamplerSettings`: its name in an address, its label, its end, and where it is off."""

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


def address(settings: SamplerSettings) -> dict[str, str]:
    """The settings that are not at their neutral values, for an address."""
    values = {dial: getattr(settings, dial.setting) for dial in DIALS}
    return {dial.name: f"{value:g}" for dial, value in values.items() if value != dial.neutral}


def dials_view() -> list[dict[str, Any]]:
    """The dials as the browser takes them."""
    return [dial._asdict() for dial in DIALS]
