"""The bundled demos: scripted models that the real loop runs with real tools.

Only the replies of the model are written here. Every observation, error and count of a trace comes from
running it.
"""

from contextlib import ExitStack
from dataclasses import dataclass, replace

from core.agent import record, run
from core.agent.mcp_client import Connection, discover
from core.agent.mcp_wire import WireMessage
from core.context import TokenCounter
from core.context.supplies import Choice
from core.errors import InputError
from core.lm.scripted import ScriptedModel
from core.scenarios import faults, first_runs, loops, native_agent, tool_kinds, variants
from core.scenarios.assembled import ASSEMBLED
from core.scenarios.long_run import LONG_RUN
from core.scenarios.scenario import Scenario
from core.trace import Step, Trace

WINDOW = 8192
"""Tokens: the window of SmolLM2, whose tokenizer counts the contexts of the demos."""

SCENARIOS: tuple[Scenario, ...] = (
    first_runs.BERLIN,
    first_runs.PARALLEL,
    first_runs.REPAIR,
    first_runs.REFUND,
    first_runs.BUDGET,
    first_runs.NO_TOOL,
    first_runs.ARRIVAL,
    ASSEMBLED,
    loops.OPEN_LOOP,
    loops.ACT,
    loops.REACT,
    loops.TEXT_REACT,
    loops.FINISH,
    loops.FEW_SHOT,
    loops.DENSE,
    loops.SPARSE,
    variants.IMPLICIT,
    variants.PLAN,
    variants.GOAL,
    variants.AGENT_TOOL,
    native_agent.DETECTOR,
    native_agent.NO_MATCH,
    native_agent.NO_DETECTOR,
    native_agent.UNKNOWN_EMAIL,
    native_agent.CARELESS,
    faults.BAD_JSON,
    faults.UNKNOWN_TOOL,
    faults.POLICY,
    faults.REPETITION,
    tool_kinds.CALCULATOR,
    tool_kinds.CODE,
    tool_kinds.MCP,
    faults.INJECTION,
    faults.OBEYED,
    LONG_RUN,
)
"""In the order in which a lecture needs them."""


@dataclass(frozen=True)
class Crossing:
    """A line between the runtime and an MCP server, and the step, from 0, during which it crossed.

    What crossed before the run, when the tools were discovered, has no step.
    """

    step: int | None
    message: WireMessage


@dataclass(frozen=True)
class Played:
    """A demo that has been run: its trace, and what crossed to an MCP server and back."""

    trace: Trace
    wire: tuple[Crossing, ...]


def trace(slug: str, counter: TokenCounter | None = None) -> Trace:
    """The trace of a demo, made by running it.

    Args:
        slug: which demo; see `SCENARIOS`.
        counter: how contexts are written and counted. Without it they are written in ChatML and not counted.

    Raises:
        InputError: there is no demo with this slug, or its MCP server cannot be started.
    """
    return play(slug, counter).trace


def play(slug: str, counter: TokenCounter | None = None) -> Played:
    """Run a demo; as `trace`, with what crossed to its MCP server."""
    scenario = scenario_of(slug)
    with ExitStack() as opened:
        server = opened.enter_context(discover()) if scenario.library else None
        tools = scenario.tools + (server.tools if server else ())
        wire = _crossed(server, None, ())
        system, counter = _supplied(scenario, counter or TokenCounter(None))
        steps: list[Step] = []
        for step in run(
            ScriptedModel("scripted", scenario.replies, window=WINDOW),
            scenario.question,
            tools,
            system=system,
            max_steps=scenario.max_steps,
            counter=counter,
            history=scenario.history,
            policy=scenario.policy,
            guards=scenario.guards,
            format=scenario.format,
            goal=scenario.goal,
        ):
            wire += _crossed(server, len(steps), wire)
            steps.append(step)
    recorded = record(
        steps,
        title=scenario.title,
        source="scripted",
        model="scripted",
        description=scenario.note,
        system=system,
        tools=[tool.schema for tool in tools],
        max_steps=scenario.max_steps,
        history=scenario.history,
    )
    return Played(recorded, wire)


def _supplied(scenario: Scenario, counter: TokenCounter) -> tuple[str, TokenCounter]:
    """The system prompt with what is added for the question, and a counter that tells the two apart."""
    if scenario.assembly is None:
        return scenario.system, counter
    system, inserts = scenario.assembly.composed(Choice())
    return system, replace(counter, inserts=inserts)


def _crossed(
    server: Connection | None, step: int | None, before: tuple[Crossing, ...]
) -> tuple[Crossing, ...]:
    """What has crossed beyond what had crossed before."""
    messages = server.messages[len(before) :] if server else ()
    return tuple(Crossing(step, message) for message in messages)


def scenario_of(slug: str) -> Scenario:
    """The demo with this slug.

    Raises:
        InputError: there is none.
    """
    for scenario in SCENARIOS:
        if scenario.slug == slug:
            return scenario
    known = ", ".join(scenario.slug for scenario in SCENARIOS)
    raise InputError(f"There is no demo {slug!r}. Choose one of {known}.")
