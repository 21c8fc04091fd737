"""How hypothesis searches: the same examples at every run, and no haste on a busy machine.

`--hypothesis-profile=default` draws new examples at each run.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
