"""Langfuse: observations of a trace, of the types GENERATION, SPAN, TOOL and others; inputs are JSON or text.

Source: Langfuse's documentation, "Observation types", and what its export writes. Generations inside a
generation are the calls, since frameworks record the whole of several calls as one more generation. Results
of tools stand in the input of the next call, or, for the last one, in the TOOL observations that follow.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.messages.reply import Usage
from core.messages.types import AssistantMessage, ToolResultMessage
from core.traces.calls import Call, runs_of
from core.traces.conversation import ROLES, read_message, read_tools
from core.traces.lenient_json import parsed
from core.traces.run import Notices, Run, Said
from core.traces.shape import count, first_text, is_whole, items, mapping, objects, text, usage_of

NAME = "Langfuse"
TYPES = (
    "GENERATION",
    "SPAN",
    "TOOL",
    "EVENT",
    "AGENT",
    "CHAIN",
    "RETRIEVER",
    "EMBEDDING",
    "EVALUATOR",
    "GUARDRAIL",
)


def matches(value: Any) -> bool:
    """Whether the value holds observations."""
    return any(True for holder in _holders(value) for _ in _observations(holder))


def read(value: Any) -> Iterator[Run]:
    """The runs of each trace, in the order of time."""
    traces: dict[str, list[dict[str, Any]]] = {}
    titles: dict[str, str] = {}
    for holder in _holders(value):
        for observation in _observations(holder):
            trace = first_text(observation, "traceId", "trace_id")
            traces.setdefault(trace, []).append(observation)
            titles.setdefault(trace, first_text(mapping(holder.get("trace")) or holder, "name"))
    for trace, observations in traces.items():
        observations.sort(key=lambda told: first_text(told, "startTime", "start_time"))
        yield from _runs(observations, titles[trace])


def _holders(value: Any) -> list[dict[str, Any]]:
    """What has observations: a trace, several, or a list of observations."""
    listed = objects(value) if isinstance(value, list) else [mapping(value)]
    return [{"observations": listed}] if any(_is_observation(told) for told in listed) else listed


def _observations(holder: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    trace = mapping(holder.get("trace"))
    for told in [*objects(holder.get("observations")), *objects(trace.get("observations"))]:
        if _is_observation(told) and text(told.get("id")) not in seen:
            seen.add(text(told.get("id")))
            yield told


def _is_observation(told: Mapping[str, Any]) -> bool:
    return (
        is_whole(told)
        and told.get("type") in TYPES
        and ("startTime" in told or "start_time" in told)
        and "id" in told
    )


def _runs(observations: Sequence[dict[str, Any]], title: str) -> Iterator[Run]:
    parents = {text(told.get("id")): _parent(told) for told in observations}
    generations = [told for told in observations if told["type"] == "GENERATION"]
    outer: set[str] = set()
    for told in generations:
        parent, seen = _parent(told), set[str]()
        while parent and parent not in seen:
            seen.add(parent)
            parent = parents.get(parent, "")
        outer |= seen
    inner = [told for told in generations if text(told.get("id")) not in outer]
    calls = [_call(told, title) for told in inner or generations]  # in a circle none is the outer one
    tools = [told for told in observations if told["type"] == "TOOL"]
    for run in runs_of(calls):
        yield _with_results(run, tools)
    if not calls:
        names = ", ".join(dict.fromkeys(text(told.get("name")) for told in observations[:5]))
        notices = (f"No observation of this trace is a generation; it holds {names:.200}.",)
        yield Run((), title=title, notices=notices)


def _parent(told: Mapping[str, Any]) -> str:
    return first_text(told, "parentObservationId", "parent_observation_id")


def _call(told: dict[str, Any], title: str) -> Call:
    notices = Notices()
    sent = parsed(told.get("input"))
    metadata = mapping(parsed(told.get("metadata")))
    tools = mapping(sent).get("tools") or metadata.get("tools")
    reason = first_text(mapping(parsed(told.get("modelParameters"))), "finishReason") or None
    return Call(
        _sent(sent),
        [
            Said(said.message, _usage(told), said.finish_reason or reason)
            for said in _reply(parsed(told.get("output")), notices)[:1]
        ],
        model=first_text(told, "model", "providedModelName") or None,
        tools=read_tools([parsed(tool) for tool in items(parsed(tools))] or None, notices),
        title=title or first_text(told, "name"),
        notices=notices,
    )


def _sent(sent: Any) -> list[Any]:
    told = mapping(sent)
    system = [{"role": "system", "content": told["system"]}] if told.get("system") else []
    messages = sent if isinstance(sent, list) else items(told.get("messages"))
    if messages:
        return [*system, *messages]
    if "role" in told:
        return [told]
    asked = first_text(told, "prompt", "input", "query") or text(sent)
    return [*system, {"role": "user", "content": asked}]


def _reply(output: Any, notices: Notices) -> list[Said]:
    if isinstance(output, list) and objects(output):
        last = objects(output)[-1]
        output = last if str(last.get("role")) in ROLES else {"content": output}
    told = mapping(output)
    choices = objects(told.get("choices"))
    if choices:
        told = {**mapping(choices[0].get("message")), "finish_reason": choices[0].get("finish_reason")}
    if not told:
        return read_message({"role": "assistant", "content": text(output)}, notices)
    calls = told.get("tool_calls") or told.get("toolCalls")
    if "content" not in told and not calls:
        written = first_text(told, "text", "completion", "output") or text(told)
        return read_message({"role": "assistant", "content": written}, notices)
    return read_message({**told, "role": "assistant", "tool_calls": parsed(calls)}, notices)


def _usage(told: Mapping[str, Any]) -> Usage:
    """Details split input and output by kind (`input_cached_tokens`, …): the whole is the sum."""
    details = mapping(parsed(told.get("usageDetails")))
    if any(key.startswith(("input", "output")) for key in details):
        return Usage(input_tokens=_sum(details, "input"), output_tokens=_sum(details, "output"))
    usage = mapping(parsed(told.get("usage")))
    if "input" in usage or "output" in usage:
        return Usage(input_tokens=count(usage.get("input")), output_tokens=count(usage.get("output")))
    return usage_of(usage)


def _sum(details: Mapping[str, Any], prefix: str) -> int | None:
    numbers = [count(value) for key, value in details.items() if key.startswith(prefix)]
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _with_results(run: Run, tools: Sequence[dict[str, Any]]) -> Run:
    """Results that no later call was sent, for the run ended with them: by id, else the latest of a name."""
    last = run.said[-1].message if run.said else None
    if not isinstance(last, AssistantMessage) or not last.tool_calls:
        return run
    observed = list(tools)
    found = []
    for call in last.tool_calls:
        same = [told for told in observed if call.id and call.id in text(told.get("metadata"))]
        same = same or [told for told in reversed(observed) if first_text(told, "name") == call.name][:1]
        if same:
            observed.remove(same[0])
            content = text(parsed(same[0].get("output")))
            found.append(Said(ToolResultMessage(tool_call_id=call.id, name=call.name, content=content)))
    return Run([*run.said, *found], run.title, run.model, run.system, run.tools, run.stop, run.notices)
