"""What the screens of runs, calls and messages show at an address: steps, contexts, checks, refusals."""

from functools import cache

from core.agent import review, states
from core.agent.execution import Executor
from core.agent.pasted import read_call
from core.context import (
    RunBudget,
    Strategy,
    Supposed,
    Supposition,
    TokenCounter,
    assemble,
    run_budget,
    suppose,
)
from core.context.prefix_cache import Server, cached_calls
from core.errors import InputError
from core.lm import load_tokenizer
from core.messages import (
    AssistantMessage,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
    refusals,
    render,
    to_wire,
)
from core.scenarios import trace
from core.scenarios.faults import own_data_only
from core.teaching.conversation import Conversation, conversation_of
from core.teaching.conversation_changes import changed
from core.teaching.lessons.step import Address
from core.teaching.tool_bench import BENCH
from core.trace import Step, StepKind, Trace

CHECKS = {"json": "JSON", "tool": "the tool", "schema": "the schema", "policy": "the policy"}
RUNS = "nowhere: it runs"
SYSTEM = "You are a helpful assistant."


@cache
def run_of(slug: str) -> Trace:
    """A bundled run, with its contexts counted."""
    return trace(slug, _counter())


def run(address: Address) -> Trace:
    """The run in view."""
    return run_of(address["scenario"])


def step(address: Address) -> Step:
    """The step in view."""
    return run(address).steps[int(address["step"]) - 1]


def line(address: Address) -> str:
    """The line of Prompt-ToolLoop that the step in view executes."""
    return f"line {step(address).line}"


def call_number(address: Address) -> int:
    """The model calls up to the step in view."""
    return sum(one.model_call is not None for one in run(address).steps[: int(address["step"])])


def messages_stored(address: Address) -> int:
    """The messages of the history at the step in view, the system prompt included."""
    return states(run(address))[int(address["step"]) - 1].history + 1


def results_so_far(address: Address) -> int:
    """The tool results in the history at the step in view."""
    shown = run(address).steps[: int(address["step"])]
    return sum(isinstance(one.appended, ToolResultMessage) for one in shown)


def entries_after_prefix(address: Address) -> int:
    """The entries of the context at the step in view, without c_0."""
    return len(states(run(address))[int(address["step"]) - 1].context) - 1


def kind_of_message(address: Address) -> str:
    """The type of the message that the step in view appends."""
    return type(step(address).appended).__name__


def answer_of(slug: str) -> str:
    """What a run answered."""
    return next(one.text for one in run_of(slug).steps if one.kind is StepKind.ANSWER) or str(
        run_of(slug).messages[-1].content
    )


def unsupported(address: Address) -> str:
    """Which of two runs answers with a number that no tool result contains."""
    found = [
        side
        for side in ("left", "right")
        if any(finding.kind == "unsupported number" for finding in review(run_of(address[side])))
    ]
    return {(): "neither", ("left",): "the left one", ("right",): "the right one"}.get(tuple(found), "both")


def says_difference(address: Address) -> str:
    """Which of two runs answers with the difference of the two temperatures that its tools returned."""
    found = []
    for side in ("left", "right"):
        results = [
            one.content for one in run_of(address[side]).messages if isinstance(one, ToolResultMessage)
        ]
        now, then = (int(text.partition("°")[0]) for text in results[:2])
        found += [side] if f" {then - now} degrees" in answer_of(address[side]) else []
    return {(): "neither", ("left",): "the left one", ("right",): "the right one"}.get(tuple(found), "both")


def percent_more(address: Address) -> float:
    """By how much the left run sends more tokens than the right one, in percent of the right one."""
    left, right = (run_budget(run_of(address[side])).sent for side in ("left", "right"))
    assert left is not None
    assert right is not None
    return 100 * (left - right) / right


def tool_calls(address: Address) -> int:
    """The tool calls of the code tool's run on the task that the specific tool needs several for."""
    return sum(one.kind is StepKind.TOOL_CALL for one in run_of("code").steps) if address else 0


def schema_cost(address: Address) -> int:
    """The tokens that a tool adds to a call."""
    bench = BENCH[address["tool"]]
    opening = (SystemMessage(content=SYSTEM), UserMessage(content=bench.question))
    with_tool, without = (
        sum(segment.tokens or 0 for segment in assemble(opening, tools, _counter()))
        for tools in ([bench.tool.schema], [])
    )
    return with_tool - without


def stopped_at(address: Address) -> str:
    """The check at which a call stops."""
    pasted = read_call(address["call"], address["tool"])
    executor = Executor(tuple(bench.tool for bench in BENCH.values()), policy=own_data_only)
    for one in executor.steps((pasted.call,), 1, pasted.refused):
        if one.validation is not None and not one.validation.ok and one.validation.stage:
            return CHECKS[one.validation.stage]
    return RUNS


def conversation(address: Address) -> Conversation:
    """The conversation of the messages screen, with what is changed of it."""
    whole = conversation_of(run(address))
    for change in filter(None, address.get("change", "").split(".")):
        whole = changed(whole, change, address.get("template", "chatml"))
    return whole


def is_refused(address: Address) -> bool:
    """Whether a strict server refuses the conversation."""
    return bool(refusals(conversation(address).messages, "openai-chat"))


def role_of_results(address: Address) -> str:
    """The role under which a provider's JSON carries a tool result."""
    sent = to_wire(conversation(address).messages, conversation(address).tools, address["provider"])
    return next(
        str(message["role"])
        for message in sent["messages"]
        if message["role"] == "tool"
        or any(isinstance(part, dict) and part.get("type") == "tool_result" for part in message["content"])
    )


def call_answered_by(result: int, address: Address) -> str:
    """The city that was asked for in the call that a result, from 0, belongs to."""
    messages = conversation(address).messages
    results = [one for one in messages if isinstance(one, ToolResultMessage)]
    calls = [call for one in messages if isinstance(one, AssistantMessage) for call in one.tool_calls]
    asked = next(call for call in calls if call.id == results[result].tool_call_id)
    return str(asked.arguments).split('"')[3]


def openings(address: Address) -> int:
    """How often the template of a call opens a message, with the opening of the reply."""
    whole = conversation(address)
    return render(whole.messages, whole.tools, "chatml").text.count("<|im_start|>")


def is_written(address: Address) -> bool:
    """Whether the chat template writes the conversation at all."""
    whole = conversation(address)
    try:
        render(whole.messages, whole.tools, address["template"])
    except InputError:
        return False
    return True


def budget(address: Address) -> RunBudget:
    """The tokens of the run in view."""
    return run_budget(run(address))


def new(address: Address) -> int:
    """The tokens of the call in view that the call before had not sent."""
    return budget(address).calls[call_number(address) - 1].new or 0


def times_sent(address: Address) -> float:
    """All tokens that the run sends, in contexts of its last call."""
    counted = budget(address)
    return (counted.sent or 0) / (counted.calls[-1].total or 1)


def supposed(address: Address) -> Supposed:
    """The run under what the address supposes."""
    asked = Supposition(
        window=int(address["window"]) if "window" in address else run(address).calls[-1].window,
        strategy=Strategy[address.get("strategy", "none").upper()],
        clock="head" if address.get("clock") == "head" else "none",
    )
    return suppose(run(address), asked, _counter())


def parts_a_pair(address: Address) -> bool:
    """Whether the strategy leaves, in some call, a result without its call or a call without its result."""
    return any(outcome.broken for outcome in supposed(address).outcomes)


def shared_with_last(address: Address) -> int:
    """The tokens of the call in view that a prefix cache holds from the call before."""
    return cached_calls(supposed(address).calls, Server())[call_number(address) - 1].cached


def _counter() -> TokenCounter:
    return TokenCounter(load_tokenizer())
