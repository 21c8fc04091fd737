"""Spans as files hold them: OTLP as JSON, whose attributes are typed wrappers, or what an SDK prints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.traces.shape import is_whole, items, mapping, objects, text

MOST_ATTRIBUTES = 100_000
"""Of one span; the messages of a long conversation are two or more each."""

MOST_LEVELS = 32
"""Of nesting, in values and in the names of attributes."""


@dataclass(frozen=True)
class Span:
    """A span with its attributes as plain values; times are as the file writes them."""

    trace: str
    id: str
    parent: str
    name: str
    start: tuple[int, str]
    told: Mapping[str, Any]
    events: Sequence[tuple[str, Mapping[str, Any]]]


def spans_of(value: Any) -> Iterator[Span]:
    """The spans of a file, in its order; none where it is something else."""
    for holder in objects(value if isinstance(value, list) else [value]):
        groups = [*objects(holder.get("resourceSpans")), *objects(holder.get("batches"))]
        for group in groups or objects(mapping(holder.get("trace")).get("resourceSpans")):
            scopes = group.get("scopeSpans") or group.get("instrumentationLibrarySpans")
            for scope in objects(scopes):
                for told in filter(is_whole, objects(scope.get("spans"))):
                    yield _of_otlp(told)
        if isinstance(holder.get("attributes"), dict) and ("context" in holder or "span_id" in holder):
            yield _of_sdk(holder)


def _of_otlp(told: dict[str, Any]) -> Span:
    return Span(
        trace=text(told.get("traceId")),
        id=text(told.get("spanId")),
        parent=text(told.get("parentSpanId")),
        name=text(told.get("name")),
        start=_time(told.get("startTimeUnixNano")),
        told=_attributes(told.get("attributes")),
        events=[
            (text(event.get("name")), _attributes(event.get("attributes")))
            for event in objects(told.get("events"))
        ],
    )


def _of_sdk(told: dict[str, Any]) -> Span:
    context = mapping(told.get("context")) or told
    return Span(
        trace=text(context.get("trace_id")),
        id=text(context.get("span_id")),
        parent=text(told.get("parent_id")),
        name=text(told.get("name")),
        start=_time(told.get("start_time")),
        told=mapping(told.get("attributes")),
        events=[
            (text(event.get("name")), mapping(event.get("attributes")))
            for event in objects(told.get("events"))
        ],
    )


def _time(told: Any) -> tuple[int, str]:
    """Something to sort by: nanoseconds as number or text, or an ISO date."""
    written = text(told)
    return (
        (int(written), "") if written.isascii() and written.isdigit() and len(written) < 30 else (0, written)
    )


def _attributes(told: Any) -> dict[str, Any]:
    return {text(pair.get("key")): _plain(pair.get("value")) for pair in objects(told)[:MOST_ATTRIBUTES]}


def _plain(value: Any, level: int = 0) -> Any:
    """The value in OTLP's typed wrapper."""
    told = mapping(value)
    if level > MOST_LEVELS:
        return None
    if "arrayValue" in told:
        return [_plain(item, level + 1) for item in items(mapping(told["arrayValue"]).get("values"))]
    if "kvlistValue" in told:
        pairs = objects(mapping(told["kvlistValue"]).get("values"))
        return {text(pair.get("key")): _plain(pair.get("value"), level + 1) for pair in pairs}
    return next(iter(told.values()), None)


def numbered(told: Mapping[str, Any], prefix: str) -> list[Any]:
    """The list that keys like `prefix.0.message.tool_calls.1.tool_call.id` spell out."""
    tree: dict[str, Any] = {}
    for key, value in told.items():
        if key.startswith(prefix + "."):
            branch = tree
            *way, last = key[len(prefix) + 1 :].split(".")[:MOST_LEVELS]
            for name in way:
                branch = branch.setdefault(name, {})
                if not isinstance(branch, dict):
                    break
            else:
                branch[last] = value
    return [_as_message(item) for item in _listed(tree)]


def _listed(tree: Any) -> list[Any]:
    numbers = [key for key in mapping(tree) if key.isascii() and key.isdigit() and len(key) < 9]
    return [tree[key] for key in sorted(numbers, key=int)]


def _as_message(item: Any) -> dict[str, Any]:
    """A message of the tree: OpenInference wraps each thing into its name, OpenLLMetry does not."""
    told = mapping(mapping(item).get("message")) or mapping(item)
    message = {key: value for key, value in told.items() if not isinstance(value, dict)}
    if "tool" in told:
        return dict(told)
    contents = [mapping(content) for content in _listed(told.get("contents"))]
    if contents and "content" not in message:
        message["content"] = [mapping(content.get("message_content")) or content for content in contents]
    calls = _listed(told.get("tool_calls"))
    if calls:
        message["tool_calls"] = [mapping(mapping(call).get("tool_call")) or call for call in calls]
    return message
