"""What is written and set by hand on the constrained screen: constraint, prompt, dials."""

from dataclasses import replace

import streamlit as st

from core.decoding.constrained_grammar import KINDS
from core.figures.dials import HIGHEST
from core.sampling import ENGINES
from pages.common import constraining
from pages.common.widgets import Widgets

CONTROLS, TEXT = "constrained controls", "constrained text"  # the two parts that rerun on their own
WIDGETS = Widgets("constrained_", CONTROLS, TEXT)
KIND_NAMES = {"json schema": "Schema", "regex": "Regex", "choice": "Choice", "grammar": "Grammar"}
DIALS = (
    ("Temperature T", "temperature", 0.0, HIGHEST["temperature"], 0.05),
    ("Top-k (0 is off)", "top_k", 0, HIGHEST["top_k"], 1),
    ("Top-p (1 is off)", "top_p", 0.0, 1.0, 0.01),
)


def choose_example(state: constraining.Constraining) -> None:
    """Show the menu of examples and the kinds."""
    st.selectbox(
        "Examples",
        list(constraining.EXAMPLES),
        index=None,
        format_func=lambda slug: (
            f"{constraining.EXAMPLES[slug].title} · {KIND_NAMES[constraining.EXAMPLES[slug].kind]}"
        ),
        key=WIDGETS.key("example", state.example.slug if state.example else None),
        on_change=WIDGETS.setting(
            "example", lambda slug: constraining.choose_example(slug or constraining.FIRST.slug)
        ),
        placeholder="Examples",
        label_visibility="collapsed",
    )
    st.segmented_control(
        "Kind",
        KINDS,
        format_func=KIND_NAMES.get,
        required=True,
        key=WIDGETS.key("kind", state.kind),
        on_change=WIDGETS.setting("kind", take_kind),
        label_visibility="collapsed",
        width="stretch",
    )


def take_kind(kind: str) -> None:
    """Begin with the first example of a kind."""
    constraining.choose_example(next(slug for slug, e in constraining.EXAMPLES.items() if e.kind == kind))


def write_constraint(state: constraining.Constraining) -> None:
    """Show the editor, and the prompt."""
    st.text_area(
        "What the text is held to",
        height=220,
        max_chars=constraining.LONGEST_CONSTRAINT,
        key=WIDGETS.key("draft", state.draft),
        on_change=WIDGETS.setting("draft", lambda text: constraining.write(state.kind, text)),
        label_visibility="collapsed",
    )
    if state.problem:
        st.warning(f"{state.problem} The last one that could be used stays in force.")
    elif state.held.endless:
        st.warning(state.held.endless)
    elif state.held.remarks:
        st.caption(" ".join(state.held.remarks))
    st.text_area(
        "Prompt",
        height=96,
        key=WIDGETS.key("prompt", state.prompt),
        on_change=WIDGETS.setting("prompt", lambda text: constraining.begin_again(prompt=text)),
        placeholder="An empty prompt: the model starts from <|im_start|>",
    )


def dials(state: constraining.Constraining) -> None:
    """Show the sampler's settings and the seed."""
    with st.popover(f"{dials_of(state)}, {state.settings.engine}, seed {state.seed}", width="stretch"):
        for label, name, low, high, step in DIALS:
            st.slider(
                label,
                low,
                high,
                step=step,
                key=WIDGETS.key(name, getattr(state.settings, name)),
                on_change=WIDGETS.setting(name, lambda value, name=name: take_dial(name, value)),
            )
        engine, seed = st.columns(2)
        engine.selectbox(
            "Engine",
            list(ENGINES),
            key=WIDGETS.key("engine", state.settings.engine),
            on_change=WIDGETS.setting("engine", lambda value: take_dial("engine", value)),
        )
        seed.number_input(
            "Seed",
            0,
            10**9 - 1,
            key=WIDGETS.key("seed", state.seed),
            on_change=WIDGETS.setting("seed", lambda value: constraining.begin_again(seed=value)),
        )
        st.caption("A change begins the text again: prompt, constraint, settings and seed determine it.")


def dials_of(state: constraining.Constraining) -> str:
    """What the sampler is set to, in a line."""
    settings = state.settings
    parts = [f"T = {settings.temperature:g}"]
    parts += [f"top-k {settings.top_k}"] if settings.top_k else []
    parts += [f"top-p {settings.top_p:g}"] if settings.top_p < 1 else []
    return ", ".join(parts)


def take_dial(name: str, value: object) -> None:
    """Take over a setting."""
    constraining.begin_again(settings=replace(constraining.current().settings, **{name: value}))
