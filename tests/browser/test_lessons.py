"""A lesson in a browser: one whole path, presented by PageDown alone in projector mode; guesses; the menu."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from core.teaching.lessons import LESSONS

MESSAGE_TYPES = 4
SHOWS = [  # what each state of that lesson has in its picture: before the answer, and after it
    (".home", "12°C, rainy"),
    (".home", "12°C, rainy"),
    (".stepper .place", "step 2 of 8"),
    (".stepper .place", "step 8 of 8"),
    (".stepper .place", "step 4 of 13"),
    (".stepper .place", "step 11 of 13"),
    (".columns", "18°C, cloudy"),
    (".columns", "18°C, cloudy"),
    (".columns", "OpenAI chat takes it."),
    (".columns", "This call has no result."),
    (".columns", "OpenAI chat takes it."),
    (".columns", "OpenAI chat refuses it"),
    (".exercise", "call_e3"),
    (".exercise", "call_e3"),
    (".columns", "OpenAI chat takes it."),
    (".columns", "tool_use_id"),
]


@pytest.fixture(autouse=True)
def forgotten(page):
    """The tabs of all tests share a browser: it is to keep nothing of these."""
    yield
    page.evaluate("localStorage.removeItem('loopscope lessons')")


@pytest.fixture
def opened(page, server):
    """Open a place of a lesson in the tab `page`."""

    def go(lesson: int, at: int, **others: str) -> None:
        page.goto(f"{server}?{urlencode({'lesson': lesson, 'at': at, **others})}")
        expect(page.locator(".lesson .ask")).to_be_visible()

    return go


def expect_state(page, number: int) -> None:
    """Wait until a state of the lesson is there: in the rail, in the address and in the picture."""
    step, shown = LESSONS[MESSAGE_TYPES - 1].steps[number // 2], bool(number % 2)
    rail = page.locator(".lesson:not(.waiting)")
    expect(rail.locator(".text p")).to_have_text(step.why if shown else step.look)
    if shown:
        expect(rail.locator(".pick.right, .computed")).to_contain_text(step.answer().text)
    selector, text = SHOWS[number]
    expect(page.locator(selector).first).to_contain_text(text)
    wanted = {"lesson": str(MESSAGE_TYPES), "at": str(number // 2 + 1), "embed": "true"}
    wanted |= {
        name: text for name, text in (step.revealed if shown else step.address).items() if name != "view"
    }
    page.wait_for_function(
        """wanted => { const here = new URLSearchParams(window.location.search);
            return Object.entries(wanted).every(([name, text]) => here.get(name) === text) }""",
        arg=wanted,
    )
    page.wait_for_url(f"**/{step.screen.removeprefix('home')}?**")


def test_page_down_alone_presents_a_path_on_a_projector_and_page_up_goes_back(page, opened):
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(MESSAGE_TYPES, 1, embed="true")
    for number in range(len(SHOWS)):
        if number:
            page.keyboard.press("PageDown")
        expect_state(page, number)
    page.keyboard.press("PageUp")
    expect_state(page, len(SHOWS) - 2)
    expect(page.locator(".lesson .dots .done")).to_have_count(len(SHOWS) // 2)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()


def test_fast_presses_all_count_and_what_is_done_and_guessed_outlives_a_reload(page, opened, settled):
    opened(MESSAGE_TYPES, 2)
    page.get_by_label("your guess").fill("4")
    for _ in range(3):
        page.keyboard.press("PageDown")
    expect(page.locator(".lesson .told.computed")).to_have_text("computed 2")
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    expect(page.locator(".lesson .told.wrong")).to_have_text("guess 4")
    expect(page.locator(".lesson .told.computed")).to_have_text("computed 5")
    opened(MESSAGE_TYPES, 2)
    expect(page.locator(".lesson .done")).to_have_count(2)
    expect(page.get_by_label("your guess")).to_have_value("4")
    settled(page).get_by_role("button", name="Lessons").click()
    expect(page.get_by_text("4 · Message types · 2 of 8")).to_be_visible()
    page.get_by_text("Forget my progress").click()
    expect(page.locator(".lesson .done")).to_have_count(0)
    expect(page.get_by_label("your guess")).to_have_value("")


def test_home_starts_a_lesson_whose_keys_are_the_screens_once_it_is_folded_or_left(page, server, settled):
    page.goto(server)
    page.get_by_role("button", name="4 · Message types").click()
    expect(page.locator(".lesson .ask")).to_be_visible()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(page.locator(".stepper .place")).to_have_text("step 2 of 8 · turn 1")
    expect(page.locator(".lesson .next")).to_be_in_viewport()
    expect(page.locator(".stepper")).to_be_in_viewport(ratio=0.5)
    page.get_by_title("Fold: the keys are the screen's").click()
    page.keyboard.press("PageDown")
    expect(page.locator(".stepper .place")).to_have_text("step 3 of 8 · turn 1")
    page.get_by_label("leave the lesson").click()
    expect(page.locator(".lesson")).to_be_hidden()
    page.wait_for_function("!new URLSearchParams(window.location.search).has('lesson')")
    settled(page)
    expect(page.locator(".stepper .place")).to_have_text("step 3 of 8 · turn 1")
