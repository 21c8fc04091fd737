"""What a run was given, looked at before it starts: a wrong kind of thing is told in a sentence."""

from collections.abc import Sequence
from typing import Any

from core.agent.formats import Format
from core.agent.guards import Guards
from core.agent.tools import Tool
from core.agent.validation import schema_problems
from core.context.assemble import TokenCounter
from core.errors import InputError
from core.messages.chat_dialect import as_messages
from core.messages.pairing import check_pairing
from core.messages.types import Message


def checked_start(
    user_input: str, history: Sequence[Message], system: str | None, max_steps: int
) -> tuple[Message, ...]:
    """The history as typed messages, if the run can start from it.

    Raises:
        InputError: naming what cannot be used.
    """
    _expect(isinstance(user_input, str), "The user's input must be text", user_input)
    _expect(system is None or isinstance(system, str), "The system prompt must be text", system)
    _expect(type(max_steps) is int, "The step budget must be a whole number", max_steps)
    if max_steps < 1:
        raise InputError("The step budget must be at least 1.")
    messages = as_messages(history)
    if problems := check_pairing(messages):
        raise InputError(f"The history cannot be sent. {problems[0]}")
    return messages


def checked_setup(
    model: Any,
    tools: Sequence[Tool],
    counter: Any,
    format: Format,
    policy: Any,
    guards: Guards | None,
    watch: Any,
    goal: Any,
) -> Guards:
    """The guards of the run, the usual ones if none were given.

    Raises:
        InputError: naming what cannot be used.
    """
    _expect(callable(getattr(model, "reply", None)), "The model must be a chat model", model)
    checked_tools(tools)
    _expect(
        counter is None or isinstance(counter, TokenCounter), "The counter must be a TokenCounter", counter
    )
    _expect(callable(getattr(format, "read", None)), "The format must be NATIVE or TEXT", format)
    _expect(policy is None or callable(policy), "The policy must be a function", policy)
    _expect(guards is None or isinstance(guards, Guards), "The guards must be Guards", guards)
    _expect(watch is None or callable(watch), "Who watches must be a function", watch)
    _expect(goal is None or callable(goal), "The goal must be a function", goal)
    return guards or Guards()


def checked_tools(tools: Sequence[Tool]) -> None:
    """Look at tools that are to be advertised.

    Raises:
        InputError: they are no tools, two have the same name, or the schema of one is none.
    """
    is_list = isinstance(tools, Sequence) and not isinstance(tools, str | bytes)
    _expect(is_list, "The tools must be a list of tools", tools)
    for tool in tools:
        _expect(isinstance(tool, Tool), "A tool must be a Tool, made by Tool.from_function", tool)
    names = [tool.name for tool in tools]
    if len(set(names)) < len(names):
        raise InputError(f"Two tools have the same name: {', '.join(sorted(names))}.")
    for tool in tools:
        schema_problems({}, tool.schema)


def _expect(holds: bool, demand: str, given: object) -> None:
    if not holds:
        raise InputError(f"{demand}, not {type(given).__name__}.")
