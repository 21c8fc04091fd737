"""The constrained screen in a real browser: keys, strokes through what is forbidden, stopping, and links."""

from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import expect

STREAMING = 180_000  # milliseconds: the machine may be busy
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def opened(server, settled):
    """Open the screen in a tab at an address, and wait until its picture is drawn."""

    def open_screen(page, picture: str = ".constrained[data-tokens]", **address: str):
        page.goto(f"{server}/constrained?{urlencode(address)}")
        settled(page).locator(picture).wait_for(timeout=STREAMING)
        return page

    return open_screen


def wait_for_tokens(page, number: int) -> None:
    page.locator(f"[data-tokens='{number}']").wait_for(timeout=STREAMING)


def texts(page) -> list[str]:
    return page.locator("button.chip .token").all_inner_texts()


def expect_texts(page, wanted: list[str]) -> None:
    expect(page.locator("button.chip .token")).to_have_text(wanted)


def wait_for_address(page, name: str, value: str | None) -> None:
    page.wait_for_function(
        "([name, value]) => new URLSearchParams(location.search).get(name) === value",
        arg=[name, value],
        timeout=STREAMING,
    )


def test_keys_step_go_back_and_begin_again_and_a_cold_link_restores(page, opened, settled, browser):
    opened(page, example="date", seed="4")
    page.get_by_role("button", name="Begin again").wait_for()  # the keys are the buttons'
    settled(page).keyboard.press("s")
    wait_for_tokens(page, 2)
    settled(page).keyboard.press("PageDown")
    wait_for_tokens(page, 3)
    first = texts(page)
    settled(page).keyboard.press("PageUp")
    wait_for_tokens(page, 2)
    settled(page).keyboard.press("PageDown")
    wait_for_tokens(page, 3)
    expect_texts(page, first)
    wait_for_address(page, "tokens", "3")
    with browser.new_context() as context:
        asked = parse_qs(page.evaluate("location.search.slice(1)"))
        other = opened(context.new_page(), **{name: "".join(value) for name, value in asked.items()})
        wait_for_tokens(other, 3)
        expect_texts(other, first)
    page.keyboard.press("b")
    wait_for_tokens(page, 1)
    expect_texts(page, first[:1])


def test_it_plays_to_the_end_and_says_what_became_of_it(page, opened):
    opened(page, example="mood")
    page.get_by_role("button", name="Play").wait_for()
    page.keyboard.press("p")
    page.locator(".end", has_text="parses and conforms").wait_for(timeout=STREAMING)
    assert "".join(texts(page)[:-1]) in ("positive", "neutral", "negative")
    page.get_by_role("button", name="Play").wait_for(timeout=STREAMING)


def test_what_the_mask_forbids_is_struck_through_and_has_no_bar(page, opened):
    opened(page, example="date")
    forbidden = page.locator(".row.forbidden").first
    line = forbidden.locator(".token").evaluate("e => getComputedStyle(e).textDecorationLine")
    assert line == "line-through"
    expect(forbidden.locator(".percent")).to_have_text("0.0 %")
    expect(page.locator(".row.taken")).to_have_count(1)


def test_a_token_is_chosen_by_a_click_and_stands_in_the_address(page, opened):
    opened(page, example="date", tokens="3")
    wait_for_tokens(page, 3)
    page.locator("button.chip").nth(1).click()
    page.locator(".step", has_text="Token 2").wait_for()
    wait_for_address(page, "token", "2")


def test_counting_can_be_stopped_and_keeps_what_was_counted(page, opened, settled):
    opened(page, picture=".trial[data-pairs]", example="mood", view="trial", pairs="50", T="0")
    page.get_by_role("button", name="Draw and count").click()
    page.locator(".trial:not([data-pairs='0'])").wait_for(timeout=STREAMING)
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="more").wait_for(timeout=STREAMING)
    counted = settled(page).locator(".trial").get_attribute("data-pairs")
    page.wait_for_timeout(500)  # a pair takes less
    expect(settled(page).locator(".trial")).to_have_attribute("data-pairs", counted)
    computed, counted_row = page.locator(".share").first, page.locator(".share").nth(1)
    assert computed.locator(".number").all_inner_texts()[-1] == "100.0 %"
    assert computed.locator(".interval").count() == 0
    assert counted_row.locator(".number").first.inner_text().endswith("%)")


def test_text_of_a_constraint_is_data(page, opened):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog), dialog.dismiss()))
    opened(page, kind="choice", constraint=HOSTILE, prompt=f"{HOSTILE}\n", T="0", tokens="40")
    page.locator(".end", has_text="conforms").wait_for(timeout=STREAMING)
    assert "".join(texts(page)[:-1]).replace("·", " ") == HOSTILE
    assert not dialogs


def test_the_picture_stands_above_the_fold(page, opened):
    opened(page, example="date")
    expect(page.locator(".constrained .rows")).to_be_in_viewport(ratio=1)
