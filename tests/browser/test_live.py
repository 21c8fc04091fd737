"""Live runs in a real browser, on the embedded model: one to its end, one stopped, one paused."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from core.lm.install import install

PATIENCE = 300_000  # milliseconds: the machine may be busy


@pytest.fixture
def form(page: Page, server: str, settled: Callable[[Page], Page]) -> Page:
    """The loop screen with its form open, at a run whose question is one for the small model."""
    install(lambda *_: None)
    page.goto(f"{server}/react?scenario=embedded&step=1")
    settled(page).wait_for_selector(".stepper")
    page.get_by_role("button", name="Run live").click()
    expect(page.get_by_label("Question")).to_have_value("What is the weather in Oslo?")
    return page


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_function("location.search.includes('scenario=live-')", timeout=PATIENCE)
    expect(page.get_by_text("live model, real loop")).to_be_visible(timeout=PATIENCE)


def test_a_live_run_of_the_embedded_model_comes_to_its_end(form: Page, choose):
    choose(form.get_by_role("combobox", name="Thoughts"), "dense")
    run(form)
    answer = form.locator(".stepper .dot.answer, .stepper .dot.stop")
    expect(answer).to_have_count(1, timeout=PATIENCE)
    expect(form.locator(".message.coming")).to_have_count(0, timeout=PATIENCE)
    expect(form.locator(".stepper .dot.thought")).to_have_count(1)
    form.keyboard.press("End")
    result = form.locator(".message", has_text="ToolResultMessage")
    expect(result).to_contain_text("°C, snowy", timeout=PATIENCE)
    form.wait_for_function("!location.search.includes('step=1&') && !location.search.endsWith('step=1')")
    form.reload()
    expect(result).to_contain_text("°C, snowy", timeout=PATIENCE)


def test_a_live_run_can_be_stopped_and_keeps_what_came(form: Page, choose):
    form.get_by_label("Question").fill("Tell me a long story of the weather in Oslo.")
    choose(form.get_by_role("combobox", name="Loop"), "chain of thought")
    run(form)
    form.get_by_role("button", name="Stop").click(timeout=PATIENCE)
    expect(form.locator(".stepper .dot.stop")).to_have_count(1, timeout=PATIENCE)
    expect(form.locator(".message.coming")).to_have_count(0, timeout=PATIENCE)
    form.keyboard.press("End")
    expect(form.locator(".change")).to_contain_text("stopped by hand", timeout=PATIENCE)


def test_a_paused_run_says_so_and_goes_on_with_a_key(form: Page, choose):
    form.get_by_label("Question").fill("Tell me a long story of the weather in Oslo.")
    choose(form.get_by_role("combobox", name="Loop"), "chain of thought")
    run(form)
    coming = form.locator(".message.coming")
    expect(coming).to_be_visible(timeout=PATIENCE)
    form.keyboard.press("p")
    expect(coming.locator(".kind")).to_have_text("paused", timeout=PATIENCE)
    form.keyboard.press("p")
    expect(coming.locator(".kind")).to_have_text(re.compile("coming in"), timeout=PATIENCE)
    form.keyboard.press("s")
    expect(form.locator(".stepper .dot.stop")).to_have_count(1, timeout=PATIENCE)
