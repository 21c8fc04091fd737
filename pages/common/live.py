"""The form of a live run, and the controls of one that is going."""

import streamlit as st

from core.agent import edited
from core.agent.live import LiveRun
from core.agent.settings import LoopKind
from core.errors import InputError
from core.lm.available import EMBEDDED, ModelChoice, Offered, available_models
from core.lm.servers import Servers, read_servers
from core.scenarios.live import LIBRARY, TOOLS, Begun, Request
from core.trace import StepKind, Trace
from pages.common import run as running
from pages.common.servers import settings

LISTED = 30  # seconds that a list of models stays good
LOOK = "look for an Ollama"  # session: whether the reader asked for it
WAYS = {
    "guided": "Under a grammar: first a call, then text",
    "grammar": "Under a grammar: a call or text",
    "free": "ReAct as text, free",
    "native": "Native calls",
    "schema": "One JSON Schema for the reply",
    "text": "ReAct as text",
}
ABOUT_LIBRARY = f"“{LIBRARY}” stands for all tools of the bundled MCP server."
FORM, EDIT = "live form", "live edit"  # session: whether the popovers are open
REQUEST = "request of the live form"  # session: what the form says
PROBLEM = "problem of the live form"  # session: why nothing was begun
EDITABLE = (StepKind.OBSERVATION, StepKind.THOUGHT)


@st.cache_resource(ttl=LISTED, show_spinner="Looking for models", hash_funcs={Servers: repr})
def st_available(servers: Servers, look: bool) -> Offered:
    """The models that can be chosen."""
    return available_models(servers, look)


def _title(choice: ModelChoice) -> str:
    return f"{choice.name} · {choice.address or 'embedded'}"


def form(question: str) -> None:
    """Ask what to run, and begin it."""
    popover = st.popover("Run live", width="stretch", key=FORM, on_change="rerun")
    if not popover.open:
        return
    with popover:
        try:
            servers = read_servers(settings())
        except InputError as error:
            st.warning(str(error))
            return
        offered = st_available(servers, look=LOOK in st.session_state)
        for failure in offered.failures:
            st.caption(failure)
        if not servers.ollama.configured and LOOK not in st.session_state:
            st.button("Look for an Ollama", on_click=lambda: st.session_state.update({LOOK: True}))
        if not offered.choices:
            return
        asked = st.text_area("Question", question, height=68, key=f"question of {question}")
        choice = st.selectbox("Model", offered.choices, format_func=_title, key="live model")
        way, loop = st.columns(2)
        calls = way.selectbox("How it calls tools", choice.calls, format_func=WAYS.get, key="live calls")
        kind = loop.selectbox("Loop", list(LoopKind), index=2, format_func=str, key="live loop")
        tools = st.multiselect(
            "Tools", [*TOOLS, LIBRARY], ["get_weather", "get_forecast"], key="live tools", help=ABOUT_LIBRARY
        )
        cap, temperature, seed = st.columns(3)
        request = Request(
            question=asked,
            kind=choice.kind,
            model=choice.name,
            calls=calls,
            loop=kind,
            tools=tuple(tools),
            max_steps=cap.number_input("Step cap", 1, 20, 6, key="live cap"),
            temperature=temperature.number_input("Temperature", 0.0, 2.0, 0.0, 0.1, key="live T"),
            seed=seed.number_input("Seed", 0, 10**9 - 1, 0, key="live seed"),
        )
        st.session_state[REQUEST] = request
        st.button("Run", type="primary", on_click=begin, args=(request,))
        if problem := st.session_state.pop(PROBLEM, ""):
            st.warning(problem)


def begin(request: Request, after: Trace | None = None) -> None:
    """Begin a run, or go on after one, and bring it into view."""
    try:
        begun = Begun(request, read_servers(settings()), after)
    except InputError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        begun.live.wait(0.3)  # a first step is there at once, as a rule
        running.add(begun)
        st.session_state[FORM] = st.session_state[EDIT] = False


def edit(run: running.Run) -> None:
    """Where the step in view is an observation or a thought: change it, and let the run go on from there."""
    trace = run.trace
    step = trace.steps[run.step - 1] if trace.steps else None
    can = step is not None and step.kind in EDITABLE
    popover = st.popover("Change this step", width="stretch", disabled=not can, key=EDIT, on_change="rerun")
    if step is None or not can or not popover.open:
        return
    with popover:
        st.caption("The run goes on from here with the model of “Run live”; the run in view stays as it is.")
        text = st.text_area(step.kind.value, step.text, key=f"edit {run.slug} {run.step}")
        st.button("Go on from here", type="primary", on_click=_go_on, args=(trace, run.step - 1, text))
        if problem := st.session_state.pop(PROBLEM, ""):
            st.warning(problem)


def _go_on(trace: Trace, step: int, text: str) -> None:
    request = st.session_state.get(REQUEST, Request(question="", model=EMBEDDED))
    known = tuple(tool.name for tool in trace.tools or () if tool.name in TOOLS)
    try:
        after = edited(trace, step, text)
    except InputError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        begin(request.model_copy(update={"tools": known}), after)


def do(live: LiveRun, act: str) -> None:
    """Pause, go on, or stop, as the picture asks."""
    match act:
        case "pause":
            live.go_on() if live.paused else live.pause()
        case "stop":
            live.stop()
