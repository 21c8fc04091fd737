"""What is set on the tool screen: one value in the session, and in the address."""

from dataclasses import dataclass, replace

import streamlit as st

from core.agent import Tool
from core.agent.pasted import LONGEST
from core.agent.pasted_schema import parameters_text, read_schema
from core.errors import InputError
from core.figures.tool_view import FAMILIES
from core.messages import ToolSchema
from core.teaching.tool_bench import BENCH, EXAMPLES, LIBRARY_CALLS, ExampleCall
from pages.common import address
from pages.common.page import opened

KEY = "state of the tool screen"
VIEWS = {
    "model": "What the model sees",
    "call": "A call",
    "wire": "Four APIs",
    "interface": "Interface (ACI)",
    "kinds": "Specific or code",
    "mcp": "MCP",
}
SERVED = {
    **{name: call.title if call else "Discover its tools" for name, call in LIBRARY_CALLS.items()},
    "resource": "Read a resource",
    "prompt": "Get a prompt",
}
"""What can be asked of the MCP server."""

SHOWN = {"task": "On one task", "axes": "Format and kind", "sandbox": "The sandbox"}
"""What is shown of the two kinds of tools."""

FIELDS = ("name", "description", "parameters")
NAMES = {"view", "tool", "template", "turn", "call", "repair", "served", "show", *FIELDS}
EMPTY = "{}"  # an empty call means the same, and an empty value is left out of the address

Drafts = tuple[str, str, str]


@dataclass(frozen=True)
class Tooling:
    """`tool`: the bundled tool in view. `drafts`: its name, description and parameters as they are written.

    `schema`: the last one that could be read of them; `problem`: why the drafts cannot be, or empty. `call`:
    the text of the call. `turn`: whether the model's text is shown with the call and its result. `repair`:
    whether Python literals are read. `served`: what was asked of the MCP server, or empty. `show`: which
    of `SHOWN`. `notice`: a sentence about a bad address, or empty.
    """

    tool: str
    drafts: Drafts
    schema: ToolSchema
    call: str
    problem: str = ""
    view: str = "model"
    template: str = "chatml"
    turn: bool = False
    repair: bool = False
    served: str = ""
    show: str = "task"
    notice: str = ""

    @property
    def edited(self) -> bool:
        """Whether the schema is written otherwise than the bundled one."""
        return self.drafts != drafts_of(self.tool)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that are advertised: the bundled ones, that in view with its schema as it is now."""
        return tuple(
            Tool(self.schema, bench.tool.function) if name == self.tool else bench.tool
            for name, bench in BENCH.items()
        )

    @property
    def example(self) -> ExampleCall | None:
        """The example that the call is, if it is one."""
        own = (example for example in EXAMPLES if (example.tool, example.text) == (self.tool, self.call))
        return next(own, None)


def on_opening() -> Tooling:
    """The state of this session; where the screen was opened by a link, what its address says."""
    if KEY not in st.session_state or (opened() and NAMES & set(st.query_params)):
        st.session_state[KEY] = _from_address()
    return current()


def current() -> Tooling:
    """The state of this session."""
    return st.session_state[KEY]


def change(**changes: object) -> None:
    """Change the state in part."""
    st.session_state[KEY] = replace(current(), notice="", **changes)


def choose_tool(tool: str) -> None:
    """Take a bundled tool into view, as it is bundled, with a call that is right."""
    change(
        tool=tool, drafts=drafts_of(tool), schema=BENCH[tool].tool.schema, problem="", call=BENCH[tool].call
    )


def put_back() -> None:
    """Take the bundled schema in place of the edited one."""
    change(drafts=drafts_of(current().tool), schema=BENCH[current().tool].tool.schema, problem="")


def choose_example(example: ExampleCall) -> None:
    """Take an example into view. A schema that was edited stays, where the example is a call of its tool."""
    if example.tool != current().tool:
        choose_tool(example.tool)
    change(call=example.text)


def edit(field: str, text: str) -> None:
    """Write one of the `FIELDS` otherwise. Where the schema cannot be read then, the last one stays."""
    drafts = dict(zip(FIELDS, current().drafts, strict=True)) | {field: text}
    change(**_read(current().tool, (drafts["name"], drafts["description"], drafts["parameters"])))


def step(by: int) -> None:
    """Go on to the next, or back to the one before: template, example, tool, or picture, by the view."""
    state = current()
    if state.view == "model":
        change(template=_beside(list(FAMILIES), state.template, by))
    elif state.view in ("call", "wire"):
        titles = {example.title: example for example in EXAMPLES}
        at = state.example.title if state.example else ""
        choose_example(titles[_beside(list(titles), at, by)])
    elif state.view == "interface":
        choose_tool(_beside(list(BENCH), state.tool, by))
    elif state.view == "kinds":
        change(show=_beside(list(SHOWN), state.show, by))
    elif state.view == "mcp":
        change(served=_beside(list(SERVED), state.served, by))


def write_address() -> None:
    """Put the state into the address."""
    state, bundled = current(), drafts_of(current().tool)
    wanted = {
        "view": "" if state.view == "model" else state.view,
        "tool": state.tool,
        "template": "" if state.template == "chatml" else state.template,
        "call": "" if state.call == BENCH[state.tool].call else state.call or EMPTY,
        "turn": "1" if state.turn else "",
        "repair": "1" if state.repair else "",
        "served": state.served,
        "show": "" if state.show == "task" else state.show,
    }
    for field, draft, own in zip(FIELDS, state.drafts, bundled, strict=True):
        wanted[field] = "" if draft == own else draft
    # What is too long to be read, as the screen then says, is too long for an address as well.
    address.write({name: text if len(text) <= LONGEST else "" for name, text in wanted.items()})


def drafts_of(tool: str) -> Drafts:
    """A bundled schema as it stands in the fields."""
    schema = BENCH[tool].tool.schema
    return schema.name, schema.description, parameters_text(schema)


def _from_address() -> Tooling:
    """What fits of the address; a student may have typed it."""
    asked = st.query_params
    tool = asked.get("tool", "get_weather")
    notice = "" if tool in BENCH else "The address names a tool that does not exist; this is the first one."
    tool = next(iter(BENCH)) if notice else tool
    name, description, parameters = (
        asked.get(field, own) for field, own in zip(FIELDS, drafts_of(tool), strict=True)
    )
    state = Tooling(
        tool=tool,
        drafts=drafts_of(tool),
        schema=BENCH[tool].tool.schema,
        call=asked.get("call", BENCH[tool].call),
        view=asked["view"] if asked.get("view") in VIEWS else "model",
        template=asked["template"] if asked.get("template") in FAMILIES else "chatml",
        turn=asked.get("turn") == "1",
        repair=asked.get("repair") == "1",
        served=asked["served"] if asked.get("served") in SERVED else "",
        show=asked["show"] if asked.get("show") in SHOWN else "task",
        notice=notice,
    )
    return replace(state, **_read(tool, (name, description, parameters)))


def _read(tool: str, drafts: Drafts) -> dict[str, object]:
    """What changes with drafts that are written otherwise."""
    try:
        if drafts[0] in BENCH and drafts[0] != tool:
            raise InputError(f"Another tool is called {drafts[0]}: give this one a name of its own.")
        return {"drafts": drafts, "schema": read_schema(*drafts), "problem": ""}
    except InputError as error:
        return {"drafts": drafts, "problem": str(error)}


def _beside(names: list[str], name: str, by: int) -> str:
    """The name before or after one, without leaving the list."""
    at = names.index(name) + by if name in names else 0
    return names[max(0, min(len(names) - 1, at))]
