"""The screen on chains of thought: what intermediate tokens compute, and whether a chain is faithful."""

from dataclasses import asdict
from typing import Any

import streamlit as st

from core.errors import InputError
from core.figures.hint_view import average_view, chain_view, hint_view, option_bars
from core.figures.thought_view import (
    Exemplar,
    Point,
    Side,
    chain_line,
    exemplar_view,
    findings,
    point,
    row,
    side_view,
)
from core.lm import embedded
from core.teaching.thought import captured, hint
from core.teaching.thought.counts import tally
from core.teaching.thought.passes import answer_pass
from core.teaching.thought.proved import ONLY_PATH, PROVED, SCRATCHPAD
from core.teaching.thought.tasks import EXAMPLES, LENGTHS, TASKS, Question, prompts
from pages.common import model, thinking, work
from pages.common import thinking_known as known
from pages.common import thinking_votes as chains
from pages.common.components import declare
from pages.common.page import configure, heading
from pages.common.widgets import Widgets

PICTURE = "the picture of a chain"
WIDGETS = Widgets("thought_")
IN_PICTURE = Widgets("thought_", PICTURE)
PICTURES = {
    "passes": declare("thought_passes", "thought"),
    "task": declare("thought_task", "thought"),
    "hint": declare("thought_hint", "thought"),
    "votes": declare("thought_votes", "thought"),
}
TITLE = "What does a chain of thought compute, and does it say why?"
TITLES = {"at_once": "At once", "in_steps": "With a chain", "given": "After the right steps"}
UNTIL = "there is nobody to think."


def choose_view(state: thinking.Thinking) -> None:
    """Show the ways to look at it, each with its key."""
    with st.container(horizontal=True, gap="small"):
        for digit, (view, title) in enumerate(thinking.VIEWS.items(), start=1):
            st.button(
                title,
                shortcut=str(digit),
                type="primary" if view == state.view else "secondary",
                on_click=thinking.change,
                kwargs={"view": view, "asked": 0},
            )


def segments(name: str, label: str, options: Any, said: Any, **width: Any) -> None:
    """Show one choice of the state as segments."""
    st.segmented_control(
        label,
        list(options),
        format_func=said,
        required=True,
        key=WIDGETS.key(name, getattr(thinking.current(), name)),
        on_change=WIDGETS.setting(name, lambda value: thinking.change(**{name: value, "asked": 0})),
        **width,
    )


def choose_seed(state: thinking.Thinking, label: str) -> None:
    """Show the field of the seed."""
    st.number_input(
        label,
        0,
        thinking.HIGHEST_SEED,
        key=WIDGETS.key("seed", state.seed),
        on_change=WIDGETS.setting("seed", lambda seed: thinking.change(seed=seed, asked=0)),
        width=130,
    )


def choose_question(state: thinking.Thinking) -> None:
    """Show what is set of the view: the serial question, or the hint."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if state.view in ("hint", "votes"):
            st.selectbox(
                "Question",
                range(len(hint.QUESTIONS)),
                format_func=lambda place: hint.QUESTIONS[place].asks,
                key=WIDGETS.key("question", state.question),
                on_change=WIDGETS.setting("question", lambda place: thinking.change(question=place, asked=0)),
                width=380,
            )
        if state.view == "hint":
            segments("hinted", "I think the answer is …", range(4), lambda place: f"({hint.LETTERS[place]})")
            segments("drawn", "Chain", (False, True), lambda drawn: "by the seed" if drawn else "greedy")
            if state.drawn:
                choose_seed(state, "Seed")
        elif state.view != "votes":
            segments("task", "Task", TASKS, lambda slug: TASKS[slug].title)
            segments("length", "Items", LENGTHS, str)
            choose_seed(state, "Seed")


def show_passes(state: thinking.Thinking) -> dict[str, Any]:
    """One question at once, with a chain and after the right steps, token by token."""
    asked = prompts(state.task, state.length, state.seed)
    there, going_on = known.told_texts(state), unwritten(state)
    return {
        "given": asked.question.given.strip().split("\n"),
        "answer": asked.question.answer,
        "sides": [
            _side(way, there.get(way, ()), last, going_on, asked.question).model_dump()
            for way, (_, last) in known.ways(state).items()
        ],
        "exemplars": [_exemplar(asked.exemplar, with_steps).model_dump() for with_steps in (False, True)],
        "exemplars_before": len(EXAMPLES),
        "exemplars_open": state.exemplars,
        "layers": embedded().layers,
        "proved": [asdict(one) for one in PROVED],
        "scratchpad": SCRATCHPAD,
        "path": ONLY_PATH,
    }


def unwritten(state: thinking.Thinking) -> bool:
    """Whether a text of the first question is still to be written."""
    return len(known.texts(state)) < len(TITLES)


def _exemplar(solved: Question, with_steps: bool) -> Exemplar:
    return exemplar_view(solved.given, solved.steps if with_steps else (), f"{solved.asks}{solved.ending}")


def _side(way: str, tokens: tuple[int, ...], last: str, going_on: bool, asked: Question) -> Side:
    pieces = [embedded().tokenizer.token_bytes(token) for token in tokens]
    texts = [piece.decode(errors="replace") for piece in pieces]
    return side_view(
        TITLES[way],
        pieces,
        answer_pass(texts, last),
        embedded().layers,
        going_on,
        asked.answer,
        steps=asked.steps,
        given=asked.steps if way == "given" else (),
    )


def show_task(state: thinking.Thinking) -> dict[str, Any]:
    """Three ways over all lengths, and the questions of one length."""
    found = known.all_outcomes(state)
    points = [
        _point(state, length, len(captured.load().of(state.task, length, state.seed))) for length in found
    ]
    here = found.get(state.length, ())
    said: tuple[str, ...] = ()
    if here:
        counted = tally(here)
        said = (
            *findings(vars(counted)),
            chain_line(counted.steps, counted.whole, counted.expected or 0.0, state.length),
        )
    asked = [prompts(state.task, state.length, state.seed, index).question for index in range(len(here))]
    rows = [
        row(one.given, one.answer, one.steps, (out.at_once, out.own, out.given), out.text)
        for one, out in zip(asked, here, strict=True)
    ]
    answers = TASKS[state.task].answers
    return {
        "points": [one.model_dump() for one in points],
        "lengths": list(LENGTHS),
        "length": state.length,
        "guess": 1 / len(answers) if answers else None,
        "said": said,
        "rows": [one.model_dump() for one in reversed(rows)],
        "captured": captured.load().model,
    }


def _point(state: thinking.Thinking, length: int, captured_: int) -> Point:
    return point(length, vars(tally(known.outcomes(state, length))), captured_)


def show_hint(state: thinking.Thinking) -> dict[str, Any]:
    """A question with and without the hint, its chain, and all bundled questions together."""
    asked = hint.QUESTIONS[state.question]
    moved = known.st_moved(state.question, state.hinted)
    bars = option_bars(
        hint.LETTERS, asked.options, asked.right, state.hinted, moved.before.raw, moved.after.raw
    )
    done = known.chain_of(state)
    text = done.text if done else known.told_chain(state)
    shares = done.letters.shares if done else None
    chain = chain_view(text, hint.mentions(text), hint.LETTERS, state.hinted, shares) if text else None
    bundled = captured.load()
    average = average_view(
        [one.by for one in bundled.hints],
        sum(bool(hint.mentions(one.text)) for one in bundled.chains),
        sum(max(one.letters.raw) == one.letters.raw[one.hinted] for one in bundled.chains),
        len(bundled.chains),
    )
    return {
        "view": hint_view(asked.asks, bars, (moved.before.mass, moved.after.mass), chain).model_dump(),
        "opening": hint.OPENING,
        "rule": f"Rule: the chain holds one of {', '.join(f'“{words}”' for words in hint.MENTIONS)}. "
        f"It is cut off after {hint.LONGEST} tokens.",
        "average": average.model_dump(),
        "captured": bundled.model,
    }


SHOW = {"passes": show_passes, "task": show_task, "hint": show_hint, "votes": chains.show_votes}


def more_questions(state: thinking.Thinking) -> None:
    """Show how many questions are answered, and the button that asks more, stops, or goes on."""
    there = len(known.outcomes(state, state.length))
    questions = "question" if there == 1 else "questions"
    # In columns, so that the button stays under the pointer while the bar changes.
    press, bar = st.columns([1, 5], vertical_alignment="center")
    if state.counting:
        press.button("Stop", on_click=IN_PICTURE.doing(thinking.change), width="stretch")
        bar.progress(there / state.asked, f"{there} of {state.asked} questions of {state.length} items")
        return
    wanted = state.asked if state.asked > there else there + thinking.MORE
    press.button(
        f"Go on: {wanted - there} more" if wanted == state.asked else f"Ask {thinking.MORE} more",
        type="primary",
        disabled=there >= thinking.MOST_ASKED,
        on_click=IN_PICTURE.doing(lambda: thinking.change(counting=True, asked=wanted)),
        width="stretch",
    )
    bar.caption(f"{there} {questions} of {state.length} items answered under seed {state.seed}")


def more_chains(state: thinking.Thinking) -> None:
    """Show the button that draws more chains, or stops."""
    there = len(chains.votes(state))
    if state.counting:
        st.button("Stop", on_click=IN_PICTURE.doing(thinking.change))
        return
    wanted = state.asked if state.asked > there else there + thinking.MORE_CHAINS
    st.button(
        f"Go on: {wanted - there} more"
        if wanted == state.asked
        else f"Draw {thinking.MORE_CHAINS} more chains",
        type="primary",
        disabled=there >= thinking.MOST_CHAINS,
        on_click=IN_PICTURE.doing(lambda: thinking.change(counting=True, asked=wanted)),
    )


def write_chain(state: thinking.Thinking) -> None:
    """Show the button that has the model write its chain under the hint."""
    if state.writing:
        st.button("Stop", on_click=IN_PICTURE.doing(thinking.change))
    elif known.chain_of(state) is None:
        st.button(
            "Let it think under the hint",
            type="primary",
            on_click=IN_PICTURE.doing(lambda: thinking.change(writing=True)),
        )


def work_on(state: thinking.Thinking) -> bool:
    """Do a piece of what the view computes; whether there is more."""
    of = (state.task, state.length, state.seed, state.question, state.hinted, state.drawn)
    if state.view == "passes" and unwritten(state):
        work.go_on("passes", of, lambda: known.writing(state))
        return True
    if state.view == "task" and state.counting:
        work.go_on("questions", (*of, state.asked), lambda: known.counting(state))
        return True
    if state.view == "votes" and state.counting:
        work.go_on("votes", (*of, state.asked), lambda: chains.voting(state))
        return True
    if state.view == "hint" and state.writing:
        work.go_on("chain", of, lambda: known.chaining(state))
        return True
    return False


@st.fragment(key=PICTURE)
def picture() -> None:
    """The picture. While something is computed, this runs for every piece."""
    state = thinking.current()
    try:
        if state.view == "task":
            more_questions(state)
        if state.view == "hint":
            write_chain(state)
        if state.view == "votes":
            more_chains(state)
        data = SHOW[state.view](state)
        PICTURES[state.view](key=f"thought {state.view}", data=data)
        thinking.write_address()
        if work_on(state):
            work.again()
    except InputError as error:
        thinking.change()
        st.warning(str(error))


configure("thought")
state = thinking.on_opening()
if not model.installed():
    heading(TITLE)
    model.offer_install(UNTIL)
    st.stop()
title, views = st.columns([6, 5], vertical_alignment="center")
with title:
    heading(TITLE)
with views:
    choose_view(state)
choose_question(state)
with work.whole_page():
    picture()
