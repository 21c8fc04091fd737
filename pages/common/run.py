"""Which run is in view, and which of its steps: one choice for all screens of the loop and the context.

The choice lives in the session, so that it survives a change of screen, and is written to the address. The
address is read when a screen is opened: by a link, or by back and forward in the browser's history. A screen
that is open follows it only to another scenario: a step in the address of a late rerun may be an older one.
"""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from core.agent.live import LiveRun
from core.context import TokenCounter
from core.figures import loop_timeline
from core.figures.loop_tokens import Drawing
from core.lm import load_tokenizer
from core.scenarios import SCENARIOS, Scenario, scenario_of, trace
from core.scenarios.embedded_run import embedded_run
from core.scenarios.live import Begun
from core.trace import StepKind, Trace
from pages.common import address
from pages.common.page import opened
from pages.common.shelf import st_shelf

RECORDED = "embedded"  # the slug of the bundled run of the embedded model
GROUPS = {  # the first run of each group of those bundled: what the group is about
    "berlin": "First runs",
    "open-loop": "Kinds of loop",
    "implicit-plan": "Variants",
    "detector": "Native agent",
    "bad-json": "Faults",
    "calculator": "Kinds of tool",
    "injection": "An attack",
    "long-run": "A long run",
}


def _bundled() -> dict[str, str]:
    titles, group = {}, ""
    for scenario in SCENARIOS:
        group = GROUPS.get(scenario.slug, group)
        titles[scenario.slug] = f"{group} · {scenario.title}"
    return titles


BUNDLED = _bundled()

RUN = "run"  # session: the Run
OWN = "runs of this session"  # session: slug -> Begun or Loaded
TOUCHED = "run touched"  # session: a widget has set the run in this very rerun
LEFT = "run left behind"  # session: what the address named, until the browser tells that of a new run

NO_SCENARIO = "The address names no run that there is; this is the first."
LIVE, FILE = "live-", "file-"  # begin the slugs of a session's own runs
NOT_HERE = "That run is no longer kept; this is the first one."  # a live one is for two hours
NO_STEP = "This run has no such step; this is the nearest one."


@dataclass(frozen=True)
class Run:
    """The run in view and its step, from 1. `notice` is a sentence about a bad address, or empty.

    A new `revision` says that the step was set by other means than stepping, and to `start`: a stepper that
    meets a revision for the first time goes there. `seen` is the number of steps that were there, of a run
    that is going, when it was last drawn. `menu` is the key of the select box: another one where the run was
    set by other means, for what the old box still says then is no choice.
    """

    slug: str
    step: int
    start: int
    revision: str
    notice: str = ""
    seen: int = 1
    menu: str = field(default_factory=lambda: f"run scenario {_revision()}")

    @property
    def trace(self) -> Trace:
        """The run itself."""
        return trace_of(self.slug)

    @property
    def live(self) -> LiveRun | None:
        """What makes the run, if it is one of this session."""
        begun = own().get(self.slug)
        return begun and begun.live

    @property
    def rules(self) -> Scenario | None:
        """The bundled run whose goal, policy and guards are those of this one."""
        begun = own().get(self.slug)
        if begun is not None:
            return begun.rules
        return scenario_of(self.slug) if self.slug in BUNDLED else None


@dataclass(frozen=True)
class Loaded:
    """A run that was opened from a file."""

    trace: Trace
    live: None = None
    rules: None = None


@st.cache_resource(show_spinner="Running it: the real loop with real tools")
def st_trace(slug: str) -> Trace:
    """Run a scenario through the real loop, once for all sessions."""
    return embedded_run() if slug == RECORDED else trace(slug, TokenCounter(load_tokenizer()))


def own() -> dict[str, Begun | Loaded]:
    """The runs of this session."""
    runs: dict[str, Begun | Loaded] = st.session_state.setdefault(OWN, {})
    return runs


def add(run: Begun | Loaded) -> None:
    """Bring a run of this session into view."""
    number = 1 + max(map(_number, own()), default=0)
    slug = f"{FILE}{number}" if isinstance(run, Loaded) else f"{LIVE}{number}-{st_shelf().put(run)}"
    own()[slug] = run
    _bring(Run(slug, step=1, start=1, revision=_revision()))


def take(slug: str) -> None:
    """Bring a bundled run into view."""
    _bring(Run(slug, step=1, start=1, revision=_revision(), seen=len(trace_of(slug).steps)))


def _bring(run: Run) -> None:
    """Bring a run into view whose address the browser does not have yet."""
    st.session_state[LEFT] = st.query_params.get("scenario")
    st.session_state[TOUCHED] = True
    st.session_state[RUN] = run


def trace_of(slug: str) -> Trace:
    """A run; one of this session as far as it has come."""
    return own()[slug].trace if slug in own() else st_trace(slug)


def is_here(slug: str | None) -> bool:
    """Whether there is such a run. A live one that the server has kept becomes one of this session."""
    if slug and slug not in own() and slug.startswith(LIVE):
        kept = st_shelf().get(slug.rpartition("-")[2])
        if kept is not None:
            own()[slug] = kept
    return slug in (*BUNDLED, RECORDED, *own())


def titles() -> dict[str, str]:
    """All runs that can be chosen."""
    return {
        **BUNDLED,
        RECORDED: "Recorded · " + embedded_run().title,
        **{slug: _own_title(slug) for slug in own()},
    }


def _own_title(slug: str) -> str:
    kind = "Live" if slug.startswith(LIVE) else "File"
    return f"{kind} {_number(slug)} · {own()[slug].trace.title}"


def _number(slug: str) -> int:
    """The number of a run in the session that made it: it stands in its slug, so a reload keeps it."""
    found = re.fullmatch(r"(?:live-([0-9]{1,4})-[0-9a-f]+|file-([0-9]{1,4}))", slug)
    return int(found[1] or found[2]) if found else 1


def grown(run: Run) -> Run:
    """The run in view after new steps have come: whoever stood at the newest one stands there again."""
    last = len(run.trace.steps)
    if run.live is not None and last > run.seen:
        follows = run.step >= run.seen
        run = replace(
            run, seen=last, **({"step": last, "start": last, "revision": _revision()} if follows else {})
        )
        st.session_state[RUN] = run
        address.write({"scenario": run.slug, "step": str(run.step)})
    return run


def current() -> Run:
    """The run in view."""
    run: Run = st.session_state[RUN]
    return run


def drawing(run: Run) -> tuple[Drawing, bool]:
    """How the tokens of a run were drawn, as far as one knows, and whether the embedded model made them."""
    if run.slug == RECORDED:
        return "greedy grammar", True
    begun = own().get(run.slug)
    if not isinstance(begun, Begun):
        return "not told", False
    return begun.request.drawing, begun.request.kind == "embedded"


def go_to(step: int) -> None:
    """Bring another step of the run in view into view."""
    run = current()
    step = _within(run.slug, step)
    st.session_state[TOUCHED] = True
    st.session_state[RUN] = replace(run, step=step, start=step, revision=_revision(), notice="")


def question(trace: Trace) -> str:
    """What the user asked in a run."""
    return next((step.text for step in trace.steps if step.kind is StepKind.USER_INPUT), "")


def choose() -> Run:
    """Draw the select box of runs and return the one in view."""
    run = st.session_state[RUN] = _followed()
    offered = titles()
    st.selectbox(
        "Scenario",
        list(offered),
        list(offered).index(run.slug),  # its first value: one that is set later can miss the browser
        key=run.menu,
        format_func=offered.__getitem__,
        label_visibility="collapsed",
        on_change=_scenario_chosen,
        args=(run.menu,),
    )
    address.write({"scenario": run.slug, "step": str(run.step)})
    return run


def mount(
    component: ComponentRenderer,
    run: Run,
    data: dict[str, object],
    key: str,
    on_act: Callable[[str], object] = lambda _: None,
) -> None:
    """Mount a component that holds a stepper: `data` and the timeline go there, step and acts come back."""
    stops = [stop.model_dump() for stop in loop_timeline.timeline(run.trace)]
    # The anchor stays the same while the reader steps, so the data do too, and are not sent again.
    anchor = {"step": run.start, "revision": run.revision}
    component(
        key=key,
        data=data | {"timeline": stops, "anchor": anchor},
        on_step_change=lambda: _stepped(key),
        on_act_change=lambda: on_act(st.session_state[key]["act"]),
    )


def plain(text: str) -> str:
    """Return `text` as Markdown that shows it literally: data are never markup."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def _followed() -> Run:
    """Return the run after what the address, the select box and the stepper have to say to it."""
    run: Run | None = st.session_state.get(RUN)
    touched = st.session_state.pop(TOUCHED, False)
    slug, step = st.query_params.get("scenario"), st.query_params.get("step")
    if run is None:
        return _addressed(slug, step)
    if slug == run.slug:
        st.session_state.pop(LEFT, None)
    # What was sent before the browser had the address of a new run names the one that was left for it.
    late = slug == st.session_state.get(LEFT)
    if slug is not None and not touched and (opened() or not (late or slug == run.slug)):
        st.session_state.pop(LEFT, None)
        return _addressed(slug, step)
    if opened():  # the component of this screen is a new one: it starts where the other screen left off
        return replace(run, start=run.step, revision=_revision(), notice="")
    return replace(run, notice="") if touched else run


def _addressed(asked: str | None, asked_step: str | None) -> Run:
    slug, step, notice = asked, 1, ""
    if slug is None or not is_here(slug):
        slug, notice = next(iter(BUNDLED)), NO_SCENARIO if asked else ""
        if asked and asked.startswith((LIVE, FILE)):
            notice = NOT_HERE
    if asked_step is not None and not notice:
        wanted = int(asked_step) if re.fullmatch(r"-?[0-9]{1,9}", asked_step) else 0
        step = _within(slug, wanted)
        notice = NO_STEP if step != wanted else ""
    seen = len(trace_of(slug).steps)
    return Run(slug, step, start=step, revision=_revision(), notice=notice, seen=seen)


def _scenario_chosen(menu: str) -> None:
    if menu != current().menu:
        return
    slug = st.session_state[menu]
    st.session_state.pop(LEFT, None)
    st.session_state[TOUCHED] = True
    st.session_state[RUN] = Run(slug, 1, 1, _revision(), seen=len(trace_of(slug).steps), menu=menu)


def _stepped(key: str) -> None:
    """Take over the step that a stepper reports, unless the run was set otherwise while it was on its way."""
    run: Run = st.session_state[RUN]
    reported = st.session_state.get(key, {}).get("step")
    st.session_state[TOUCHED] = reported is not None
    if reported is not None and reported["revision"] == run.revision:
        st.session_state[RUN] = replace(run, step=_within(run.slug, int(reported["step"])))


def _within(slug: str, step: int) -> int:
    return max(1, min(len(trace_of(slug).steps), step))


def _revision() -> str:
    return secrets.token_hex(4)
