"""Whether a well-formed tool call is permitted: the security boundary, apart from the checks of its form."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from core.errors import InputError
from core.trace import Validation

Policy = Callable[[str, Mapping[str, Any]], str | None]
"""Given the name of a tool and the checked arguments: why the call is not permitted, or `None` if it is."""


def allow_only(*names: str) -> Policy:
    """The policy that permits these tools and no other one, whatever their arguments.

    Raises:
        InputError: a name is no text.
    """
    if not all(isinstance(name, str) for name in names):
        raise InputError('An allowlist holds the names of tools: allow_only("get_weather").')

    def policy(name: str, arguments: Mapping[str, Any]) -> str | None:  # noqa: ARG001
        if name in names:
            return None
        return f"the tool {name!r} is not on the allowlist; on it: {', '.join(sorted(names)) or 'none'}"

    return policy


def decide(policy: Policy, name: str, arguments: Mapping[str, Any]) -> Validation:
    """The verdict of a policy. One that fails to decide permits nothing."""
    try:
        reason = policy(name, copy.deepcopy(dict(arguments)))
    except Exception as error:
        reason = f"the policy could not decide ({type(error).__name__})"
    given = dict(arguments)
    if not reason:
        return Validation(ok=True, stage="policy", arguments=given)
    return Validation(ok=False, stage="policy", message=f"not permitted: {reason}", arguments=given)
