"""The bundled demos, each a trace away."""

from core.scenarios.catalogue import SCENARIOS, Scenario, scenario_of, trace

__all__ = ["SCENARIOS", "Scenario", "scenario_of", "trace"]
