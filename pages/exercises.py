"""Exercises by hand: figures by a number, feedback on every answer, a worked solution, sheets to print."""

import re
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from core.teaching.exercises import (
    HIGHEST_SEED,
    KINDS,
    ChoiceField,
    Code,
    Exercise,
    Field,
    Given,
    NumberField,
    OrderField,
    SetField,
    TextField,
    make,
    sheet,
)
from core.teaching.exercises.printed import printed
from pages.common import practising
from pages.common.components import declare
from pages.common.page import configure, heading, monospaced
from pages.common.widgets import Widgets

PAPER = declare("exercise")
VERDICT = declare("verdict")
WIDGETS = Widgets("exercise_")
SHORT_PARTS = {"A": "A sampling", "B": "B loop, context"}
NOT_ANSWERED = "Not answered."
LETTER, SHORT = 2, 16  # characters of a label
WIDE = 4  # rows of a table
LONG = 44  # characters of an option
IN_A_ROW = 46  # characters of all options together; more of them go into a menu


def literal(text: str) -> str:
    """Text as Markdown that shows it as it is, with as few signs more as can be: it is a label as well.

    Not for the options of menus, which show their text as it is.
    """
    return re.sub(r"([\\`*_\[\]<>#$:~|])", r"\\\1", text)


def paper(key: str, **shown: Any) -> None:
    """Show a task with what is given, or steps."""
    PAPER(key=key, data={"task": "", "given": [], "steps": [], **shown})


def choose(state: practising.Practice) -> None:
    """Show the menu of kinds, the number, and the next one."""
    menu, number, button = st.columns([5, 2, 2], vertical_alignment="center")
    # Streamlit tells options by how they are shown: with another tick it is another menu.
    name = f"kind_{practising.done_word(state.solved)}"
    menu.selectbox(
        "Kind",
        list(KINDS),
        format_func=lambda slug: titled(slug, slug in state.solved),
        key=WIDGETS.key(name, state.kind),
        on_change=WIDGETS.setting(name, lambda kind: practising.turn_to(kind=kind)),
        label_visibility="collapsed",
    )
    with number:
        choose_number(state)
    button.button(
        "New",
        type="primary" if state.all_right else "secondary",
        shortcut="n",
        key="exercise_new",
        on_click=practising.new,
        width="stretch",
        help="The next figures.",
    )


def titled(slug: str, solved: bool) -> str:
    """A kind in the menu, behind its part, with a tick if it is solved."""
    kind = KINDS[slug]
    return f"{SHORT_PARTS[kind.part]} · {kind.title}{' ✓' if solved else ''}"


def choose_number(state: practising.Practice) -> None:
    """Show the number that determines all figures."""
    st.number_input(
        "Number",
        0,
        HIGHEST_SEED,
        key=WIDGETS.key("seed", state.seed),
        on_change=WIDGETS.setting("seed", lambda seed: practising.turn_to(seed=seed)),
        label_visibility="collapsed",
        help=f"0 to {HIGHEST_SEED:,}. The same number gives everybody the same figures.",
    )


def is_menu(field: Field) -> bool:
    """Whether the options are too long to stand beside each other."""
    return isinstance(field, ChoiceField) and sum(map(len, field.options)) > IN_A_ROW


def labelled(field: Field) -> str:
    """The label of a field as Markdown, with how many options may be chosen where they all are in view."""
    many = isinstance(field, SetField)
    about = "any number" if many else "one" if isinstance(field, ChoiceField) and not is_menu(field) else ""
    return literal(field.label) + (f" :small[:gray[{about}]]" if about else "")


def ask(field: Field, key: str, keep: Callable[[], None]) -> None:
    """Show the widget of one field."""
    label = literal(field.label)
    quiet: Any = {"key": key, "on_change": keep, "label_visibility": "collapsed"}
    match field:
        case NumberField(unit=unit, tolerance=tolerance):
            precision = f"± {tolerance:g}" if tolerance else "exact"
            about = " ".join(filter(None, (precision, unit)))
            # Live: what is still to be sent when a link is clicked would call the reader back.
            st.text_input(label, placeholder=about, max_chars=60, live=True, **quiet)
        case SetField(options=options):
            st.pills(label, options, selection_mode="multi", format_func=literal, **quiet)
        case ChoiceField(options=options) if not is_menu(field):
            st.pills(label, options, format_func=literal, **quiet)
        case ChoiceField(options=options):
            st.selectbox(label, options, index=None, placeholder="Choose one", **quiet)
        case OrderField(items=items):
            st.multiselect(label, items, placeholder="Choose all, in order", **quiet)
        case _:
            monospaced(key)
            st.text_area(label, height=150, max_chars=4000, **quiet)


def named(state: practising.Practice, field: Field) -> str:
    """The name of the widget of a field: another exercise has other ones."""
    return f"{state.kind}_{state.seed}_{field.name}"


def fields(state: practising.Practice, exercise: Exercise) -> None:
    """Show all fields, with what is said about the last answers.

    No form holds them: it would forget what is not checked when the exercise is left.
    """
    verdicts, before = state.verdicts, state.attempt.written
    longest = max(len(field.label) for field in exercise.made.fields)
    widths = [1, 10] if longest <= LETTER else [3, 8] if longest <= SHORT else [4, 7]
    with st.container(key="answers"):
        for field in exercise.made.fields:
            name = named(state, field)
            key = WIDGETS.key(name, before.get(field.name, practising.nothing(field)))
            keep = WIDGETS.setting(name, partial(practising.write, state.kind, state.seed, field.name))
            # Long text is as wide as can be: its label stands above.
            if isinstance(field, TextField) or (is_menu(field) and max(map(len, field.options)) > LONG):
                with st.container(gap="xxsmall"):
                    label, place = st.container(), st.container()
            else:
                label, place = st.columns(widths, vertical_alignment="center")
            label.markdown(labelled(field))
            with place:
                widget, said = st.container(gap="xsmall"), place
                if isinstance(field, NumberField):  # what is said fits beside it
                    widget, said = st.columns([3, 5], vertical_alignment="center")
            with widget:
                ask(field, key, keep)
            if verdict := verdicts.get(field.name):
                with said:
                    VERDICT(
                        key=f"verdict {field.name}",
                        data={"state": verdict.state, "text": verdict.text or NOT_ANSWERED},
                    )


def check_button(state: practising.Practice, exercise: Exercise) -> None:
    """Show the button that checks all fields."""
    st.button(
        "Check",
        type="secondary" if state.all_right else "primary",
        key="exercise_check",
        shortcut="k",
        on_click=lambda: practising.answer(
            {field.name: WIDGETS.value(named(state, field)) for field in exercise.made.fields}
        ),
    )


def help_on(state: practising.Practice, exercise: Exercise) -> None:
    """Show the buttons of hint and solution, and what they open."""
    attempt = state.attempt
    with st.container(horizontal=True):
        st.button("Hint", shortcut="h", on_click=practising.show_hint)
        st.button("Worked solution", shortcut="w", on_click=practising.show_solution)
    if attempt.hint:
        if exercise.kind.formula:
            st.latex(exercise.kind.formula, width="content")
        st.markdown(literal(exercise.made.hint))
    if attempt.seen and state.kind not in state.solved:
        st.caption("The solution was opened first, so these figures do not count as solved. New has others.")
    if attempt.solution:
        paper("solution", steps=[asdict(step) for step in exercise.made.steps])


def is_wide(given: Given) -> bool:
    """Whether what is given needs more room than the answers."""
    return isinstance(given, Code) or len(given.rows) > WIDE


def show_one(state: practising.Practice) -> None:
    """One exercise: what is given beside what is asked."""
    exercise = make(state.kind, state.seed)
    left, right = st.columns([3, 2] if any(map(is_wide, exercise.made.given)) else 2, gap="large")
    with left:
        given = [asdict(one) for one in exercise.made.given]
        name = f"{state.kind} {state.seed}"
        paper("paper", name=name, task=exercise.made.task, given=given, done=state.all_right)
        help_on(state, exercise)
    with right:
        fields(state, exercise)
        check_button(state, exercise)


def show_sheet(state: practising.Practice) -> None:
    """One exercise of every kind of a part, to print, with the key."""
    exercises = tuple(one for one in sheet(state.seed) if one.kind.part == state.part)
    number, part, buttons = st.columns([2, 4, 4], vertical_alignment="center")
    with number:
        choose_number(state)
    part.segmented_control(
        "Part",
        list(practising.PARTS),
        format_func=practising.PARTS.__getitem__,
        key=WIDGETS.key("part", state.part),
        required=True,
        on_change=WIDGETS.setting("part", lambda part: practising.change(part=part)),
        label_visibility="collapsed",
    )
    with buttons, st.container(horizontal=True):
        for what, label in (("exercises", "Download sheet"), ("key", "Download key")):
            st.download_button(
                label,
                printed(exercises, state.part, state.seed, (what,)),
                file_name=f"{what}-{state.part}-{state.seed}.html",
                mime="text/html",
                on_click="ignore",
            )
    st.iframe(printed(exercises, state.part, state.seed), height=540)


configure("exercises")
state = practising.on_opening()
title, view = st.columns([8, 3], vertical_alignment="center")
with title, st.container(gap=None):
    heading(
        "Can you work it out by hand?",
        state.notice or f"{len(state.solved)} of {len(KINDS)} kinds solved",
        ", ".join(kind.title for slug, kind in KINDS.items() if slug in state.solved),
    )
with view, st.container(horizontal=True, horizontal_alignment="right"):
    st.segmented_control(
        "View",
        list(practising.VIEWS),
        format_func=practising.VIEWS.__getitem__,
        key=WIDGETS.key("view", state.view),
        required=True,
        on_change=WIDGETS.setting("view", lambda view: practising.change(view=view)),
        label_visibility="collapsed",
    )
if state.view == "one":
    choose(state)
    show_one(state)
else:
    show_sheet(state)
practising.write_address()
