"""What crosses between the runtime and an MCP server, and what the model sees of it."""

import json
from collections.abc import Sequence
from typing import Any

from core.agent.mcp_wire import WireMessage
from core.figures.loop_timeline import call_text, counted, shortened
from core.messages import ToolCall, ToolSchema
from core.trace import Step
from core.values import Value

LONGEST = 6_000
"""Characters of a message that are shown."""


class Crossing(Value):
    """A message: its way, what it is, and its JSON."""

    to_server: bool
    title: str
    about: str
    text: str


class OfferedTool(Value):
    """A tool that the server offers, as the model is told of it."""

    name: str
    description: str
    fields: str


class McpView(Value):
    """An exchange: `crossings` up to `discovered` belong to the discovery, the rest to the call.

    `call` and `result` are empty where no call was made. `trust` says what to think of what the server wrote.
    """

    tools: tuple[OfferedTool, ...]
    crossings: tuple[Crossing, ...]
    discovered: int
    call: str
    result: str
    is_error: bool
    lesson: str
    trust: str = ""


def mcp_view(
    tools: Sequence[ToolSchema],
    messages: Sequence[WireMessage],
    discovered: int,
    call: ToolCall | None = None,
    steps: Sequence[Step] = (),
) -> McpView:
    """The view of a discovery, and of one call where there is one.

    Args:
        tools: what the server offers.
        messages: everything that crossed, in order.
        discovered: how many messages had crossed when the tools were known.
        call: the call that the model makes.
        steps: what the runtime made of it.
    """
    asked: dict[Any, str] = {}
    crossings = [_crossing(message, asked) for message in messages]
    result = steps[-1].text if steps else ""
    return McpView(
        tools=tuple(
            OfferedTool(
                name=tool.name,
                description=tool.description,
                fields=", ".join(tool.parameters.get("properties", {})),
            )
            for tool in tools
        ),
        crossings=tuple(crossings),
        discovered=discovered,
        call=call_text(call) if call else "",
        result=shortened(result, LONGEST),
        is_error=result.startswith("ERROR: "),
        lesson=_lesson(len(messages), discovered, call is not None),
        trust=UNTRUSTED,
    )


UNTRUSTED = (
    "Not to be trusted: the server is somebody else's program, and what it writes here is text that the "
    "model reads."
)

NOTHING_YET = McpView(
    tools=(),
    crossings=(),
    discovered=0,
    call="",
    result="",
    is_error=False,
    lesson="The campus library is a program of its own. Nothing has crossed yet: choose what is asked of it.",
)
"""Before a server runs."""


def _lesson(messages: int, discovered: int, called: bool) -> str:
    if not called:
        return "The runtime knows the tools now. To the model they are advertised like any other tool."
    if messages == discovered:
        return "Nothing crossed for this call: the runtime's own checks had refused it before."
    crossed = counted(messages - discovered, "message")
    return (
        f"{crossed} crossed for the call. The model saw none of them: an ordinary call, an ordinary result."
    )


def _crossing(message: WireMessage, asked: dict[Any, str]) -> Crossing:
    """What a line is. `asked` remembers which request has which id."""
    to_server = message.direction == "to server"
    try:
        value = json.loads(message.text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        text = shortened(message.text, LONGEST)
        return Crossing(to_server=to_server, title="not JSON-RPC", about="", text=text)
    id_, method = value.get("id"), value.get("method")
    if isinstance(method, str):
        asked[id_] = method
        title, about = method, _ABOUT.get(method, "")
    elif "error" in value:
        title, about = "error", f"The answer to {asked.get(id_, 'a request')} is an error."
    else:
        method = asked.get(id_, "")
        title, about = f"result of {method}" if method else "result", _ANSWERED.get(method, "")
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return Crossing(to_server=to_server, title=title, about=about, text=shortened(text, LONGEST))


_ABOUT = {
    "server/discover": "Who are you, and what do you offer?",
    "initialize": "Who are you, and what do you offer?",
    "notifications/initialized": "We can begin.",
    "tools/list": "Which tools do you have?",
    "tools/call": "Run this one.",
}
_ANSWERED = {
    "server/discover": "Its name, and that it has tools, resources and prompts.",
    "initialize": "Its name, and that it has tools, resources and prompts.",
    "tools/list": "The tools with their schemas.",
    "tools/call": "What the tool returned.",
}
