"""A run as a page of its own: it opens from disk, without a server or a network, and steps by the same
keys."""

import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

from core.messages.types import AssistantMessage, Message, SystemMessage, ToolResultMessage
from core.trace import ModelCall, Step, StepKind, Trace
from core.traces.missing import missing

PARTS = {
    StepKind.USER_INPUT: "user",
    StepKind.THOUGHT: "assistant",
    StepKind.TOOL_CALL: "tool-call",
    StepKind.VALIDATION: "tool-call",
    StepKind.EXECUTION: "tool-call",
    StepKind.OBSERVATION: "tool-result",
    StepKind.ANSWER: "assistant",
}
"""Whose colour a step has; the others have that of the template."""


def page_of(trace: Trace) -> str:
    """The page. Its texts are data inside a script element, and reach the screen as text nodes alone."""
    template = resources.files(__package__).joinpath("run.html").read_text("utf-8")
    data = json.dumps(_data(trace), ensure_ascii=False).replace("<", "\\u003c")
    return template.replace("/*DATA*/", data)


def _data(trace: Trace) -> dict[str, Any]:
    cards = list(_cards(trace))
    return {
        "title": trace.title,
        "facts": _facts(trace),
        "notices": list(trace.origin.notices) if trace.origin else [],
        "missing": list(missing(trace)),
        "description": trace.description,
        "tools": [{"name": tool.name, "text": tool.description} for tool in trace.tools or ()],
        "cards": cards,
        "steps": [_step(step) for step in trace.steps],
    }


def _facts(trace: Trace) -> list[str]:
    source = trace.origin.format if trace.origin else f"{trace.source} run"
    calls = len(trace.calls)
    known = [trace.model, source, f"{calls:,} model call{'' if calls == 1 else 's'}"]
    ended = None if trace.stop_reason is None else f"ended: {trace.stop_reason}"
    return [fact for fact in (*known, ended) if fact]


def _cards(trace: Trace) -> Iterator[dict[str, Any]]:
    """The messages; `since` is the number of the step from which one is there, 0 for those before the run."""
    if trace.system is not None:
        yield _card(SystemMessage(content=trace.system), 0, 0)
    for message in trace.history:
        yield _card(message, 0, 0)
    for number, step in enumerate(trace.steps, 1):
        if step.appended is not None:
            yield _card(step.appended, number, step.turn)


def _card(message: Message, since: int, turn: int) -> dict[str, Any]:
    match message:
        case AssistantMessage(content=content, thinking=thinking, tool_calls=calls):
            texts = [("thought", thinking), ("text" if thinking else "", content)]
            parts = [_part("assistant", label, text, turn) for label, text in texts if text]
            parts += [_part("tool-call", call.name, call.arguments, turn, call.id) for call in calls]
            return {"since": since, "role": "assistant", "part": "assistant", "parts": parts}
        case ToolResultMessage():
            label = " · ".join(filter(None, (message.name, "error" if message.is_error else "")))
            parts = [_part("tool-result", label, message.content, turn, message.tool_call_id)]
            return {"since": since, "role": "tool result", "part": "tool-result", "parts": parts}
        case _:
            part = "system-prompt" if isinstance(message, SystemMessage) else "user"
            parts = [_part(part, "", message.content, turn)]
            return {"since": since, "role": message.role, "part": part, "parts": parts}


def _part(part: str, label: str, text: str, turn: int, call_id: str | None = None) -> dict[str, str]:
    """A stretch of a message. Calls and results have an id, and the pair's key: ids occur again in turns."""
    told = {"part": part, "label": label, "text": text}
    return told if call_id is None else told | {"id": call_id, "pair": f"{turn} {call_id}"}


def _step(step: Step) -> dict[str, Any]:
    call = step.tool_call
    return {
        "kind": step.kind.value,
        "part": PARTS.get(step.kind, "template"),
        "turn": step.turn,
        "line": step.line,
        "pair": None if call is None else f"{step.turn} {call.id}",
        "caption": "" if call is None else call.name,
        "text": step.text if step.appended is None else "",
        "facts": [] if step.model_call is None else list(_call_facts(step.model_call)),
    }


def _call_facts(call: ModelCall) -> Iterator[str]:
    for name, number in (("in", call.usage.input_tokens), ("out", call.usage.output_tokens)):
        yield f"tokens {name}: {'not known' if number is None else f'{number:,}'}"
    if call.finish_reason is not None:
        yield f"finish reason: {call.finish_reason}"
    yield from filter(None, (call.failure, *call.notes))
