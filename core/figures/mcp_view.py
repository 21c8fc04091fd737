"""What crosses between the runtime and an MCP server, and who sees and decides what.

Tools are for the model to call, resources for the application to read, prompts for the user to choose: model
controlled, application driven and user controlled (MCP specification 2025-11-25, server features).
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from core.agent.mcp_client import Offer
from core.agent.mcp_wire import WireMessage
from core.figures.loop_timeline import call_text, counted, shortened
from core.messages import Message, ToolCall, ToolSchema
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


class Offered(Value):
    """A tool, a resource or a prompt of the server, as whoever decides on it is told."""

    title: str
    description: str


class Said(Value):
    """A text that somebody wrote, and the part of the context that it is."""

    title: str
    text: str
    part: str
    is_error: bool = False


class McpView(Value):
    """An exchange: `crossings` up to `discovered` belong to the discovery, the rest to what was `asked`.

    `sees` says who sees what stands beside it, and `decides` who decides on it; `part` is the part of the
    context that the offers are. `trust` says what to think of what the server wrote.
    """

    sees: str = "What the model sees"
    decides: str = ""
    part: str = "tool-schemas"
    offered: tuple[Offered, ...] = ()
    said: tuple[Said, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    discovered: int = 0
    asked: str = ""
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
    said = []
    if call:
        said.append(Said(title="its call", text=call_text(call), part="tool-call"))
    if steps:
        result = steps[-1].text
        said.append(
            Said(
                title="the result",
                text=shortened(result, LONGEST),
                part="tool-result",
                is_error=result.startswith("ERROR: "),
            )
        )
    return McpView(
        decides="Tools: the model decides when to call one.",
        offered=tuple(
            Offered(
                title=_signature(tool.name, tool.parameters.get("properties", {})),
                description=tool.description,
            )
            for tool in tools
        ),
        said=tuple(said),
        crossings=_crossings(messages),
        discovered=discovered,
        asked="the call" if call else "",
        lesson=_lesson(len(messages), discovered, call is not None),
        trust=UNTRUSTED,
    )


def resource_view(
    offers: Sequence[Offer], text: str, messages: Sequence[WireMessage], discovered: int
) -> McpView:
    """The view of a resource that was read; the messages as in `mcp_view`."""
    return McpView(
        sees="What the application sees",
        decides="Resources: the application decides which to read, and what goes into the context.",
        part="retrieved",
        offered=tuple(Offered(title=offer.name, description=offer.description) for offer in offers),
        said=(Said(title="its text", text=shortened(text, LONGEST), part="retrieved"),),
        crossings=_crossings(messages),
        discovered=discovered,
        asked="the resource",
        lesson="The model asked for nothing. It sees the text if the application puts it into the context.",
        trust=UNTRUSTED,
    )


def prompt_view(
    offers: Sequence[Offer], said: Sequence[Message], messages: Sequence[WireMessage], discovered: int
) -> McpView:
    """The view of a prompt that was chosen; the messages that cross as in `mcp_view`."""
    return McpView(
        sees="What the user sees",
        decides="Prompts: reusable templates. The user chooses one, from a menu or as a slash command, and "
        "fills it in. It is no form of a tool call.",
        part="user",
        offered=tuple(
            Offered(title=_signature(offer.name, offer.arguments), description=offer.description)
            for offer in offers
        ),
        said=tuple(
            Said(title=f"a message of role {one.role}", text=shortened(one.content, LONGEST), part="user")
            for one in said
        ),
        crossings=_crossings(messages),
        discovered=discovered,
        asked="the prompt",
        lesson="The server writes the message, the user sends it: to the model it is the user's.",
        trust=UNTRUSTED,
    )


UNTRUSTED = (
    "Not to be trusted: the server is somebody else's program, and what it writes here is text that the "
    "model reads, orders to the model included (prompt injection)."
)

NOTHING_YET = McpView(
    decides="MCP standardises what a server offers: tools, which the model calls; resources, which the "
    "application reads; and prompts, reusable templates that the user chooses (a slash command, a menu "
    "item; no tool call).",
    lesson="The campus library is a program of its own: written once, for every client that speaks MCP. "
    "Nothing has crossed yet: choose what is asked of it.",
)
"""Before a server runs."""


def _signature(name: str, arguments: Iterable[str]) -> str:
    return f"{name}({', '.join(arguments)})"


def _lesson(messages: int, discovered: int, called: bool) -> str:
    if not called:
        return (
            "The runtime knows the tools now. It asked at run time; none of them is written into its code. "
            "To the model they are advertised like any other tool."
        )
    if messages == discovered:
        return "Nothing crossed for this call: the runtime's own checks had refused it before."
    crossed = counted(messages - discovered, "message")
    return (
        f"{crossed} crossed for the call. The model saw none of them and knows nothing of MCP: an ordinary "
        "call, an ordinary result."
    )


def _crossings(messages: Sequence[WireMessage]) -> tuple[Crossing, ...]:
    asked: dict[Any, str] = {}
    return tuple(_crossing(message, asked) for message in messages)


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
    "resources/list": "Which resources do you have?",
    "resources/read": "Give me this one.",
    "prompts/list": "Which prompts do you have?",
    "prompts/get": "Fill this one in.",
}
_ANSWERED = {
    "server/discover": "Its name, and that it has tools, resources and prompts.",
    "initialize": "Its name, and that it has tools, resources and prompts.",
    "tools/list": "The tools with their schemas.",
    "tools/call": "What the tool returned.",
    "resources/list": "The resources, each with its URI.",
    "resources/read": "The text of the resource.",
    "prompts/list": "The prompts with their arguments.",
    "prompts/get": "The messages that it stands for.",
}
