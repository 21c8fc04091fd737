"""What is practised: one value in the session, and in the address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.teaching.exercises import (
    HIGHEST_SEED,
    KINDS,
    Field,
    OrderField,
    SetField,
    Verdict,
    check,
)
from pages.common import address
from pages.common.page import opened

KEY = "state of the exercises"
FIRST = next(iter(KINDS))
PARTS = {"A": "A: sampling", "B": "B: the loop and the context"}
VIEWS = {"one": "One", "sheet": "Sheet"}
NAMES = ("kind", "seed", "view", "part")
UNKNOWN = "The address names an exercise that is not here; another is shown in its place."


@dataclass(frozen=True)
class Practice:
    """`seed`: the number of the exercise, and of the sheet. `written`: what was checked last, or `None`.

    `solved`: the kinds of which an exercise was all right before its solution was opened. `part`: what a
    sheet holds. `notice`: a sentence about a bad address, or empty.
    """

    kind: str = FIRST
    seed: int = 1
    view: str = "one"
    part: str = "A"
    written: Mapping[str, Any] | None = None
    hint: bool = False
    solution: bool = False
    solved: frozenset[str] = frozenset()
    notice: str = ""

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What is said about each field; empty before anything was checked."""
        if self.written is None:
            return {}
        return {verdict.field: verdict for verdict in check(self.kind, self.seed, self.written)}

    @property
    def all_right(self) -> bool:
        """Whether every field was answered and is right."""
        verdicts = self.verdicts
        return bool(verdicts) and all(verdict.state == "right" for verdict in verdicts.values())


def current() -> Practice:
    """The state of this session."""
    state: Practice = st.session_state[KEY]
    return state


def on_opening() -> Practice:
    """The state; where the screen was opened by a link, with what its address says."""
    state = st.session_state.get(KEY, Practice())
    if opened():
        asked = {name: st.query_params[name] for name in NAMES if name in st.query_params}
        state = replace(state, notice="")
        if asked:
            state = _addressed(state, asked)
    st.session_state[KEY] = state
    return state


def write_address() -> None:
    """Put the state into the address."""
    state = current()
    sheet = state.view == "sheet"
    address.write(
        {
            "kind": "" if sheet else state.kind,
            "seed": str(state.seed),
            "view": "sheet" if sheet else "",
            "part": state.part if sheet else "",
        }
    )


def turn_to(kind: str | None = None, seed: int | None = None) -> None:
    """Take another exercise."""
    state = current()
    kind, seed = kind or state.kind, state.seed if seed is None else seed
    if (kind, seed) != (state.kind, state.seed):
        st.session_state[KEY] = replace(
            state, kind=kind, seed=seed, written=None, hint=False, solution=False, notice=""
        )


def new() -> None:
    """Take the next exercise of this kind."""
    turn_to(seed=(current().seed + 1) % (HIGHEST_SEED + 1))


def change(**changes: object) -> None:
    """Change the state in part."""
    st.session_state[KEY] = replace(current(), **changes)


def answer(written: Mapping[str, Any]) -> None:
    """Check answers, and note what is solved."""
    state = replace(current(), written=written)
    if state.all_right and not state.solution:
        state = replace(state, solved=state.solved | {state.kind})
    st.session_state[KEY] = state


def nothing(field: Field) -> str | list[str] | None:
    """What a widget holds before anything is answered."""
    if isinstance(field, SetField | OrderField):
        return []
    return getattr(field, "start", None if hasattr(field, "options") else "")


def _addressed(state: Practice, asked: Mapping[str, str]) -> Practice:
    kind, seed = asked.get("kind", state.kind), address.whole(asked.get("seed", ""))
    unknown = kind not in KINDS
    fresh = replace(state, written=None, hint=False, solution=False)
    return replace(
        fresh,
        kind=FIRST if unknown else kind,
        seed=seed if seed is not None and seed <= HIGHEST_SEED else 1,
        view=asked.get("view", "one") if asked.get("view") in VIEWS else "one",
        part=asked.get("part", "A") if asked.get("part") in PARTS else "A",
        notice=UNKNOWN if unknown else "",
    )
