"""Files of runs in a real browser: dropped anywhere, refused, saved, and opened without a server."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from core.traces import load
from core.traces.examples import example

Settled = Callable[[Page], Page]
HOSTILE = '<img src=x onerror="window.broken=1"> **bold** $x$ :red[y]'
DROP = """([name, text, times = 1]) => {
  const files = new DataTransfer();
  files.items.add(new File([text.repeat(times)], name));
  const place = document.querySelector("[data-testid=stMain]");
  for (const type of ["dragover", "drop"]) {
    place.dispatchEvent(new DragEvent(type, {
      bubbles: true, cancelable: true, composed: true, dataTransfer: files,
    }));
  }
}"""


def drop(page: Page, name: str, data: bytes, times: int = 1) -> None:
    page.evaluate(DROP, [name, data.decode("utf-8"), times])


@pytest.fixture
def home(server: str, page: Page, settled: Settled) -> Page:
    page.goto(server)
    page.locator(".veil").wait_for(state="attached")  # what takes drops is a component, which comes last
    page.locator("[data-testid=stSidebar] input[type=file]").wait_for(state="attached")
    return settled(page)


def shown(page: Page) -> Page:
    """Wait until the run of a file is in view on the screen of the loop."""
    page.wait_for_url("**/react?*scenario=file-*")
    expect(page.locator(".stepper .place")).to_contain_text("step 1 of")
    return page


def test_a_file_dropped_on_any_screen_opens_on_that_of_the_loop(home: Page):
    drop(home, "mine.json", example("openai-chat.json"))

    expect(shown(home).locator(".messages")).to_contain_text("Which city is warmer now, Oslo or Rome?")
    expect(home.get_by_text("from mine.json · OpenAI chat")).to_be_visible()


def test_the_same_file_opens_twice(home: Page, settled: Settled):
    for _ in range(2):
        drop(home, "mine.json", example("anthropic.json"))
        settled(shown(home))

    home.wait_for_url("**/react?*scenario=file-2*")


def test_the_veil_is_there_only_while_a_file_is_held_over_the_page(home: Page):
    veil = home.locator(".veil")
    expect(veil).to_be_hidden()
    home.evaluate(DROP.replace('["dragover", "drop"]', '["dragover"]'), ["a.json", "{"])
    expect(veil).to_be_visible()
    home.evaluate(DROP, ["a.json", "{"])
    expect(veil).to_be_hidden()


def test_a_broken_file_is_answered_in_a_sentence_on_the_screen_in_view(home: Page):
    drop(home, "broken.json", b'{"messages": [')

    expect(home.get_by_role("alert")).to_contain_text("breaks off at line 1, column 14")


def test_a_file_that_is_too_large_is_answered_on_the_screen_in_view(home: Page):
    drop(home, "large.json", b" ", times=10 * 2**20 + 1)

    expect(home.get_by_role("alert")).to_contain_text("at most 10 MB")


def test_names_and_texts_of_a_file_are_never_markup(home: Page):
    messages = [{"role": "user", "content": HOSTILE}, {"role": "assistant", "content": HOSTILE}]
    drop(home, f"{HOSTILE}.json", json.dumps(messages).encode())

    expect(shown(home).locator(".messages")).to_contain_text(HOSTILE)
    expect(home.get_by_text("from <img src=")).to_be_visible()
    assert home.evaluate("window.broken") is None


def test_a_saved_page_opens_from_disk_and_steps(home: Page, browser: Browser, tmp_path: Path):
    drop(home, "mine.json", example("openai-chat.json"))
    shown(home).get_by_role("button", name="Save the run").click()
    with home.expect_download() as download:
        home.get_by_role("button", name="Page", exact=True).click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)

    with browser.new_context(offline=True) as window:
        page = window.new_page()
        page.goto(saved.as_uri())
        page.keyboard.press("PageDown")
        expect(page.locator(".stepper .small")).to_contain_text("step 2 of")


def test_a_saved_run_is_the_run(home: Page, tmp_path: Path):
    drop(home, "mine.json", example("openai-chat.json"))
    shown(home).get_by_role("button", name="Save the run").click()
    with home.expect_download() as download:
        home.get_by_role("button", name="Loopscope", exact=True).click()
    download.value.save_as(tmp_path / "run.json")

    assert load((tmp_path / "run.json").read_bytes()) == load(example("openai-chat.json"), "mine.json")


def on_the_context_screen(page: Page) -> Page:
    shown(page).get_by_role("link", name="Context budget").click()
    page.wait_for_url("**/context?*")
    expect(page.locator(".stepper .place")).to_contain_text("step 1 of")
    return page


def test_a_file_that_tells_no_counts_is_counted_by_an_estimate(home: Page):
    drop(home, "mine.json", example("openai-chat.json"))

    expect(on_the_context_screen(home).get_by_text("tokens: an estimate by the SmolLM2")).to_be_visible()


def test_a_file_dropped_where_a_run_is_shown_opens_there(home: Page, settled: Settled):
    drop(home, "first.json", example("openai-chat.json"))
    page = settled(on_the_context_screen(home))
    drop(page, "second.json", example("anthropic.json"))

    page.wait_for_url("**/context?*scenario=file-2*")
    expect(page.locator(".stepper .place")).to_contain_text("step 1 of")


def test_of_a_long_context_what_is_near_the_new_is_drawn_and_the_rest_when_asked_for(home: Page):
    said = ["Begin. " + "word " * 8_000, "Yes.", "Go on.", "Done."]
    messages = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(said)]
    drop(home, "long.json", json.dumps(messages).encode())
    on_the_context_screen(home).keyboard.press("End")
    text = home.locator(".card.text")

    expect(text).to_contain_text("Go on.")
    expect(text).not_to_contain_text("Begin.")
    home.get_by_role("button", name="Show what stands before").click()
    expect(text).to_contain_text("Begin.")


def test_a_run_without_a_model_call_says_so_on_the_context_screen(home: Page):
    drop(home, "asked.json", b'{"messages": [{"role": "user", "content": "Anybody?"}]}')

    expect(on_the_context_screen(home).locator(".card.list")).to_contain_text("No model is called")
