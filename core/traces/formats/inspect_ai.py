"""Inspect's logs: .json, and .eval, a zip of `header.json` and `samples/*.json`. Every sample is a run.

Source: Inspect's documentation, "Log files". Long texts are replaced by `attachment://<hash>`, and the
messages of the events by ranges of a pool. Usage and tools stand in the events of model calls, whose replies
have the ids of the sample's messages.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.traces.conversation import read_message, read_tools
from core.traces.files import Content
from core.traces.run import Notices, Run
from core.traces.shape import first_text, items, mapping, objects, text, usage_of

NAME = "Inspect"
ATTACHMENT = "attachment://"
HEADERS = ("header.json", "_journal/start.json")


def matches(value: Any) -> bool:
    """Whether the value is a log with samples, or a single sample."""
    told = mapping(value)
    if isinstance(told.get("eval"), dict):
        return "samples" in told or "plan" in told
    return "epoch" in told and isinstance(told.get("messages"), list)


def matches_zip(content: Content) -> bool:
    """Whether a zip holds the members of an .eval file."""
    members = content.members or {}
    return any(name in members for name in HEADERS) or any(map(_is_sample, members))


def read(value: Any) -> Iterator[Run]:
    """A run for each sample."""
    samples = objects(value.get("samples")) if "eval" in value else [value]
    for sample in samples:
        yield _run(mapping(value.get("eval")), sample)


def read_zip(content: Content) -> Iterator[Run]:
    """A run for each member `samples/*.json`."""
    members = content.members or {}
    header = next((members[name] for name in HEADERS if name in members), None)
    for name in filter(_is_sample, members):
        yield _run(mapping(mapping(header).get("eval")), mapping(members[name]))


def _is_sample(name: str) -> bool:
    return name.startswith("samples/")


def _run(about: dict[str, Any], sample: dict[str, Any]) -> Run:
    notices = Notices()
    attachments = mapping(sample.get("attachments"))
    # A model event that is still pending has no output yet.
    calls = [event for event in objects(sample.get("events")) if event.get("event") == "model"]
    replies = {first_text(_choice(call), "id"): call for call in calls if _choice(call)}
    said = []
    for number, message in enumerate(_messages(sample, calls), 1):
        for one in read_message(_resolved(message, attachments), notices, number):
            call = replies.get(first_text(mapping(message), "id")) if _is_reply(message) else None
            if call is not None:
                reason = first_text(objects(mapping(call.get("output")).get("choices"))[0], "stop_reason")
                usage = usage_of(mapping(call.get("output")).get("usage"))
                one = replace(one, usage=usage, finish_reason=reason or None)
            said.append(one)
    tools = next((items(call.get("tools")) for call in reversed(calls) if call.get("tools")), None)
    limit = text(mapping(sample.get("limit")).get("type"))
    error = text(mapping(sample.get("error")).get("message"))
    task = first_text(about, "task") or "sample"
    return Run(
        said,
        title=f"{task} · {text(sample.get('id'))} · epoch {text(sample.get('epoch'))}",
        model=first_text(about, "model") or None,
        tools=read_tools(_resolved(tools, attachments), notices),
        stop=f"limit: {limit}" if limit else f"error: {error}" if error else "",
        notices=tuple(notices),
    )


def _messages(sample: dict[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    """The messages of a sample; where it holds none, what its last model call was sent and replied."""
    if items(sample.get("messages")) or not calls:
        return items(sample.get("messages"))
    pool, sent = items(sample.get("message_pool")), items(calls[-1].get("input"))
    for bounds in items(calls[-1].get("input_refs")):
        if isinstance(bounds, list) and len(bounds) == 2 and all(isinstance(bound, int) for bound in bounds):
            sent = [*sent, *pool[max(bounds[0], 0) : max(bounds[1], 0)]]
    return [*sent, *filter(None, [_choice(calls[-1])])]


def _choice(call: dict[str, Any]) -> dict[str, Any]:
    choices = objects(mapping(call.get("output")).get("choices"))
    return mapping(choices[0].get("message")) if choices else {}


def _is_reply(message: Any) -> bool:
    return mapping(message).get("role") == "assistant"


def _resolved(value: Any, attachments: Mapping[str, Any]) -> Any:
    """The value with its references replaced by what they refer to."""
    if isinstance(value, str):
        if not value.startswith(ATTACHMENT):
            return value
        return text(attachments.get(value.removeprefix(ATTACHMENT), value))
    if isinstance(value, dict):
        return {key: _resolved(member, attachments) for key, member in value.items()}
    if isinstance(value, list):
        return [_resolved(member, attachments) for member in value]
    return value
