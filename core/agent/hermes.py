"""Tool calls in the form that Hermes and Qwen were trained on, and that the template `chatml` explains.

    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Oslo"}}
    </tool_call>

`call_grammar` holds a model to it, `read_calls` reads it back. Source: NousResearch, Hermes Function Calling;
Qwen2.5's chat template.
"""

import json
import re
from collections.abc import Sequence
from typing import Literal

from core.messages import strict_json
from core.messages.types import AssistantMessage, ToolCall, ToolSchema

Thought = Literal["none", "may", "must"]

OPENING, CLOSING = "<tool_call>\n", "\n</tool_call>"

SENTENCE = r"/([^<.!?\n]|[.][0-9]){1,200}[.!?]\n/"
"""A thought is one sentence in a line of its own: a small model does not find the end of a longer one."""

TEXT = r"/[^<\n]([^\n]|\n+[^<\n])*\n*/ & ~/(.|\n)*<tool_call>(.|\n)*/"
"""No line of a text begins with `<`, so that one character tells whether a call comes, also after a thought.
No call hides in a text, where nothing would hold it to its schema."""

_OPENS = re.compile(r"<tool_call>\s*")
_CLOSES = re.compile(r"\s*(?:</tool_call>|\Z)")
_ARGUMENTS = re.compile(r'"arguments"\s*:\s*(.*?)\s*\}\Z', re.DOTALL)
_SPACING = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""One way to write an object, as the template does: a small model otherwise spends its tokens on spaces."""


def call_grammar(tools: Sequence[ToolSchema], call: bool, text: bool, thought: Thought = "none") -> str:
    """A Lark grammar, in llguidance's dialect, of a reply: one tool's call, text, or either.

    Without tools only text is left.

    Args:
        thought: whether a sentence stands before the call: none does, it `may`, or it `must`.
    """
    forms = [form for form, wanted in (("call", call and bool(tools)), ("TEXT", text or not tools)) if wanted]
    rules = [f"start: {' | '.join(forms)}"]
    if "call" in forms:
        before = {"none": "", "may": "thought? ", "must": "thought "}[thought]
        rules.append(f"call: {before}({' | '.join(map(_call_rule, range(len(tools)), tools))})")
        rules += [_arguments_rule(number, tool) for number, tool in enumerate(tools)]
        if before:
            rules.append(f"thought: {SENTENCE}")
    if "TEXT" in forms:
        rules.append(f"TEXT: {TEXT}")
    return "\n".join(rules)


def read_calls(text: str) -> AssistantMessage:
    """The message that a reply stands for. What is no call, such as one that was cut off, stays text.

    Its JSON tells where a call ends, for a string in it may hold the closing tag. At the end of the reply
    that tag may be missing.
    """
    calls: list[ToolCall] = []
    rest, at = "", 0
    for opens in _OPENS.finditer(text):
        closes = _CLOSES.match(text, _end_of_json(text, opens.end()))
        call = _read_call(text[opens.end() : closes.start()]) if closes and opens.start() >= at else None
        if closes and call:
            calls.append(call)
            rest, at = rest + text[at : opens.start()], closes.end()
    rest += text[at:]
    return AssistantMessage(content=rest.strip() if calls else text, tool_calls=tuple(calls))


def _end_of_json(text: str, start: int) -> int:
    """Where the JSON value ends that begins at `start`; there again, if none does."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return start
    return end


def _call_rule(number: int, tool: ToolSchema) -> str:
    opening = f'{OPENING}{{"name": {_json(tool.name)}, "arguments": '
    return f"{_json(opening)} arguments_{number} {_json('}' + CLOSING)}"


def _arguments_rule(number: int, tool: ToolSchema) -> str:
    return f"arguments_{number}: %json {_json(tool.parameters | {'x-guidance': _SPACING})}"


def _read_call(written: str) -> ToolCall | None:
    try:
        said = strict_json.parse(written)
    except strict_json.JSONFault:
        return None
    match said:
        case {"name": str(name), "arguments": arguments}:
            # As the model wrote them, where they come last, as they do nearly always.
            sampled = _ARGUMENTS.search(written)
            text = sampled[1] if sampled and _same(sampled[1], arguments) else _json(arguments)
            return ToolCall(id="", name=name, arguments=text)
    return None


def _same(text: str, value: object) -> bool:
    try:
        return bool(strict_json.parse(text) == value)
    except strict_json.JSONFault:
        return False


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
