"""What is set on the screen on chains of thought: one value in the session, and in the address."""

from dataclasses import dataclass, replace

import streamlit as st

from core.teaching.thought.hint import LETTERS, QUESTIONS
from core.teaching.thought.tasks import LENGTHS, TASKS
from pages.common import address
from pages.common.page import opened

KEY = "state of the screen on chains"
VIEWS = {"passes": "Passes", "task": "A serial task", "hint": "A hint", "votes": "Several chains"}
HIGHEST_SEED = 999
MORE = 5  # questions at a press
MOST_ASKED = 60
MORE_CHAINS, MOST_CHAINS = 2, 15


@dataclass(frozen=True)
class Thinking:
    """`task`, `length`, `seed`: of the serial question. `asked`: how many are wanted; 0 is what is there.
    Of several chains for one question it is the number of chains.

    `question`, `hinted`: the places of the multiple-choice question and of the option that the hint names.
    `drawn`: whether the chain is drawn by the seed, or greedy. `exemplars`: whether a link opens them, to
    be read. `counting`, `writing`: whether questions are
    being answered, and a chain written; a link does not hold these.
    """

    view: str = "passes"
    task: str = "sum"
    length: int = 4
    seed: int = 0
    asked: int = 0
    question: int = 0
    hinted: int = 2
    drawn: bool = False
    exemplars: bool = False
    counting: bool = False
    writing: bool = False


FIRST = Thinking()
NAMES = {"view", "task", "length", "seed", "asked", "question", "hint", "drawn", "exemplars"}


def on_opening() -> Thinking:
    """The state of this session; where the screen was opened by a link, what its address says."""
    if KEY not in st.session_state or (opened() and NAMES & set(st.query_params)):
        st.session_state[KEY] = _from_address()
    return current()


def current() -> Thinking:
    """The state of this session."""
    state: Thinking = st.session_state[KEY]
    return state


def change(**changes: object) -> None:
    """Change the state in part; what was being computed for the old one stops."""
    st.session_state[KEY] = replace(current(), **{"counting": False, "writing": False, **changes})


def write_address() -> None:
    """Put the state into the address."""
    state = current()
    values = {
        "view": state.view,
        "task": state.task,
        "length": str(state.length),
        "seed": str(state.seed),
        "asked": str(state.asked),
        "question": str(state.question + 1),
        "hint": LETTERS[state.hinted],
        "drawn": "1" if state.drawn else "",
        "exemplars": "open" if state.exemplars else "",
    }
    first = {"view": FIRST.view, "task": FIRST.task, "length": str(FIRST.length), "seed": "0", "asked": "0"}
    first |= {"question": "1", "hint": LETTERS[FIRST.hinted]}
    address.write({name: "" if first.get(name) == value else value for name, value in values.items()})


def _from_address() -> Thinking:
    """What fits of the address; a student may have typed it."""
    asked = st.query_params

    def number(name: str, low: int, high: int, first: int) -> int:
        value = address.whole(asked.get(name, ""))
        return first if value is None or not low <= value <= high else value

    return Thinking(
        view=asked["view"] if asked.get("view") in VIEWS else FIRST.view,
        task=asked["task"] if asked.get("task") in TASKS else FIRST.task,
        length=number("length", LENGTHS[0], LENGTHS[-1], FIRST.length),
        seed=number("seed", 0, HIGHEST_SEED, 0),
        asked=number("asked", 0, MOST_ASKED, 0),
        question=number("question", 1, len(QUESTIONS), 1) - 1,
        hinted=LETTERS.index(asked["hint"]) if asked.get("hint") in tuple(LETTERS) else FIRST.hinted,
        drawn=asked.get("drawn") == "1",
        exemplars=asked.get("exemplars") == "open",
    )
