"""The bundled demos, each a trace away."""

from core.scenarios.catalogue import SCENARIOS, Crossing, Played, play, scenario_of, trace
from core.scenarios.scenario import Scenario

__all__ = ["SCENARIOS", "Crossing", "Played", "Scenario", "play", "scenario_of", "trace"]
