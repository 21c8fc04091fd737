"""The tool screen: what the model sees of a tool, and what happens to a call."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.agent import Guards
from core.agent.execution import Executor
from core.agent.pasted import LONGEST, read_call
from core.errors import InputError
from core.figures.call_view import CallView, call_view
from core.figures.tool_view import FAMILIES, seen_view
from core.lm import load_tokenizer
from core.scenarios.faults import own_data_only
from core.teaching.tool_bench import BENCH, EXAMPLES
from pages.common import tooling
from pages.common.components import declare
from pages.common.page import configure, heading

SEEN = declare("tool_seen", "tools")
CALL = declare("tool_call", "tools")
RAN = "call that was run"  # session: what it was, and what came of it
GUARDS = Guards(timeout=10.0, result_chars=4_000)
MONOSPACED = """<style>
.st-key-tool_parameters textarea, .st-key-tool_call_text textarea {
  font-family: "Source Code Pro", monospace; font-size: 0.8125rem; line-height: 1.4;
}
</style>"""


def widget(name: str, value: object) -> str:
    """The key of a widget that shows `value`: the state leads, the widget follows."""
    key = f"tool_{name}"
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    return key


def taken_over(name: str, take: Callable[[Any], None]) -> Callable[[], None]:
    """A callback that hands on what a widget was set to."""
    return lambda: take(st.session_state[f"tool_{name}"])


def choose_tool(state: tooling.Tooling) -> None:
    """Show the menu of tools."""
    st.selectbox(
        "Tool",
        list(BENCH),
        key=widget("menu", state.tool),
        format_func=lambda name: f"{name} (edited)" if name == state.tool and state.edited else name,
        on_change=taken_over("menu", tooling.choose_tool),
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


def write_schema(state: tooling.Tooling) -> None:
    """Show the schema in fields."""
    name, description, parameters = state.drafts
    st.text_input(
        "Name",
        key=widget("name", name),
        on_change=taken_over("name", lambda text: tooling.edit("name", text)),
    )
    st.text_area(
        "Description",
        height=88,
        max_chars=2_000,
        key=widget("description", description),
        on_change=taken_over("description", lambda text: tooling.edit("description", text)),
    )
    st.text_area(
        "Parameters, in JSON Schema",
        height=300,
        key=widget("parameters", parameters),
        on_change=taken_over("parameters", lambda text: tooling.edit("parameters", text)),
    )
    if state.edited:
        st.button("As it was", on_click=tooling.choose_tool, args=(state.tool,))


def show_what_the_model_sees(state: tooling.Tooling) -> None:
    """The schema beside the text that a family's template makes of it."""
    written, seen = st.columns([5, 9], gap="medium")
    with written:
        write_schema(state)
    with seen:
        st.segmented_control(
            "Template",
            list(FAMILIES),
            format_func=FAMILIES.get,
            key=widget("template", state.template),
            required=True,
            on_change=taken_over("template", lambda name: tooling.change(template=name)),
            label_visibility="collapsed",
        )
        if state.problem:
            st.warning(f"{state.problem} Below is the last schema that could be read.")
        question = BENCH[state.tool].question
        mount(SEEN, "seen", seen_view(state.schema, question, state.template, load_tokenizer()).model_dump())


def write_call(state: tooling.Tooling) -> None:
    """Show the field of the call, and the menu of examples."""
    field, choices = st.columns([9, 4], gap="medium")
    with field:
        st.text_area(
            "The call as the model writes it",
            height=104,
            max_chars=LONGEST,
            key=widget("call_text", state.call),
            on_change=taken_over("call_text", lambda text: tooling.change(call=text)),
            placeholder=f"Arguments of {state.schema.name}, or a whole call in any provider's form",
            label_visibility="collapsed",
        )
    with choices:
        examples = {example.title: example for example in EXAMPLES}
        st.selectbox(
            "Examples",
            list(examples),
            index=None,
            key=widget("example", state.example.title if state.example else None),
            on_change=taken_over("example", lambda title: tooling.choose_example(examples[title])),
            placeholder="Examples of what can be wrong",
            label_visibility="collapsed",
        )
        st.toggle(
            "Read Python literals as well",
            key=widget("repair", state.repair),
            on_change=taken_over("repair", lambda on: tooling.change(repair=on)),
            help="A lenient repair: single quotes, True and None are read. What was cut off is never mended.",
        )


def run_call(state: tooling.Tooling) -> CallView:
    """Put the call through the runtime, once for each call and schema."""
    asked = (state.call, state.schema, state.tool, state.repair)
    if st.session_state.get(RAN, (None,))[0] != asked:
        pasted = read_call(state.call, state.schema.name)
        executor = Executor(state.tools, policy=own_data_only, repair=state.repair, guards=GUARDS)
        steps = tuple(executor.steps(pasted.call, 1, pasted.refused))
        st.session_state[RAN] = (asked, pasted, steps)
    _, pasted, steps = st.session_state[RAN]
    return call_view(pasted, steps, len(state.tools))


def show_call(state: tooling.Tooling) -> None:
    """The call on its way through the checks."""
    write_call(state)
    mount(CALL, "call", run_call(state).model_dump())


def mount(component: Any, key: str, view: dict[str, Any]) -> None:
    """Mount the picture of a view. PageDown and PageUp come back from it."""

    def stepped() -> None:
        if moved := st.session_state.get(key, {}).get("step"):
            tooling.step(1 if moved == "next" else -1)

    component(key=key, data={"view": view}, on_step_change=stepped)


SHOW = {"model": show_what_the_model_sees, "call": show_call}

configure("tools")
st.html(MONOSPACED)
state = tooling.on_opening()
title, choice = st.columns([8, 3], vertical_alignment="center")
with choice:
    choose_tool(state)
with title, st.container(gap=None):
    heading("What does the model see of a tool, and what happens to a call?", state.notice)
choose_view(state)
try:
    SHOW[state.view](state)
except InputError as error:
    st.warning(str(error))
tooling.write_address()
