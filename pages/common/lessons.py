"""The lesson rail: a bar above every screen that leads through a path, step by step, with predictions.

The place in the path lives in the session and in the address, as `lesson` and `at`. A step is opened as a
link is: its address is put in the place of the one in view, and its screen reads it. The browser says where
it wants to be, not how far to go, so that presses may come faster than the screens.

What is done, and what was guessed, the browser keeps as well, and tells when a session begins.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import streamlit as st

from core.errors import InputError
from core.teaching.lessons import EDITION, LESSONS, Choice, Lesson, LessonStep
from core.teaching.lessons.step import Number
from pages.common import lesson_ahead
from pages.common.address import whole
from pages.common.components import declare
from pages.common.page import open_anew, title_of

RAIL = declare("lesson")
KEY, MENU = "lesson rail", "lesson menu"
COURSE = "course"  # session: the Course
ASKED = "place asked for"  # session: the Place that the browser, or a menu, wants to be at
COMPUTING = "answer is being computed"  # session: whether the bar has to do without it
SCREEN = "screen of the rail"  # session: the screen at the last run
NAMES = ("lesson", "at")
HOME = "home"
LONGEST = 200  # characters of a guess
FORGET = "forget"
# What fits a window without the bar has to fit below it: the heights of pictures leave out `--bar`, and all
# else, which is sized in rem, gets smaller by its share.
STYLE = """<style>
html { --bar: 6.6rem; font-size: clamp(14px, 1.88vh, 16px); }
[data-testid="stMainBlockContainer"] { padding-top: 1.6rem; }
[data-testid="stLayoutWrapper"]:has(> .st-key-lesson) { position: sticky; top: 1.6rem; z-index: 99; }
</style>"""
OFF_STYLE = """<style>
[data-testid="stLayoutWrapper"]:has(> .st-key-lesson) { position: absolute; }
</style>"""
# Twice the root: each screen sets the size of projector mode again, after the bar.
PROJECTOR_STYLE = "<style>:root:root { font-size: clamp(14px, min(1.79vh, 1.15vw), 40px); }</style>"


@dataclass(frozen=True)
class Place:
    """A step of a lesson, both from 1, and whether its answer is shown."""

    lesson: int
    at: int
    shown: bool = False

    @property
    def step(self) -> LessonStep:
        """The step itself."""
        return LESSONS[self.lesson - 1].steps[self.at - 1]


@dataclass(frozen=True)
class Course:
    """Where the reader is, `None` outside lessons; which steps are `done`, and what was guessed at them.

    `heard`: the number of the browser's last report. `forgotten`: another text each time that the reader has
    had the browser forget what it keeps.
    """

    place: Place | None = None
    done: frozenset[tuple[int, int]] = frozenset()
    guesses: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    heard: int = 0
    forgotten: str = ""

    def done_of(self, lesson: int) -> int:
        """How many steps of a lesson are done."""
        return sum(number == lesson for number, _ in self.done)


def course() -> Course:
    """The lessons of this session."""
    taken: Course = st.session_state.setdefault(COURSE, Course())
    return taken


def rail(url_path: str) -> None:
    """Show the bar, if a lesson is on. `url_path`: that of the screen in view, which is shown after it."""
    screen = url_path or HOME
    first = SCREEN not in st.session_state
    named, seen = _named(), st.session_state.get(SCREEN)
    st.session_state[SCREEN] = screen
    if asked := st.session_state.pop(ASKED, None):
        _go(asked, screen)
    elif named and first:
        _go(named, screen)
    elif named and seen != screen and not _is_at(named):  # back and forward in the browser's history
        _change(place=named)
    # Always there: what stands below it would be made anew if its place among the elements changed.
    with st.container(key="lesson"):
        if place := course().place:
            _write(place)
            st.html(STYLE + (PROJECTOR_STYLE if st.context.is_embedded else ""))
        else:
            st.html(OFF_STYLE)
        data = _kept_data() | (_data(place, screen) if place else {"off": True})
        RAIL(key=KEY, data=data, on_place_change=_moved, on_kept_change=_remembered)


def come_back() -> None:
    """After the screen: have it shown again once an answer is there that the bar had to do without.

    Only then, since the browser would tell of widgets that the screen was about to set.
    """
    place = course().place
    if place and st.session_state[COMPUTING]:
        lesson_ahead.come_back(place.lesson, place.at)


def menu(url_path: str) -> None:
    """Offer the lessons, and the steps of the screen in view, in the sidebar."""
    offered = {f"lesson {number}": said(number, lesson) for number, lesson in enumerate(LESSONS, 1)}
    here = (url_path or HOME).removesuffix("/")
    for number, lesson in enumerate(LESSONS, 1):
        for at, step in enumerate(lesson.steps, 1):
            if step.screen == here:
                offered[f"lesson {number} {at}"] = f"Here · {step.ask}"
    if course().done:
        offered[FORGET] = "Forget my progress"
    st.menu_button(
        "Lessons", list(offered), format_func=offered.get, key=MENU, on_click=_chosen, width="stretch"
    )


def offer() -> None:
    """Show a row with the lessons, one for each objective of the lecture; while one is on, it is the rail."""
    if course().place:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption("Lessons", width="content")
        for number, lesson in enumerate(LESSONS, 1):
            about = f"{lesson.objective} {course().done_of(number)} of {len(lesson.steps)} steps are done."
            st.button(f"{number} · {lesson.title}", help=about, on_click=start, args=(number,))


def said(number: int, lesson: Lesson) -> str:
    """A lesson in a menu: its title, and how far the reader has come."""
    done = course().done_of(number)
    return f"{number} · {lesson.title}" + (f" · {done} of {len(lesson.steps)}" if done else "")


def start(number: int) -> None:
    """Go to the first step of a lesson that is not done; where all are, to the first."""
    left = [at for at in range(1, len(LESSONS[number - 1].steps) + 1) if (number, at) not in course().done]
    st.session_state[ASKED] = Place(number, left[0] if left else 1)


def _chosen() -> None:
    if st.session_state[MENU] == FORGET:
        _change(done=frozenset(), guesses=MappingProxyType({}), forgotten=secrets.token_hex(4))
        return
    _, number, *at = str(st.session_state[MENU]).split()
    if at:
        st.session_state[ASKED] = Place(int(number), int(at[0]))
    else:
        start(int(number))


def _named() -> Place | None:
    """The place that the address names."""
    lesson, at = (whole(st.query_params.get(name, "")) or 0 for name in NAMES)
    if not 1 <= lesson <= len(LESSONS):
        return None
    return Place(lesson, min(max(at, 1), len(LESSONS[lesson - 1].steps)))


def _is_at(named: Place) -> bool:
    place = course().place
    return place is not None and (place.lesson, place.at) == (named.lesson, named.at)


def _change(**changes: object) -> None:
    st.session_state[COURSE] = replace(course(), **changes)


def _go(place: Place, screen: str) -> None:
    """Open a place, as a link to it would be opened; this ends the run, unless all of it is in view."""
    before, step = course().place, place.step
    done = course().done | ({(place.lesson, place.at)} if place.shown else set())
    _change(place=place, done=done)
    stays = before is not None and (before.lesson, before.at) == (place.lesson, place.at)
    if stays and before != place and not step.then and screen == step.screen:
        return
    open_anew()
    address = step.revealed if place.shown else step.address
    named = {"lesson": str(place.lesson), "at": str(place.at)}
    st.switch_page(f"pages/{step.screen}.py", query_params={**address, **named})


def _write(place: Place) -> None:
    wanted = {"lesson": str(place.lesson), "at": str(place.at)}
    if any(st.query_params.get(name) != text for name, text in wanted.items()):
        st.query_params.update(wanted)


def _data(place: Place, screen: str) -> dict[str, object]:
    """Everything that the bar says."""
    lesson, step, now = LESSONS[place.lesson - 1], place.step, course()
    question = step.question
    guess = now.guesses.get(f"{place.lesson}.{place.at}", "")
    answer, problem = None, ""
    lesson_ahead.st_ahead().begin(place.lesson, place.at)
    if place.shown:
        try:
            answer = lesson_ahead.answer_of(place.lesson, place.at)
        except InputError as error:
            problem = str(error)
    computing = st.session_state[COMPUTING] = place.shown and not answer and not problem
    return {
        "lesson": place.lesson,
        "at": place.at,
        "shown": place.shown,
        "title": lesson.title,
        "objective": lesson.objective,
        "screen": title_of(step.screen),
        "here": step.screen == screen,
        "steps": [title_of(one.screen) for one in lesson.steps],
        "look": step.look,
        "ask": step.ask,
        "form": question.form,
        "options": list(question.options) if isinstance(question, Choice) else [],
        "unit": question.unit if isinstance(question, Number) else "",
        "guess": guess,
        "answer": answer and {"text": answer.text, "index": answer.index},
        "computing": computing,
        "right": question.fits(guess, answer) if answer and guess else None,
        "why": problem or step.why,
    }


def _kept_data() -> dict[str, object]:
    """What the browser is to keep, and to forget."""
    now = course()
    return {
        "sent": now.heard,
        "edition": EDITION,
        "done": sorted(f"{lesson}.{at}" for lesson, at in now.done),
        "guesses": dict(now.guesses),
        "forget": now.forgotten,
    }


def _remembered() -> None:
    """Take over what the browser has kept of these lessons; what this session knows itself counts more."""
    match st.session_state[KEY].get("kept"):
        case {"done": list() as told, "guesses": Mapping() as guesses, "edition": str() as of} if (
            of == EDITION
        ):
            steps = _steps()
            done = {steps[key] for key in told if isinstance(key, str) and key in steps}
            _change(done=course().done | done, guesses=_with(_with({}, guesses), course().guesses))


def _steps() -> dict[str, tuple[int, int]]:
    """The steps of all lessons by their names: "4.1"."""
    return {
        f"{number}.{at}": (number, at)
        for number, lesson in enumerate(LESSONS, 1)
        for at in range(1, len(lesson.steps) + 1)
    }


def _moved() -> None:
    """Take over where the browser wants to be.

    Streamlit sends what is pressed at about the same time as one: with a press in a part of the screen that
    runs on its own, that part alone would run. So the whole page is asked for.
    """
    match st.session_state[KEY].get("place"):
        case {"sent": int() as sent} if sent <= course().heard:
            return  # it tells what it told before, since the screen is another one
        case {"sent": int() as sent, "leave": True}:
            _change(place=None, heard=sent)
            for name in NAMES:
                st.query_params.pop(name, None)
        case {
            "sent": int() as sent,
            "lesson": int() as lesson,
            "at": int() as at,
            "shown": bool() as shown,
        } as told:
            if not (1 <= lesson <= len(LESSONS) and 1 <= at <= len(LESSONS[lesson - 1].steps)):
                return
            _change(heard=sent, guesses=_with(course().guesses, told.get("guesses")))
            st.session_state[ASKED] = Place(lesson, at, shown)
        case _:
            return
    st.rerun()


def _with(guesses: Mapping[str, str], told: object) -> Mapping[str, str]:
    """The guesses with those that the browser tells, by lesson and step: "4.1"; what is none is left out."""
    if not isinstance(told, Mapping):
        return guesses
    steps = _steps()
    known = {key: text[:LONGEST] for key, text in told.items() if key in steps and isinstance(text, str)}
    return MappingProxyType({**guesses, **known})
