"""The form of a live run, and the controls of one that is going."""

from typing import Any

import streamlit as st

from core.agent import edited
from core.agent.live import LiveRun
from core.agent.settings import LoopKind
from core.errors import InputError
from core.lm.available import EMBEDDED, ModelChoice, Offered, available_models
from core.lm.servers import Servers, read_servers
from core.scenarios import Scenario
from core.scenarios.live import LIBRARY, TOOLS, Begun, Request, tools_for
from core.trace import StepKind, Trace
from pages.common import run as running
from pages.common.servers import LOOK, settings

LISTED = 30  # seconds that a list of models stays good
WAYS = {
    "guided": "Under a grammar: first a call, then text",
    "grammar": "Under a grammar: a call or text",
    "free": "ReAct as text, free",
    "native": "Native calls",
    "schema": "One JSON Schema for the reply",
    "text": "ReAct as text",
}
ABOUT_LIBRARY = f"“{LIBRARY}” stands for all tools of the bundled MCP server."
ABOUT_WAYS = (
    "Native: the form was trained into the weights, by tuning on whole runs (trajectory tuning; Song et al., "
    "2024). Toolformer (Schick et al., 2023) learned single calls, and no sequence of them. As text: the "
    "prompt tells the form, or shows it by examples. Running tools, counting, stopping and errors are the "
    "loop's either way."
)
ABOUT_THOUGHTS = (
    "Dense: before every call. Sparse: where it matters, which the model decides (Yao et al., 2023). The "
    "prompt asks for it; under a grammar dense is enforced as well: a sentence has to stand before each call."
)
FORM, EDIT = "live form", "live edit"  # session: whether the popovers are open
PROBLEM = "problem of the live form"  # session: why nothing was begun
KEYS = {  # session: what the form says, by the field of the request that it becomes
    "calls": "live calls",
    "loop": "live loop",
    "thoughts": "live thoughts",
    "tools": "live tools",
    "max_steps": "live cap",
    "parallel": "live parallel",
    "temperature": "live T",
    "seed": "live seed",
}
MODEL, QUESTION, TEXT = "live model", "live question", "live text"
ASKED = "live question of"  # session: the question of the run in view when the form was filled
EDITABLE = (StepKind.OBSERVATION, StepKind.THOUGHT)


@st.cache_resource(ttl=LISTED, show_spinner="Looking for models", hash_funcs={Servers: repr})
def st_available(servers: Servers, look: bool) -> Offered:
    """The models that can be chosen."""
    return available_models(servers, look)


def can_look(servers: Servers) -> bool:
    """Whether nobody has looked for an Ollama yet, and none is configured."""
    return not servers.ollama.configured and LOOK not in st.session_state


def look() -> None:
    """Look for an Ollama at the usual place."""
    st.session_state[LOOK] = True


def title(choice: ModelChoice) -> str:
    """A model as a person chooses it."""
    return f"{choice.name} · {choice.address or 'embedded'}"


def form(trace: Trace) -> None:
    """Ask what to run, and begin it: at first the question of the run in view, with its tools."""
    popover = st.popover("Run live", width="stretch", key=FORM, on_change="rerun")
    if not popover.open:
        return
    with popover:
        if problem := st.session_state.pop(PROBLEM, ""):
            st.warning(problem)  # first, where nobody has to look for it
        try:
            servers = read_servers(settings())
        except InputError as error:
            st.warning(str(error))
            return
        offered = st_available(servers, look=LOOK in st.session_state)
        for failure in offered.failures:
            st.caption(failure)
        if not offered.choices:
            _offer_to_look(servers)
            return
        question = running.question(trace)
        if st.session_state.get(ASKED) != question:
            st.session_state[ASKED] = st.session_state[QUESTION] = question
            st.session_state[KEYS["tools"]] = list(tools_for(trace))
        st.text_area("Question", height=68, key=QUESTION, persist_state="session")
        choice = st.selectbox("Model", offered.choices, format_func=title, key=MODEL, persist_state="session")
        _settings(choice)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Run", type="primary", on_click=_run)
            st.toggle("Calls of a turn at once", key=KEYS["parallel"], persist_state="session")
            _offer_to_look(servers)


def _offer_to_look(servers: Servers) -> None:
    if can_look(servers):
        st.button("Look for an Ollama", on_click=look)


def _settings(choice: ModelChoice) -> None:
    """Ask how the model is to be run."""
    first = Request(question="")
    keep: dict[str, Any] = {"persist_state": "session"}
    way, loop, thoughts = st.columns([3, 2, 2])
    way.selectbox(
        "How it calls tools",
        choice.calls,
        format_func=WAYS.get,
        key=KEYS["calls"],
        help=ABOUT_WAYS,
        **keep,
    )
    kinds = list(LoopKind)
    kind = loop.selectbox("Loop", kinds, kinds.index(first.loop), format_func=str, key=KEYS["loop"], **keep)
    thoughts.selectbox(
        "Thoughts",
        ("dense", "sparse"),
        ("dense", "sparse").index(first.thoughts),
        key=KEYS["thoughts"],
        help=ABOUT_THOUGHTS,
        disabled=kind != LoopKind.REACT,
        **keep,
    )
    st.multiselect("Tools", [*TOOLS, LIBRARY], key=KEYS["tools"], help=ABOUT_LIBRARY, **keep)
    cap, temperature, seed = st.columns(3)
    cap.number_input("Step cap", 1, 20, first.max_steps, key=KEYS["max_steps"], **keep)
    temperature.number_input("Temperature", 0.0, 2.0, first.temperature, 0.1, key=KEYS["temperature"], **keep)
    seed.number_input("Seed", 0, 10**9 - 1, first.seed, key=KEYS["seed"], **keep)


def _asked() -> Request:
    """What the form says; as at first where it was never open.

    It is read when a button is pressed: the script has not run since, if a field was left by that very press.
    """
    said = {field: st.session_state[key] for field, key in KEYS.items() if key in st.session_state}
    choice = st.session_state.get(MODEL)
    if choice is None:
        return Request(question="", model=EMBEDDED)
    if said["calls"] not in choice.calls:  # of a model that was chosen by that very press
        said["calls"] = choice.calls[0]
    said["tools"] = tuple(said["tools"])
    return Request(question=st.session_state[QUESTION], kind=choice.kind, model=choice.name, **said)


def _run() -> None:
    _begin(_asked())


def _begin(request: Request, after: Trace | None = None, rules: Scenario | None = None) -> None:
    """Begin a run, or go on after one, and bring it into view."""
    try:
        begun = Begun(request, read_servers(settings()), after, rules)
    except InputError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        begun.live.wait(0.3)  # a first step is there at once, as a rule
        running.add(begun)
        st.session_state[FORM] = st.session_state[EDIT] = False


def edit(run: running.Run) -> None:
    """Where the step in view is an observation or a thought: change it, and let the run go on from there."""
    trace = run.trace
    going = run.live is not None and run.live.going
    popover = st.popover("Change this step", width="stretch", disabled=going, key=EDIT, on_change="rerun")
    if not popover.open or not trace.steps:
        return
    step = trace.steps[run.step - 1]
    with popover:
        if step.kind not in EDITABLE:
            st.caption("A thought or an observation can be changed: step to one.")
            return
        st.caption("The run goes on from here with the model of “Run live”; the run in view stays as it is.")
        if run.rules is None and any(step.guard == "goal test" for step in trace.steps):
            st.caption("Its goal is a function, which no file holds: it is not tested any more.")
        key = f"{TEXT} {run.slug} {run.step}"
        st.text_area(step.kind.value.capitalize(), step.text, key=key)
        st.button("Go on from here", type="primary", on_click=_go_on, args=(run, run.step - 1, key))
        if problem := st.session_state.pop(PROBLEM, ""):
            st.warning(problem)


def _go_on(run: running.Run, step: int, key: str) -> None:
    try:
        after = edited(run.trace, step, st.session_state[key])
    except InputError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        _begin(_asked().model_copy(update={"tools": tools_for(after)}), after, run.rules)


def do(live: LiveRun, act: str) -> None:
    """Pause, go on, or stop, as the picture asks."""
    acts = {"pause": live.pause, "go on": live.go_on, "stop": live.stop}
    if act in acts:
        acts[act]()
