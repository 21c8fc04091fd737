"""What is practised: one value in the session, and in the address."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
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
TOUCHED = "exercises touched"  # session: a widget has changed the state in this very rerun
FIRST = next(iter(KINDS))
PARTS = {"A": "A: sampling", "B": "B: the loop and the context"}
VIEWS = {"one": "One", "sheet": "Sheet"}
NAMES = ("kind", "seed", "view", "part", "done")
UNKNOWN = "The address names an exercise that is not here; another is shown in its place."
NO_NUMBER = f"The address names a number that is none from 0 to {HIGHEST_SEED:,}; this is number 1."
DONE = re.compile("[0-9a-f]{1,60}")


@dataclass(frozen=True)
class Attempt:
    """What became of one exercise. `written`: what stands in its fields; `checked`: what was checked last.

    `hint`, `solution`: whether they are open. `seen`: whether its solution was opened first.
    """

    written: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    checked: Mapping[str, Any] | None = None
    hint: bool = False
    solution: bool = False
    seen: bool = False


@dataclass(frozen=True)
class Practice:
    """`seed`: the number of the exercise, and of the sheet. `part`: what a sheet holds.

    `attempts`: by kind and number, so that who comes back finds the answers. `solved`: the kinds of which an
    exercise was all right before its solution was opened. `notice`: a sentence about a bad address, or empty.
    """

    kind: str = FIRST
    seed: int = 1
    view: str = "one"
    part: str = "A"
    attempts: Mapping[tuple[str, int], Attempt] = field(default_factory=lambda: MappingProxyType({}))
    solved: frozenset[str] = frozenset()
    notice: str = ""

    @property
    def attempt(self) -> Attempt:
        """What became of the exercise in view."""
        return self.attempts.get((self.kind, self.seed), Attempt())

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What is said about each field; empty before anything was checked."""
        checked = self.attempt.checked
        if checked is None:
            return {}
        return {verdict.field: verdict for verdict in check(self.kind, self.seed, checked)}

    @property
    def all_right(self) -> bool:
        """Whether every field was answered and is right."""
        verdicts = self.verdicts
        return bool(verdicts) and all(verdict.state == "right" for verdict in verdicts.values())

    def attempted(self, **changes: Any) -> "Practice":
        """The same with another attempt at the exercise in view."""
        attempt = replace(self.attempt, **changes)
        return replace(
            self, attempts=MappingProxyType({**self.attempts, (self.kind, self.seed): attempt}), notice=""
        )

    def with_written(self, kind: str, seed: int, name: str, value: Any) -> "Practice":
        """The same with another answer in a field of an exercise, which need not be in view any more."""
        attempt = self.attempts.get((kind, seed), Attempt())
        attempt = replace(attempt, written=MappingProxyType({**attempt.written, name: value}))
        return replace(self, attempts=MappingProxyType({**self.attempts, (kind, seed): attempt}))


def current() -> Practice:
    """The state of this session."""
    state: Practice = st.session_state[KEY]
    return state


def on_opening() -> Practice:
    """The state; where the screen was opened by a link, with what its address says.

    Back and forward in the browser's history name another exercise while the screen is open.
    """
    state, touched = st.session_state.get(KEY, Practice()), st.session_state.pop(TOUCHED, False)
    asked = {name: st.query_params[name] for name in NAMES if name in st.query_params}
    if opened():
        state = replace(state, notice="")
        if asked:
            state = _addressed(state, asked)
    elif not touched and asked and _other(state, asked):
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
            "done": done_word(state.solved),
        }
    )


def done_word(solved: frozenset[str]) -> str:
    """The solved kinds as one hexadecimal number: a bit for each, by its place in the catalogue."""
    bits = sum(1 << place for place, slug in enumerate(KINDS) if slug in solved)
    return f"{bits:x}" if bits else ""


def done_kinds(word: str) -> frozenset[str]:
    """The kinds that such a number names; nothing where it is none."""
    bits = int(word, 16) if DONE.fullmatch(word) else 0
    return frozenset(slug for place, slug in enumerate(KINDS) if bits >> place & 1)


def turn_to(kind: str | None = None, seed: int | None = None) -> None:
    """Take another exercise, as it was left."""
    state = current()
    kind, seed = kind or state.kind, state.seed if seed is None else seed
    if (kind, seed) != (state.kind, state.seed):
        _take(replace(state, kind=kind, seed=seed, notice=""))


def new() -> None:
    """Take the next exercise of this kind."""
    turn_to(seed=(current().seed + 1) % (HIGHEST_SEED + 1))


def change(**changes: Any) -> None:
    """Change the state in part."""
    _take(replace(current(), **changes))


def show_hint() -> None:
    """Show the hint, or hide it."""
    state = current()
    _take(state.attempted(hint=not state.attempt.hint))


def show_solution() -> None:
    """Show the worked solution, or hide it."""
    state = current()
    attempt = state.attempt
    _take(state.attempted(solution=not attempt.solution, seen=attempt.seen or not state.all_right))


def write(kind: str, seed: int, name: str, value: Any) -> None:
    """Keep what was written into a field."""
    _take(current().with_written(kind, seed, name, value))


def answer(written: Mapping[str, Any]) -> None:
    """Check answers, and note what is solved."""
    state = current().attempted(written=written, checked=written)
    if state.all_right and not state.attempt.seen:
        state = replace(state, solved=state.solved | {state.kind})
    _take(state)


def nothing(field: Field) -> str | list[str] | None:
    """What a widget holds before anything is answered."""
    if isinstance(field, SetField | OrderField):
        return []
    return getattr(field, "start", None if hasattr(field, "options") else "")


def _take(state: Practice) -> None:
    st.session_state[KEY] = state
    st.session_state[TOUCHED] = True


def _other(state: Practice, asked: Mapping[str, str]) -> bool:
    """Whether an address names another exercise, or the other view."""
    if asked.get("view", "one") != state.view or asked.get("seed") != str(state.seed):
        return True
    return state.view == "one" and asked.get("kind") != state.kind


def _addressed(state: Practice, asked: Mapping[str, str]) -> Practice:
    kind, seed = asked.get("kind", state.kind), address.whole(asked.get("seed", ""))
    unknown, fits = kind not in KINDS, seed is not None and seed <= HIGHEST_SEED
    return replace(
        state,
        kind=FIRST if unknown else kind,
        seed=seed if seed is not None and fits else 1,
        view=asked.get("view", "one") if asked.get("view") in VIEWS else "one",
        part=asked.get("part", "A") if asked.get("part") in PARTS else "A",
        solved=state.solved | done_kinds(asked.get("done", "")),
        notice=UNKNOWN if unknown else NO_NUMBER if "seed" in asked and not fits else "",
    )
