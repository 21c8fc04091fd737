"""The tool screen: what the model sees of a tool, and what happens to a call."""

import streamlit as st

from core.agent import Guards
from core.agent.execution import Executor
from core.agent.interface import check_interface
from core.agent.pasted import PastedCall, read_call
from core.errors import InputError
from core.figures.call_view import call_view
from core.figures.tool_view import FAMILIES, seen_view, source_of
from core.figures.wire_view import wire_view
from core.lab.lab import Lab
from core.lab.tools import tools_lab
from core.lm import load_tokenizer
from core.messages import AssistantMessage
from core.scenarios.faults import own_data_only
from core.teaching.tool_bench import BENCH, EXAMPLES
from core.teaching.tool_terms import TERMS
from core.trace import Step
from pages.common import lab, tooling
from pages.common.components import declare
from pages.common.page import configure, heading, monospaced
from pages.common.terms import button_of, show_terms
from pages.common.tool_views import WIDGETS, mount, show_kinds, show_mcp

SEEN = declare("tool_seen", "tools")
CALL = declare("tool_call", "tools")
WIRE = declare("tool_wire", "tools")
INTERFACE = declare("tool_interface", "tools")
RAN = "call that was run"  # session: what it was, and what came of it
GUARDS = Guards(timeout=10.0, result_chars=3_000)


def choose_tool(state: tooling.Tooling) -> None:
    """Show the menu of tools."""
    st.selectbox(
        "Tool",
        list(BENCH),
        key=WIDGETS.key("menu", state.tool),
        format_func=lambda name: f"{name} (edited)" if name == state.tool and state.edited else name,
        on_change=WIDGETS.setting("menu", tooling.choose_tool),
        label_visibility="collapsed",
    )


def choose_view(state: tooling.Tooling) -> None:
    """Show the ways to look at a tool, each with its key."""
    with st.container(horizontal=True, gap="small"):
        for digit, (view, title) in enumerate(tooling.VIEWS.items(), start=1):
            st.button(
                title,
                shortcut=str(digit),
                type="primary" if view == state.view else "secondary",
                on_click=tooling.change,
                kwargs={"view": view},
            )
        show_terms(TERMS[state.view])
        if state.view in OF_THE_RUNTIME:
            show_function(state.tool)


def show_function(tool: str) -> None:
    """Show, behind a button, what the runtime runs when the tool is called."""
    shown, body = button_of("Its function", "function", width="content")
    if not shown:
        return
    with body:
        st.code(source_of(BENCH[tool].tool.function), language="python", wrap_lines=True)
        st.caption(
            "The model never sees it: a call names it, and the runtime looks the name up and runs it. The "
            "schema is made of its name, its docstring and the types of its arguments. A `reason` is "
            "accepted and not used: it is for the trajectory, the log of the run. `search` keeps the "
            "passages that share a word with the query, best first. The functions here are simplified "
            "examples: most look something up in a small table, where others ask a service."
        )


def write_schema(state: tooling.Tooling) -> None:
    """Show the schema in fields."""
    name, description, parameters = state.drafts
    st.text_input(
        "Name",
        key=WIDGETS.key("name", name),
        on_change=WIDGETS.setting("name", lambda text: tooling.edit("name", text)),
    )
    st.text_area(
        "Description: when to use it",
        height=88,
        key=WIDGETS.key("description", description),
        on_change=WIDGETS.setting("description", lambda text: tooling.edit("description", text)),
    )
    st.text_area(
        "Parameters, in JSON Schema: what a call may hold",
        height=300,
        key=WIDGETS.key("parameters", parameters),
        on_change=WIDGETS.setting("parameters", lambda text: tooling.edit("parameters", text)),
    )
    st.caption(
        "The developer writes these; the API fixes the envelope around them. Every call sends it, in "
        "`tools`: from the description the model decides whether to call."
    )
    if state.edited:
        st.button("As it was", on_click=tooling.put_back)


def show_what_the_model_sees(state: tooling.Tooling) -> None:
    """The schema beside the text that a family's template makes of it."""
    written, text = st.columns([5, 9], gap="medium")
    with written:
        write_schema(state)
    with text:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.segmented_control(
                "Template",
                list(FAMILIES),
                format_func=FAMILIES.get,
                key=WIDGETS.key("template", state.template),
                required=True,
                on_change=WIDGETS.setting("template", lambda name: tooling.change(template=name)),
                label_visibility="collapsed",
            )
            st.toggle(
                "And after a call",
                key=WIDGETS.key("turn", state.turn),
                on_change=WIDGETS.setting("turn", lambda on: tooling.change(turn=on)),
                help="The text of the next call, with the call of the second view and its result.",
            )
        turn = ()
        if state.turn:
            pasted, steps = run_call(state)
            turn = (AssistantMessage(tool_calls=(pasted.call,)), steps[-1].appended)
        question = BENCH[state.tool].question
        seen = seen_view(state.schema, question, state.template, load_tokenizer(), turn)
        mount(SEEN, "seen", seen.model_dump())


def write_call(state: tooling.Tooling, height: int) -> None:
    """Show the field of the call, `height` pixels high, and the menu of examples."""
    field, choices = st.columns([9, 4], gap="medium")
    with field:
        st.text_area(
            "The call as the model writes it",
            height=height,
            key=WIDGETS.key("call_text", state.call),
            on_change=WIDGETS.setting("call_text", lambda text: tooling.change(call=text)),
            placeholder=f"Arguments of {state.schema.name}, or a whole call in any provider's form",
            label_visibility="collapsed",
        )
    with choices:
        examples = {example.title: example for example in EXAMPLES}
        st.selectbox(
            "Examples",
            list(examples),
            index=None,
            key=WIDGETS.key("example", state.example.title if state.example else None),
            on_change=WIDGETS.setting(
                "example", lambda title: title and tooling.choose_example(examples[title])
            ),
            placeholder="Examples of what can be wrong",
            label_visibility="collapsed",
        )
        st.toggle(
            "Read Python literals as well",
            key=WIDGETS.key("repair", state.repair),
            on_change=WIDGETS.setting("repair", lambda on: tooling.change(repair=on)),
            help="A lenient repair: single quotes, True and None are read. What was cut off is never mended.",
        )


def run_call(state: tooling.Tooling) -> tuple[PastedCall, tuple[Step, ...]]:
    """Put the call through the runtime, once for each call and schema."""
    asked = (state.call, state.schema, state.tool, state.repair)
    if st.session_state.get(RAN, (None,))[0] != asked:
        pasted = read_call(state.call, state.schema.name)
        executor = Executor(state.tools, policy=own_data_only, repair=state.repair, guards=GUARDS)
        steps = tuple(executor.steps((pasted.call,), 1, pasted.refused))
        st.session_state[RAN] = (asked, pasted, steps)
    return st.session_state[RAN][1:]


def show_call(state: tooling.Tooling) -> None:
    """The call on its way through the checks."""
    write_call(state, height=104)
    mount(CALL, "call", call_view(*run_call(state), state.tools).model_dump())


def show_wire(state: tooling.Tooling) -> None:
    """The call and its result in every provider's form."""
    write_call(state, height=68)
    pasted, steps = run_call(state)
    schemas = {tool.name: tool.schema for tool in state.tools}
    schema = schemas.get(pasted.call.name, state.schema)
    mount(WIRE, "wire", wire_view(schema, pasted.call, steps[-1].appended).model_dump())


def show_interface(state: tooling.Tooling) -> None:
    """The schema under the five design rules."""
    rules = check_interface(state.schema, BENCH[state.tool].arguments)
    told = f"{state.schema.name}: {state.schema.description}"
    result = {"call": f"{state.schema.name}({BENCH[state.tool].call})", "result": st_result(state.tool)}
    mount(INTERFACE, "interface", {"told": told, **result, "rules": [rule.model_dump() for rule in rules]})


@st.cache_resource(show_spinner=False)
def st_result(tool: str) -> str:
    """What the right call of a bundled tool returns."""
    return BENCH[tool].tool.execute(BENCH[tool].arguments)


SHOW = {
    "model": show_what_the_model_sees,
    "call": show_call,
    "wire": show_wire,
    "interface": show_interface,
    "kinds": show_kinds,
    "mcp": show_mcp,
}

OF_ONE_TOOL = ("model", "call", "wire", "interface")
OF_THE_RUNTIME = ("model", "call")


def code() -> Lab:
    """The call and its three checks, as code."""
    state = tooling.current()
    pasted, steps = run_call(state)
    verdict = next(step.validation for step in steps if step.validation)
    return tools_lab(pasted.call, [tool.schema for tool in state.tools], verdict, state.repair)


configure("tools")
monospaced("tool_parameters", "tool_call_text")
state = tooling.on_opening()
title, choice = st.columns([8, 3], vertical_alignment="center")
with title, st.container(gap=None):
    heading("What does the model see of a tool, and what happens to a call?", state.notice)
choose_view(state)
if state.view in OF_ONE_TOOL:
    with choice:
        choose_tool(state)
    if state.problem:
        st.warning(f"{state.problem} What is in view is the last schema that could be read.")
lab.offer(code)
try:
    SHOW[state.view](state)
except InputError as error:
    st.warning(str(error))
tooling.write_address()
