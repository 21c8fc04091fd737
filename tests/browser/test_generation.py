"""The generation screen in a real browser: it streams, stops, steps, branches, and a link restores it."""

import re
import time
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from playwright.sync_api import expect

from core.lm import embedded, load_tokenizer, visible

FRANCE = "The capital of France is"
HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ :red[y] [l](javascript:alert(2))"
STREAMING = 180_000  # milliseconds: the machine may be busy


@pytest.fixture
def opened(server, settled):
    """Open the screen in a tab at an address, and wait until its picture is drawn."""

    def open_screen(page, picture: str = ".generation", **address: str):
        page.goto(f"{server}/generation?{urlencode(address)}")
        settled(page).locator(f"{picture}[data-tokens]").wait_for(timeout=STREAMING)
        page.get_by_role("button", name="Begin again").wait_for()  # the keys are the buttons'
        return page

    return open_screen


def count(page) -> int:
    return int(page.locator("[data-tokens]").get_attribute("data-tokens"))


def wait_for_tokens(page, number: int) -> None:
    page.locator(f"[data-tokens='{number}']").wait_for(timeout=STREAMING)


def wait_for_more_than(page, number: int) -> None:
    deadline = time.monotonic() + STREAMING / 1000
    while count(page) <= number:
        assert time.monotonic() < deadline, f"{count(page)} tokens"
        page.wait_for_timeout(50)


def texts(page) -> list[str]:
    return page.locator("button.chip .token").all_inner_texts()


def expect_texts(page, wanted: list[str]) -> None:
    expect(page.locator("button.chip .token")).to_have_text(wanted)


def added(page) -> list[int]:
    """As the page itself has it: `page.url` hears of a change a moment later."""
    asked = parse_qs(page.evaluate("location.search.slice(1)"))
    return [int(part) for part in asked["added"][0].split(".")] if "added" in asked else []


def wait_for_added(page, number: int) -> list[int]:
    page.wait_for_function(
        "n => (new URLSearchParams(location.search).get('added') ?? '').split('.').filter(Boolean).length"
        " === n",
        arg=number,
        timeout=STREAMING,
    )
    return added(page)


def by_numpy(prompt: str, seed: int, number: int) -> list[int]:
    """The text at T = 1 by numpy alone: softmax, falling order, the seed's numbers."""
    ids, us = load_tokenizer().encode(prompt), np.random.default_rng(seed).random(number)
    for u in us:
        logits = embedded().next_logits(ids).astype(np.float64)
        order = np.argsort(-logits, kind="stable")
        cumulative = np.cumsum(np.exp(logits[order] - logits.max()))
        ids.append(int(order[np.searchsorted(cumulative, u * cumulative[-1], side="right")]))
    return ids[-number:]


def test_it_plays_and_a_stop_takes_effect_at_once(page, opened, settled):
    opened(page)
    page.keyboard.press("p")
    page.get_by_role("button", name="Pause").wait_for(timeout=STREAMING)
    wait_for_more_than(page, 3)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play").wait_for(timeout=STREAMING)
    settled(page)
    stopped = count(page)
    wait_for_added(page, stopped)
    page.keyboard.press("s")  # had it gone on, this would not be the next token
    assert len(wait_for_added(page, stopped + 1)) == count(settled(page))


def test_what_plays_is_the_text_that_the_seeds_numbers_draw(page, opened, settled):
    opened(page, prompt="Her name was", seed="4")
    page.keyboard.press("p")
    wait_for_more_than(page, 5)
    page.keyboard.press("p")
    page.get_by_role("button", name="Play").wait_for(timeout=STREAMING)
    settled(page)
    shown = wait_for_added(page, count(page))
    assert shown == by_numpy("Her name was", 4, len(shown))


def test_keys_step_and_go_back_and_the_same_seed_gives_the_same_text(page, opened, settled):
    opened(page, seed="9")
    page.keyboard.press("s")
    wait_for_tokens(page, 1)
    page.keyboard.press("PageDown")
    wait_for_tokens(page, 2)
    page.keyboard.press("PageDown")
    first = wait_for_added(page, 3)
    page.keyboard.press("PageUp")
    wait_for_tokens(page, 2)
    page.keyboard.press("PageDown")
    wait_for_tokens(page, 3)
    settled(page)
    assert wait_for_added(page, 3) == first
    page.keyboard.press("b")
    wait_for_tokens(page, 0)
    for number in (1, 2, 3):
        settled(page).keyboard.press("s")
        wait_for_tokens(page, number)
    assert wait_for_added(page, 3) == first == by_numpy(FRANCE, 9, 3)


def test_another_token_makes_a_branch_and_both_stay(page, opened, settled):
    opened(page, T="0", added="7042.30")  # ·Paris .
    page.locator("button.chip").nth(1).click()
    page.locator(".panel", has_text="Token 2").wait_for()
    page.locator(".panel button.row", has_text="·and").click()
    page.locator(".branch").nth(1).wait_for()
    assert wait_for_added(page, 2)[0] == 7042
    expect_texts(page, ["·Paris", "·and"])
    settled(page).keyboard.press("1")
    page.locator(".branch[aria-pressed=true]", has_text="·Paris.").wait_for()
    expect_texts(page, ["·Paris", "."])
    page.locator(".branch").nth(1).click()
    page.locator("button.chip", has_text="·and").wait_for()


def test_a_token_is_opened_with_the_keyboard(page, opened):
    opened(page, T="0", added="7042.30.198")
    page.locator("button.chip").nth(2).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.locator(".panel", has_text="Token 1").wait_for()
    page.wait_for_url(re.compile("token=1"))


def test_every_press_of_the_key_is_a_step_however_fast_they_come(page, opened):
    opened(page, T="0")
    for key in ("s", "s", "PageDown", "s"):
        page.keyboard.press(key)
    assert len(wait_for_added(page, 4)) == 4


def test_the_panel_shows_what_the_model_gives(page, opened):
    opened(page, added="7042", token="1")
    logits = embedded().next_logits(load_tokenizer().encode(FRANCE)).astype(np.float64)
    probs = np.exp(logits - logits.max())
    probs /= probs.sum()
    top = np.argsort(-logits, kind="stable")[:8]
    rows = page.locator(".panel button.row")
    expect(rows).to_have_count(8)
    assert rows.locator(".token").all_inner_texts() == [
        visible(load_tokenizer().token_bytes(int(token_id))) for token_id in top
    ]
    shown = [float(text.removesuffix(" %")) for text in rows.locator(".percent").all_inner_texts()]
    assert shown == pytest.approx((100 * probs[top]).tolist(), abs=0.06)


def test_the_panel_leads_to_the_sampling_screen_with_the_same_context(page, opened, settled):
    opened(page, added="7042.30", token="2", T="0")
    page.get_by_role("link", name="Open this draw").click()
    page.wait_for_url(re.compile(r"/sampling\?"))
    settled(page).locator(".distribution[data-key]").wait_for()
    expect(page.locator(".distribution .chips .token").last).to_have_text("·Paris")
    expect(page.locator(".distribution .is-picked .token")).to_have_text(".")


def test_a_cold_link_restores_the_branch(page, opened, browser, settled):
    opened(page, prompt="Her name was", seed="2", T="0.8")
    for number in (1, 2):
        settled(page).keyboard.press("s")
        wait_for_tokens(page, number)
    wait_for_added(page, 2)
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(page.evaluate("location.href"))
        settled(other)
        wait_for_tokens(other, 2)
        expect_texts(other, texts(settled(page)))
        expect(other.locator(".panel .what")).to_have_text(page.locator(".panel .what").text_content())


def test_a_cycle_of_greedy_is_bracketed_and_said(page, opened):
    tokenizer = load_tokenizer()
    path = [*tokenizer.encode(" given."), *tokenizer.encode(" no no yes") * 3]
    opened(page, prompt="Her name was", T="0", added=".".join(map(str, path)))
    period = len(tokenizer.encode(" no no yes"))
    expect(page.locator(".repeats")).to_have_text(f"The text repeats {period} tokens: 3 times so far.")
    expect(page.locator("button.chip.cycle")).to_have_count(3 * period)
    expect(page.locator("button.chip.opens")).to_have_count(3)


def test_text_is_shown_character_for_character_and_can_be_copied_as_it_is(page, opened):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog), dialog.dismiss()))
    tokenizer = load_tokenizer()
    ids = tokenizer.encode(HOSTILE)
    opened(page, prompt=HOSTILE, added=".".join(map(str, ids)))
    expected = [visible(tokenizer.token_bytes(token_id)) for token_id in ids]
    assert texts(page) == expected
    page.get_by_text("As plain text").click()
    assert page.locator(".plain pre").inner_text() == HOSTILE * 2
    assert not dialogs


def test_four_temperatures_play_in_turn(page, opened, settled):
    opened(page, picture=".temperatures", view="four")
    page.keyboard.press("p")
    wait_for_more_than(page, 7)
    page.keyboard.press("p")
    page.get_by_role("button", name="Play").wait_for(timeout=STREAMING)
    settled(page)
    lengths = [lane.locator(".chip").count() for lane in page.locator(".lane").all()]
    assert max(lengths) - min(lengths) <= 1
    expect(page.locator(".lane").first.locator(".chip .token").first).to_have_text("·Paris")


def test_two_sessions_play_side_by_side_and_apart(page, opened, browser):
    opened(page, T="0")
    with browser.new_context() as context:
        other = opened(context.new_page(), T="0", prompt="Her name was")
        page.keyboard.press("p")
        other.keyboard.press("p")
        wait_for_more_than(page, 4)
        wait_for_more_than(other, 4)
        expect(page.locator("button.chip .token").first).to_have_text("·Paris")
        expect(other.locator("button.chip .token").first).to_have_text("·given")


def test_a_reload_while_it_plays_keeps_what_was_drawn(page, opened):
    opened(page, prompt="Her name was", seed="4")
    page.keyboard.press("p")
    wait_for_more_than(page, 5)
    page.wait_for_function("() => new URLSearchParams(location.search).has('added')")
    page.reload()
    page.locator(".generation[data-tokens]").wait_for(timeout=STREAMING)
    wait_for_more_than(page, 0)


def test_reading_a_long_prompt_can_be_stopped(page, server):
    page.goto(f"{server}/generation?{urlencode({'prompt': 'seven eight nine ten ' * 500})}")
    page.get_by_text("Reading the text").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("are not read yet").wait_for()
    page.get_by_role("button", name="Read on").wait_for()


def test_prompt_and_dials_go_along_to_the_sampling_screen_and_back(page, opened, settled):
    opened(page, prompt="Her name was", T="0.5", added="1972")
    page.get_by_role("button", name="Next token on Sampling").click()
    page.wait_for_url(re.compile(r"/sampling\?"))
    settled(page).locator(".distribution[data-key]").wait_for()
    expect(page.get_by_role("slider", name="Temperature T")).to_have_value("0.5")
    read = page.locator(".distribution .chips .token").all_inner_texts()
    page.get_by_role("button", name="Go on in Generation").click()
    page.wait_for_url(re.compile(r"/generation\?"))
    settled(page).locator(".generation[data-tokens='1']").wait_for(timeout=STREAMING)
    expect(page.locator(".chips .prompt .token")).to_have_text(read[:-1])
    expect_texts(page, read[-1:])
    assert parse_qs(page.evaluate("location.search.slice(1)"))["T"] == ["0.5"]
