"""The exported page in a real browser: from disk, without a server or a network."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.traces import dump, load
from core.traces.examples import example

Open = Callable[[bytes], Page]
HOSTILE = '<img src=x onerror="window.broken=1"></script><script>window.broken=1</script>'


@pytest.fixture
def opened(page: Page, tmp_path: Path) -> Open:
    """Open the exported page of a file, and fail on everything that it complains of or reaches for."""
    complaints: list[str] = []

    def at(file: bytes) -> Page:
        exported = tmp_path / "run.html"
        exported.write_bytes(dump(load(file), "html"))
        page.context.set_offline(True)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.goto(exported.as_uri())
        return page

    yield at
    page.context.set_offline(False)  # the window is that of all tests
    assert complaints == []


def test_the_keys_of_the_screens_step_through_the_page(opened: Open):
    page = opened(example("openai-chat.json"))
    place = page.locator(".stepper .small")
    expect(place).to_contain_text("step 1 of")
    keys = ("PageDown", "ArrowRight", "ArrowLeft", "PageUp", "PageUp", "End", "PageDown", "Home")
    for key, number in zip(keys, (2, 3, 2, 1, 1, 9, 9, 1), strict=True):
        page.keyboard.press(key)
        expect(place).to_contain_text(f"step {number} of")


def test_messages_come_with_their_steps(opened: Open):
    page = opened(example("openai-chat.json"))
    expect(page.locator(".card:visible")).to_have_count(2)  # the system prompt, and what was asked
    page.keyboard.press("End")
    expect(page.locator(".card:visible")).to_have_count(6)


def test_a_call_is_lit_with_its_result(opened: Open):
    page = opened(example("openai-chat.json"))
    for _ in range(4):  # to the observation of the second call, whose result came first
        page.keyboard.press("PageDown")
    expect(page.locator(".paired .id")).to_have_text(["call_rome", "call_rome"])


def test_texts_of_a_run_stay_text(opened: Open):
    messages = [{"role": "user", "content": HOSTILE}, {"role": "assistant", "content": HOSTILE}]
    page = opened(json.dumps(messages).encode())
    page.keyboard.press("End")
    expect(page.locator(".card .text")).to_have_text([HOSTILE, HOSTILE])
    assert page.evaluate("window.broken") is None


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(18, 23, 29)")])
def test_the_page_follows_light_and_dark(opened: Open, page: Page, scheme: str, paper: str):
    page.emulate_media(color_scheme=scheme)
    opened(example("openai-chat.json"))
    expect(page.locator("body")).to_have_css("background-color", paper)
