"""What is set by hand on the speculative screen: example, prompt, draft, dials."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.teaching.drafting import DRAFTING_EXAMPLES
from pages.common import speculating
from pages.common.widgets import Widgets

CONTROLS, TEXT = "speculative controls", "speculative text"  # the two parts that rerun on their own
WIDGETS = Widgets("speculative_", CONTROLS, TEXT)


def begin_with(name: str) -> Callable[[], None]:
    """A callback that begins the text again with another value of a field."""
    return WIDGETS.setting(name, lambda value: speculating.begin_again(**{name: value}))


def take_dial(name: str) -> Callable[[], None]:
    """A callback that begins the text again with another setting of the sampler."""

    def take(value: object) -> None:
        speculating.begin_again(settings=replace(speculating.current().settings, **{name: value}))

    return WIDGETS.setting(name, take)


def choose_example(state: speculating.Speculating) -> None:
    """Show the menu of examples."""
    titles = {(example.prompt, example.draft): example.title for example in DRAFTING_EXAMPLES}
    st.selectbox(
        "Examples",
        list(titles.values()),
        index=None,
        key=WIDGETS.key("example", titles.get((state.prompt, state.draft))),
        on_change=WIDGETS.setting("example", lambda title: title and speculating.choose_example(title)),
        placeholder="Examples",
        label_visibility="collapsed",
    )


def choose_prompt(state: speculating.Speculating) -> None:
    """Show the prompt field."""
    st.text_area(
        "Prompt",
        height=68,
        key=WIDGETS.key("prompt", state.prompt),
        on_change=begin_with("prompt"),
        placeholder="An empty prompt: the model starts from <|im_start|>",
        label_visibility="collapsed",
    )


def dials(state: speculating.Speculating) -> None:
    """Show the draft, γ, the sampler's settings and the seed."""
    draft, size, gamma, *rest, seed = st.columns([4.4, 2, 1.6, 1.6, 1.6, 1.6, 1.5])
    draft.segmented_control(
        "Draft",
        list(speculating.DRAFTS),
        format_func=speculating.DRAFTS.get,
        required=True,
        key=WIDGETS.key("draft", state.draft),
        on_change=begin_with("draft"),
    )
    if state.draft == "exit":
        size.slider(
            "Layers L of 30",
            1,
            speculating.MOST["layers"],
            key=WIDGETS.key("layers", state.layers),
            on_change=begin_with("layers"),
        )
    elif state.draft == "window":
        size.slider(
            "It reads the last w",
            1,
            speculating.MOST["window"],
            key=WIDGETS.key("window", state.window),
            on_change=begin_with("window"),
        )
    gamma.slider(
        "Drafted, γ",
        1,
        speculating.MOST["gamma"],
        key=WIDGETS.key("gamma", state.gamma),
        on_change=begin_with("gamma"),
    )
    for column, (label, name, high, step) in zip(
        rest,
        (("T", "temperature", 3.0, 0.05), ("Top-k", "top_k", 100, 1), ("Top-p", "top_p", 1.0, 0.01)),
        strict=True,
    ):
        column.slider(
            label,
            type(high)(0),
            high,
            step=step,
            key=WIDGETS.key(name, getattr(state.settings, name)),
            on_change=take_dial(name),
        )
    seed.number_input("Seed", 0, 10**9 - 1, key=WIDGETS.key("seed", state.seed), on_change=begin_with("seed"))
