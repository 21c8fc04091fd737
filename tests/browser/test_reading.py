"""A long prompt in a real browser: it says how far it is, it can be stopped, and it goes on."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

LONG = "one two three four five " * 500  # 2,501 tokens: many blocks


def test_reading_a_long_prompt_is_shown_stopped_and_gone_on_with(page, server, settled):
    page.goto(f"{server}/sampling?{urlencode({'prompt': LONG})}")
    page.get_by_text("Reading the text").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("are not read yet").wait_for()
    settled(page)
    left = page.get_by_text("are not read yet").inner_text()
    page.wait_for_timeout(500)  # a block takes less
    expect(settled(page).get_by_text("are not read yet")).to_have_text(left)
    page.get_by_role("button", name="Read on").click()
    page.locator(".distribution[data-key]").wait_for(timeout=180_000)


@pytest.mark.parametrize("screen", ["constrained", "speculative"])
def test_a_long_prompt_is_stopped_where_text_is_drawn_and_another_one_is_read(page, server, settled, screen):
    # Each screen has a text of its own: what one has read, the other does not read again.
    page.goto(f"{server}/{screen}?{urlencode({'prompt': f'{screen} {LONG * 2}'})}")
    page.get_by_text("Reading the text").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("are not read yet").wait_for()
    settled(page)
    expect(page.locator("button.chip")).to_have_count(0)
    page.get_by_label("Prompt").fill("Her name was")
    page.get_by_label("Prompt").press("Control+Enter")
    page.locator("button.chip").first.wait_for(timeout=180_000)
    expect(page.get_by_text("are not read yet")).to_have_count(0)


def test_another_prompt_does_not_wait_for_a_long_one(page, server, settled):
    long = "six seven eight nine ten " * 1000
    page.goto(f"{server}/sampling?{urlencode({'prompt': long})}")
    page.get_by_text("Reading the text").wait_for()
    page.get_by_label("Prompt").fill("Her name was")
    page.get_by_label("Prompt").press("Control+Enter")
    page.locator(".chips .token", has_text="·name").wait_for()
    # The long one was left in the middle: asked for again, it is read on, and stops again.
    settled(page).get_by_label("Prompt").fill(long)
    page.get_by_label("Prompt").press("Control+Enter")
    page.get_by_text("Reading the text").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("are not read yet").wait_for()
