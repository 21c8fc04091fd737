"""The home screen in a browser: the picture, its fit, and the doors."""

import pytest
from playwright.sync_api import expect

from core.teaching.lecture_map import statements
from tests.browser.waiting import expect_fit


@pytest.fixture
def home(page, server):
    """The home screen, drawn."""
    page.goto(server)
    page.locator(".home .door").nth(2).wait_for()
    return page


def test_the_picture_shows_the_models_top_token_and_the_token_that_was_drawn(home):
    expect(home.locator(".logits .row .token").first).to_have_text("·Paris")
    expect(home.locator(".distribution .row .number").first).to_have_text("77.3 %")
    expect(home.locator(".picked .chip")).to_have_text("·Paris")
    expect(home.locator(".chip.next")).to_have_text("·Paris")


def test_it_fits_above_the_fold(home):
    expect_fit(home)


def test_it_fits_on_a_projector_in_large_type(page, server):
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{server}?embed=true")
    page.locator(".home .door").nth(2).wait_for()
    expect_fit(page)


def test_the_door_to_sampling_opens_on_the_same_draw(home):
    enter(home, "Sampling")
    home.locator(".distribution .is-picked", has_text="·Paris").wait_for()
    expect(home.get_by_text("u = 0.6370").first).to_be_visible()


def test_the_door_to_react_opens_on_the_same_run(home):
    enter(home, "ReAct")
    home.get_by_text("What's the weather in Berlin?").first.wait_for()


def test_the_door_to_the_context_opens_on_the_same_call(home):
    enter(home, "Context budget")
    home.locator(".column.selected .total", has_text="258").wait_for()


def test_a_door_keeps_projector_mode(page, server):
    page.goto(f"{server}?embed=true")
    enter(page, "ReAct")
    page.wait_for_url("**/react?*embed=true*")


def test_a_statement_of_the_lecture_is_found_and_leads_to_its_pictures(home, settled):
    wanted = next(one for one in statements() if one.text.startswith("When repetition is detected"))
    first, second = (place.address["scenario"] for place in wanted.places)
    home.keyboard.press("/")
    home.get_by_label("Find in the lecture").fill(wanted.text.upper())
    expect(home.locator(".found .statement").first).to_contain_text(wanted.text)
    home.keyboard.press("Enter")
    home.wait_for_url(f"**/react?*scenario={first}*")
    expect(home.locator(".told.card")).to_contain_text(wanted.where)
    settled(home).locator(".told.card").get_by_role("button", name="place 1 of 2").click()
    home.wait_for_url(f"**/react?*scenario={second}*")
    expect(home.locator(".told.card")).to_contain_text("place 2 of 2")
    settled(home).keyboard.press("Escape")
    expect(home.locator(".told.card")).to_be_hidden()


def test_of_what_is_found_the_note_can_be_closed_alone_and_the_next_place_may_be_on_the_same_screen(
    home, settled
):
    find(home, "frequency of thoughts")
    term = home.get_by_test_id("stPopoverBody").get_by_text("Dense or sparse")
    expect(term).to_be_visible()
    settled(home).keyboard.press("Escape")
    expect(home.locator(".told.card")).to_be_hidden()
    expect(term).to_be_visible()
    home.keyboard.press("Escape")
    expect(term).to_be_hidden()

    find(home, "Each call sends more than the conversation")
    chosen = home.locator("button.row[aria-pressed='true']")
    expect(chosen).to_contain_text("whole context")
    settled(home).keyboard.press(".")
    expect(chosen).to_contain_text("memory")


def find(page, words: str) -> None:
    """Find a statement by some words of it, open its first place, and wait for the note."""
    page.keyboard.press("/")
    page.get_by_label("Find in the lecture").fill(words)
    page.keyboard.press("Enter")
    page.locator(".told.card").wait_for()


def enter(page, label: str) -> None:
    """Go through a door, and see that the page was not loaded anew."""
    page.evaluate("window.loaded = 'once'")
    page.locator(".home .door", has_text=label).click()
    page.locator(".home").wait_for(state="detached")
    assert page.evaluate("window.loaded") == "once"
