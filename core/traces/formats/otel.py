"""OpenTelemetry spans of model calls: the GenAI conventions, and OpenInference's.

Sources: OpenTelemetry's semantic conventions for generative AI (`gen_ai.input.messages` and
`gen_ai.output.messages`, earlier events and `gen_ai.prompt.0.role`); OpenInference's specification
(`llm.input_messages.0.message.role`). A trace becomes the runs that its model calls make.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.messages.reply import Usage
from core.messages.types import AssistantMessage, ToolResultMessage
from core.traces.calls import Call, runs_of
from core.traces.conversation import read_message, read_tools
from core.traces.lenient_json import parsed
from core.traces.run import Notices, Run, Said
from core.traces.shape import count, first_text, items, mapping, text
from core.traces.spans import Span, numbered, spans_of

NAME = "OpenTelemetry"
MODEL_CALLS = ("chat", "text_completion", "generate_content", "completion")
EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
MARKS = (
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.prompt.0.role",
    "gen_ai.completion.0.role",
)


def matches(value: Any) -> bool:
    """Whether the value holds spans."""
    return next(spans_of(value), None) is not None


def read(value: Any) -> Iterator[Run]:
    """The runs of each trace, in the order of time."""
    traces: dict[str, list[Span]] = {}
    for span in spans_of(value):
        traces.setdefault(span.trace, []).append(span)
    for spans in traces.values():
        spans.sort(key=lambda span: span.start)
        yield from _runs(spans)


def _runs(spans: Sequence[Span]) -> Iterator[Run]:
    calling = [span for span in spans if _is_model_call(span)]
    parents = {span.id: span.parent for span in spans}
    inside = {ancestor for span in calling for ancestor in _ancestors(span.parent, parents)}
    # An outer one tells the same again. In a circle none is the outer one.
    calls = [_call(span) for span in calling if span.id not in inside] or [_call(span) for span in calling]
    results = [result for span in spans if (result := _tool_result(span)) is not None]
    for run in runs_of(calls):
        yield _with_results(run, results)
    if not calls:
        names = ", ".join(dict.fromkeys(span.name for span in spans[:5]))
        notices = (f"No span of this trace is a model call with its messages; it holds {names:.200}.",)
        yield Run((), title=spans[0].name, notices=notices)


def _ancestors(span: str, parents: Mapping[str, str]) -> Iterator[str]:
    seen: set[str] = set()
    while span and span not in seen:
        yield span
        seen.add(span)
        span = parents.get(span, "")


def _is_model_call(span: Span) -> bool:
    told = span.told
    kind = told.get("openinference.span.kind")
    if kind is not None:
        return str(kind) == "LLM"
    operation = told.get("gen_ai.operation.name")
    if operation is not None and operation not in MODEL_CALLS:
        return False
    return operation is not None or any(mark in told for mark in MARKS)


def _call(span: Span) -> Call:
    notices = Notices()
    told = dict(span.told)
    for name, attributes in span.events:
        if name == "gen_ai.client.inference.operation.details":
            told |= attributes
    sent = parsed(told.get("gen_ai.input.messages"))
    reply = parsed(told.get("gen_ai.output.messages"))
    if sent is None and reply is None:
        sent, reply = numbered(told, "llm.input_messages"), numbered(told, "llm.output_messages")
    if not sent and not reply:
        sent, reply = numbered(told, "gen_ai.prompt"), numbered(told, "gen_ai.completion")
    if not sent and not reply:
        sent, reply = _of_events(span.events)
    instructions = parsed(told.get("gen_ai.system_instructions"))
    system = [{"role": "system", "content": instructions}] if instructions else []
    replies = ({"role": "assistant", **mapping(item)} for item in items(reply)[:1])
    answer = [one for item in replies for one in read_message(item, notices)]
    reasons = [text(reason) for reason in items(parsed(told.get("gen_ai.response.finish_reasons")))]
    usage = Usage(
        input_tokens=_first_count(
            told, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"
        ),
        output_tokens=_first_count(
            told, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"
        ),
    )
    tools = parsed(told.get("gen_ai.tool.definitions"))
    if not isinstance(tools, list):
        tools = [_tool(item) for item in numbered(told, "llm.tools")] or None
    return Call(
        [*system, *items(sent)],
        [Said(one.message, usage, one.finish_reason or next(iter(reasons), None)) for one in answer[:1]],
        model=first_text(told, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name") or None,
        tools=read_tools(tools, notices),
        title=first_text(told, "gen_ai.agent.name"),
        notices=notices,
    )


def _of_events(events: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[list[Any], list[Any]]:
    """Messages of the conventions up to 1.36, which were events."""
    sent: list[Any] = []
    reply: list[Any] = []
    for name, told in events:
        body = {key: parsed(value) for key, value in told.items()}
        if name in EVENT_ROLES:
            call_id = {"tool_call_id": body.get("id")} if name == "gen_ai.tool.message" else {}
            sent.append({"role": EVENT_ROLES[name], **body, **call_id})
        elif name == "gen_ai.choice":
            reply.append(mapping(body.get("message")) or body)
    return sent, reply


def _tool(item: dict[str, Any]) -> dict[str, Any]:
    told = mapping(item.get("tool"))
    schema = mapping(parsed(told.get("json_schema")))
    flat = mapping(schema.get("function")) or schema
    own = {key: told[key] for key in ("name", "description") if isinstance(told.get(key), str)}
    if "properties" in flat and "parameters" not in flat:  # the schema alone
        flat = {"parameters": flat}
    return {**flat, **own}


def _first_count(told: Mapping[str, Any], *keys: str) -> int | None:
    return next((number for key in keys if (number := count(told.get(key))) is not None), None)


def _tool_result(span: Span) -> ToolResultMessage | None:
    told = span.told
    if told.get("gen_ai.operation.name") == "execute_tool":
        call_id, result = first_text(told, "gen_ai.tool.call.id"), told.get("gen_ai.tool.call.result")
    elif told.get("openinference.span.kind") == "TOOL":
        call_id, result = first_text(told, "tool_call.id", "tool.id"), told.get("output.value")
    else:
        return None
    if not call_id or result is None:
        return None
    name = first_text(told, "gen_ai.tool.name", "tool.name") or None
    return ToolResultMessage(tool_call_id=call_id, content=text(result), name=name)


def _with_results(run: Run, results: Sequence[ToolResultMessage]) -> Run:
    """Results that no later call was sent: those of the last reply, for the run ended with them."""
    last = run.said[-1].message if run.said else None
    if not isinstance(last, AssistantMessage) or not last.tool_calls:
        return run
    asked = {call.id for call in last.tool_calls}
    found = [Said(result) for result in results if result.tool_call_id in asked]
    return Run([*run.said, *found], run.title, run.model, run.system, run.tools, run.stop, run.notices)
