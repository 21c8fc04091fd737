"""Prompt-ToolLoop: the loop of the lecture, as a generator of the steps that it executes.

Each step carries its line of the pseudocode (`core.agent.pseudocode`), so that a screen can follow a run that
is still going on.
"""

from collections.abc import Iterator, Sequence

from core.agent.asking import Watch
from core.agent.checks import checked_setup, checked_start
from core.agent.execution import Executor
from core.agent.formats import NATIVE, Format
from core.agent.goal import Goal
from core.agent.guards import Guards, Repeats
from core.agent.policy import Policy
from core.agent.runtime import Runtime, context_of
from core.agent.tools import Tool, well_formed
from core.context.assemble import TokenCounter
from core.errors import InputError
from core.lm.chat import ChatModel
from core.messages.types import Message
from core.trace import Step, StepKind, Trace

MAX_STEPS = 8
RESUMABLE = (StepKind.USER_INPUT, StepKind.THOUGHT, StepKind.OBSERVATION)


def run(
    model: ChatModel,
    user_input: str,
    tools: Sequence[Tool] = (),
    *,
    system: str | None = None,
    max_steps: int = MAX_STEPS,
    counter: TokenCounter | None = None,
    history: Sequence[Message] = (),
    format: Format = NATIVE,
    policy: Policy | None = None,
    repair: bool = False,
    guards: Guards | None = None,
    watch: Watch | None = None,
    goal: Goal | None = None,
) -> Iterator[Step]:
    """Run the loop on one user input, step by step; nothing runs until the next step is asked for.

    Once it goes, it raises nothing but what `watch` raises. Every tool call gets exactly one result with its
    id: what fails a check, what raises, hangs or was cut off gets an error as its result. A model that fails
    ends the run with a stop that says why, and what had come of its reply is kept in the step of the call.

    Args:
        model: the model that is called with the whole context in every step. One that can stream does.
        user_input: what the user says.
        tools: the tools that are advertised and may be executed.
        system: the system prompt, the first message of every call.
        max_steps: the largest number of model calls.
        counter: how the context of each call is written and counted; without it, calls have no segments.
        history: the messages of earlier turns, without the system prompt.
        format: how tool calls are asked for: `NATIVE`, or `TEXT` for ReAct as text.
        policy: which well-formed calls are permitted; all, without it.
        repair: whether arguments that are no JSON may be read leniently; see `validate_call`.
        guards: the limits of the run; the usual ones, without it.
        watch: gets the pieces of a reply as they stream in. It stops model and run by raising `StopRun`.
        goal: what the runtime tests before a reply without calls may end the run. Without it, the model
            decides by making no call.

    Raises:
        InputError: at once, on a bad argument.
    """
    history = checked_start(user_input, history, system, max_steps)
    guards = checked_setup(model, tools, counter, format, policy, guards, watch, goal)
    runtime = Runtime(
        model=model,
        schemas=tuple(tool.schema for tool in tools),
        max_steps=max_steps,
        counter=counter,
        format=format,
        executor=Executor(tools, policy, repair, guards),
        watch=watch,
        goal=goal,
    )
    return runtime.prompted(context_of(system, history), well_formed(user_input))


def resume(
    trace: Trace,
    model: ChatModel,
    tools: Sequence[Tool] = (),
    *,
    counter: TokenCounter | None = None,
    format: Format = NATIVE,
    policy: Policy | None = None,
    repair: bool = False,
    guards: Guards | None = None,
    watch: Watch | None = None,
    goal: Goal | None = None,
) -> Iterator[Step]:
    """The steps by which an unfinished run goes on: one that was left, or that `edited` has cut.

    Calls of the last reply that have no result yet are executed first. System prompt and step cap are those
    of the trace.

    Args:
        trace: the run so far, up to the user's input, a thought or an observation.

    The other arguments, and what is raised, are those of `run`.

    Raises:
        InputError: at once, on a bad argument, or a trace that cannot go on.
    """
    if not isinstance(trace, Trace):
        raise InputError(f"What goes on must be a Trace, not {type(trace).__name__}.")
    if not trace.steps or trace.steps[-1].kind not in RESUMABLE:
        raise InputError(
            "A run can go on after the user's input, a thought or an observation: edit one of these."
        )
    guards = checked_setup(model, tools, counter, format, policy, guards, watch, goal)
    runtime = Runtime(
        model=model,
        schemas=tuple(tool.schema for tool in tools),
        max_steps=trace.max_steps or MAX_STEPS,
        counter=counter,
        format=format,
        executor=Executor(tools, policy, repair, guards, _repeats(trace)),
        watch=watch,
        goal=goal,
    )
    return runtime.resumed(trace)


def _repeats(trace: Trace) -> Repeats:
    """The calls that the run has made, for its detector to go on from."""
    repeats = Repeats()
    arguments: dict[str, dict[str, object]] = {}  # by the id of the call: those of a turn can run at once
    for step in trace.steps:
        if step.tool_call is None:
            continue
        if step.validation is not None:
            arguments[step.tool_call.id] = step.validation.arguments or {}
        if step.kind is StepKind.EXECUTION:
            repeats.add(step.tool_call.name, arguments.get(step.tool_call.id, {}), step.text)
    return repeats
