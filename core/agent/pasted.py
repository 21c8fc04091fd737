"""A tool call that a person pastes, as a model or a provider writes it."""

import re
from collections.abc import Iterator
from typing import Any

import pydantic_core

from core.agent.execution import CUT_OFF
from core.agent.repair import unfenced
from core.agent.tools import well_formed
from core.errors import InputError
from core.messages import AssistantMessage, ToolCall, from_wire, strict_json
from core.values import Value

LONGEST = 8_000
"""Characters of a call."""

_TAGGED = re.compile(r"\s*<tool_call>(.*?)(?:</tool_call>)?\s*", re.DOTALL)

DIALECTS = {
    "openai-chat": "OpenAI chat",
    "openai-responses": "OpenAI Responses",
    "anthropic": "Anthropic",
    "ollama": "Ollama",
}
"""What a screen calls each provider's form."""


class PastedCall(Value):
    """A call that was pasted: `form` says as what it was read, and `others` how many calls stood beside it.

    `refused` is why it may not even be checked; empty where it may. `is_broken`: it is a whole call, but no
    JSON; then `call.arguments` is all that was written.
    """

    call: ToolCall
    form: str
    others: int = 0
    refused: str = ""
    is_broken: bool = False


def read_call(text: str, tool: str) -> PastedCall:
    """The first call in a text.

    A JSON text in the form of a provider (a call, a message, or a whole reply), or of a model's own writing
    (`{"name": …, "arguments": …}`, with or without its tags), is that call, also where it is cut off.
    Everything else is the text of the arguments with which `tool` is called, whatever may be wrong with it.

    Raises:
        InputError: the text is too long, or in a provider's form, but not readable as such.
    """
    if len(text) > LONGEST:
        raise InputError(
            f"The call has {len(text):,} characters, and at most {LONGEST:,} are read: shorten it."
        )
    text = well_formed(text)
    tagged = _TAGGED.fullmatch(text)
    inside = tagged[1] if tagged else unfenced(text)
    try:
        value = strict_json.parse(text if inside is None else inside)
    except strict_json.JSONFault as fault:
        if broken := _broken(text if inside is None else inside, fault, tool):
            return broken
        value = None
    dialect = _dialect(value)
    if dialect:
        messages = from_wire(_whole(value), dialect)
        calls = [call for said in messages if isinstance(said, AssistantMessage) for call in said.tool_calls]
        if calls:
            refused = CUT_OFF if _is_cut_off(value) else ""
            form = f"a call in the form of {DIALECTS[dialect]}"
            return PastedCall(call=_named(calls[0]), form=form, others=len(calls) - 1, refused=refused)
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        for key in ("arguments", "parameters"):
            if key in value:
                written = {"function": {"name": value["name"], "arguments": value[key]}}
                (message,) = from_wire({"role": "assistant", "tool_calls": [written]}, "openai-chat")
                assert isinstance(message, AssistantMessage)
                form = "a call as a model writes it into its text"
                return PastedCall(call=_named(message.tool_calls[0]), form=form)
    return PastedCall(call=ToolCall(id="call_1", name=tool, arguments=text), form=f"the arguments of {tool}")


def _broken(text: str, fault: strict_json.JSONFault, tool: str) -> PastedCall | None:
    """A whole call that is no JSON, cut off in the middle say; `None` for what is the text of arguments."""
    try:
        begun = pydantic_core.from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return None
    dialect = _dialect(begun)
    own = isinstance(begun, dict) and "name" in begun and ("arguments" in begun or "parameters" in begun)
    if not dialect and not own:
        return None
    call = ToolCall(id="call_1", name=next(_names(begun), tool), arguments=text)
    form = (
        f"a call in the form of {DIALECTS[dialect]}"
        if dialect
        else "a call as a model writes it into its text"
    )
    return PastedCall(
        call=call,
        form=f"{form}, but no JSON",
        refused=f"invalid JSON in the call: {fault}",
        is_broken=True,
    )


def _names(value: Any) -> Iterator[str]:
    """What stands under `name`, from the outside in."""
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        yield value["name"]
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names(member)


def _named(call: ToolCall) -> ToolCall:
    return call if call.id else call.model_copy(update={"id": "call_1"})


def _dialect(value: Any) -> str:
    """Whose form a JSON value has, by the fields that only one of them has; empty if nobody's."""
    if isinstance(value, list):
        return next(filter(None, map(_dialect, value)), "")
    if not isinstance(value, dict):
        return ""
    match value:
        case {"type": "function_call"} | {"output": list()}:
            return "openai-responses"
        case {"type": "tool_use"}:
            return "anthropic"
        case {"content": list(blocks)} if _dialect(blocks) == "anthropic":
            return "anthropic"
        case {"choices": [{"message": dict(message)}, *_]} | {"message": dict(message)}:
            return _dialect(message) or "openai-chat"
        case {"messages": list(messages)}:
            return _dialect(messages)
        case {"input": list(items)}:
            return _dialect(items)
        case {"tool_calls": [first, *_]}:
            return _dialect(first)
        case {"function": {"arguments": dict()}}:
            return "ollama"
        case {"function": {"name": _}}:
            return "openai-chat"
    return ""


def _whole(value: Any) -> Any:
    """A call alone as the message that carries it."""
    if isinstance(value, list) and all(isinstance(one, dict) and "function" in one for one in value):
        return {"role": "assistant", "tool_calls": value}
    if isinstance(value, list) and any(
        isinstance(one, dict) and one.get("type") == "tool_use" for one in value
    ):
        return {"role": "assistant", "content": value}
    if isinstance(value, dict) and "function" in value:
        return {"role": "assistant", "tool_calls": [value]}
    if isinstance(value, dict) and value.get("type") == "tool_use":
        return {"role": "assistant", "content": [value]}
    return value


def _is_cut_off(value: Any) -> bool:
    """Whether a reply says of itself that it ended at the token limit, in the words of its provider."""
    match value:
        case {"choices": [{"finish_reason": "length"}, *_]} | {"stop_reason": "max_tokens"}:
            return True
        case {"done_reason": "length"} | {"status": "incomplete"}:
            return True
    return False
