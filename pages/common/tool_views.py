"""The views of the tool screen that are not about one tool: kinds of tools, and tools of a server."""

from dataclasses import asdict
from typing import Any

import streamlit as st

from core.agent.execution import Executor
from core.agent.mcp_client import discover
from core.figures.kinds_view import kinds_view
from core.figures.mcp_view import NOTHING_YET, McpView, mcp_view, prompt_view, resource_view
from core.messages import ToolCall
from core.teaching.sandbox import Tried, try_all
from core.teaching.tool_axes import TASK, Corner, corners
from core.teaching.tool_bench import LIBRARY_CALLS
from pages.common import run as running
from pages.common import tooling
from pages.common.components import declare
from pages.common.widgets import Widgets

KINDS = declare("tool_kinds", "tools")
AXES = declare("tool_axes", "tools")
SANDBOX = declare("tool_sandbox", "tools")
MCP = declare("tool_mcp", "tools")
WIDGETS = Widgets("tool_")


def mount(component: Any, key: str, view: dict[str, Any]) -> None:
    """Mount the picture of a view. PageDown and PageUp come back from it."""

    def stepped() -> None:
        match st.session_state.get(key, {}).get("step"):
            case int() as by:
                tooling.step(by)

    component(key=key, data={"view": view}, on_step_change=stepped)


@st.cache_resource(show_spinner="The programs run in the sandbox …")
def st_tried() -> tuple[Tried, ...]:
    """What the sandbox makes of each attempt, tried once for all sessions."""
    return try_all()


@st.cache_resource(show_spinner=False)
def st_corners() -> tuple[Corner, ...]:
    """The four corners of format and kind, run once for all sessions."""
    return corners()


def show_kinds(state: tooling.Tooling) -> None:
    """The specific tool and the code tool: on one task, in both formats, and what the sandbox stops."""
    st.segmented_control(
        "What is shown",
        list(tooling.SHOWN),
        format_func=tooling.SHOWN.get,
        key=WIDGETS.key("show", state.show),
        required=True,
        on_change=WIDGETS.setting("show", lambda show: tooling.change(show=show)),
        label_visibility="collapsed",
    )
    if state.show == "axes":
        mount(AXES, "axes", {"task": TASK, "corners": [asdict(corner) for corner in st_corners()]})
    elif state.show == "sandbox":
        mount(SANDBOX, "sandbox", {"tried": [{**asdict(one), **asdict(one.attempt)} for one in st_tried()]})
    else:
        view = kinds_view(running.st_trace("calculator"), running.st_trace("code"))
        mount(KINDS, "kinds", view.model_dump())


@st.cache_resource(show_spinner="The server starts …")
def st_exchange(served: str) -> McpView:
    """Discover the tools of the bundled server and ask one thing of it, once for all sessions."""
    asked = LIBRARY_CALLS.get(served)
    with discover() as server:
        schemas, discovered = [tool.schema for tool in server.tools], len(server.messages)
        if served == "resource":
            offers = server.resources()
            return resource_view(offers, server.read(offers[0].name), server.messages, discovered)
        if served == "prompt":
            offers = server.prompts()
            said = server.prompt(offers[0].name, {offers[0].arguments[0]: "robots that learn"})
            return prompt_view(offers, said, server.messages, discovered)
        if asked is None:
            return mcp_view(schemas, server.messages, discovered)
        call = ToolCall(id="call_1", name=asked.tool, arguments=asked.text)
        steps = tuple(Executor(server.tools).steps((call,), 1))
        return mcp_view(schemas, server.messages, discovered, call, steps)


def show_mcp(state: tooling.Tooling) -> None:
    """What crosses to a server and back; the server is started when somebody asks for it."""
    st.segmented_control(
        "What the runtime asks",
        list(tooling.SERVED),
        format_func=tooling.SERVED.get,
        key=WIDGETS.key("served", state.served or None),
        on_change=WIDGETS.setting("served", lambda served: tooling.change(served=served or "")),
        label_visibility="collapsed",
    )
    mount(MCP, "mcp", (st_exchange(state.served) if state.served else NOTHING_YET).model_dump())
