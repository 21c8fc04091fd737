"""The speculative screen in a real browser: keys, the accept bar, the clock, and links."""

from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import expect

STREAMING = 180_000  # milliseconds: the machine may be busy
SHORT = {"prompt": "Once upon a time, there was", "layers": "2", "gamma": "2"}  # two layers are soon read


@pytest.fixture
def opened(server, settled):
    """Open the screen in a tab at an address, and wait until its picture is drawn."""

    def open_screen(page, picture: str = ".speculative[data-rounds]", **address: str):
        page.goto(f"{server}/speculative?{urlencode(address)}")
        settled(page).locator(picture).wait_for(timeout=STREAMING)
        page.get_by_role("button", name="Begin again").wait_for()  # the keys are the buttons'
        return page

    return open_screen


def wait_for_rounds(page, number: int) -> None:
    page.locator(f"[data-rounds='{number}']").wait_for(timeout=STREAMING)


def texts(page) -> list[str]:
    return page.locator("button.chip .token").all_inner_texts()


def expect_texts(page, wanted: list[str]) -> None:
    expect(page.locator("button.chip .token")).to_have_text(wanted)


def test_keys_step_go_back_and_begin_again_and_a_cold_link_restores(page, opened, settled, browser):
    opened(page, **SHORT, seed="2")
    settled(page).keyboard.press("s")
    wait_for_rounds(page, 2)
    settled(page).keyboard.press("PageDown")
    wait_for_rounds(page, 3)
    first = texts(page)
    settled(page).keyboard.press("PageUp")
    wait_for_rounds(page, 2)
    settled(page).keyboard.press("PageDown")
    wait_for_rounds(page, 3)
    expect_texts(page, first)
    page.wait_for_function(
        "() => new URLSearchParams(location.search).get('rounds') === '3'", timeout=STREAMING
    )
    with browser.new_context() as context:
        asked = parse_qs(page.evaluate("location.search.slice(1)"))
        other = opened(context.new_page(), **{name: "".join(value) for name, value in asked.items()})
        wait_for_rounds(other, 3)
        expect_texts(other, first)
    page.keyboard.press("b")
    wait_for_rounds(page, 1)


def test_it_plays_and_pauses(page, opened, settled):
    opened(page, **SHORT)
    page.keyboard.press("p")
    page.get_by_role("button", name="Pause").click(timeout=STREAMING)
    page.get_by_role("button", name="Play").wait_for(timeout=STREAMING)
    settled(page)
    stopped = int(page.locator("[data-rounds]").get_attribute("data-rounds"))
    page.keyboard.press("s")  # had it gone on, this would not be the next round
    wait_for_rounds(page, stopped + 1)
    expect(settled(page).locator(f"[data-rounds='{stopped + 1}']")).to_be_attached()


def test_an_accepted_token_has_its_u_on_the_bar_and_a_rejected_one_beyond(page, opened):
    opened(page, prompt=SHORT["prompt"], seed="0")  # accepts the first, rejects the second
    for kind in ("accepted", "rejected"):
        card = page.locator(f".drafted.{kind}").first
        bar, u = card.locator(".test .bar").bounding_box(), card.locator(".test .u").bounding_box()
        assert (u["x"] + u["width"] / 2 < bar["x"] + bar["width"]) == (kind == "accepted")
    expect(page.locator(".drafted.not-tested")).to_have_count(2)
    expect(page.locator(".last.residual")).to_have_count(1)


def test_a_round_is_chosen_by_a_click_on_one_of_its_tokens(page, opened):
    opened(page, **SHORT, rounds="2")
    wait_for_rounds(page, 2)
    page.locator("button.chip").first.click()
    page.locator(".round-head", has_text="Round 1").wait_for()
    page.wait_for_function(
        "() => new URLSearchParams(location.search).get('round') === '1'", timeout=STREAMING
    )


def test_the_clock_runs_and_can_be_stopped(page, opened):
    opened(page, picture=".speed[data-lines]", prompt="One two three", layers="2", view="speed")
    page.get_by_role("button", name="Time both here").click()
    page.get_by_role("button", name="Stop").click(timeout=STREAMING)
    page.get_by_role("button", name="Time both here").wait_for(timeout=STREAMING)


def test_the_picture_stands_above_the_fold(page, opened):
    opened(page, prompt=SHORT["prompt"])
    expect(page.locator(".cards")).to_be_in_viewport(ratio=1)
