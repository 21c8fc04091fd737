"""The screen on chains in a browser: four views by their keys, and what is computed while one looks."""

import re

from playwright.sync_api import expect

SLOW = 120_000  # milliseconds: some dozens of tokens on a busy machine


def test_passes_questions_and_a_hint(page, server, settled):
    page.goto(f"{server}/thought?task=light&length=2")
    sides = page.locator(".thought .side")
    expect(sides).to_have_count(3, timeout=SLOW)
    expect(sides.first.locator(".said")).to_have_text(
        "no tokens before the answer: it comes out of pass 1", timeout=SLOW
    )
    expect(page.locator(".thought[data-done='true']")).to_be_visible(timeout=SLOW)
    expect(page.locator(".thought .verdict")).to_have_count(3)
    passes = sides.nth(1).locator(".passes i")
    answer = sides.nth(1).locator(".chip.answer sub")
    expect(passes).to_have_count(int(answer.inner_text()))
    expect(sides.last).to_contain_text("given: ")

    settled(page)  # while it writes, one run follows the other
    page.keyboard.press("2")
    expect(page.locator(".over svg .way").first).to_be_visible()
    rows = page.locator(".thought[data-rows]")
    before = int(rows.get_attribute("data-rows"))
    page.get_by_role("button", name="Ask 5 more").click()
    page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()
    page.get_by_role("button", name=re.compile(r"Go on: \d more")).click()
    expect(page.locator(f".thought[data-rows='{before}']")).to_have_count(0, timeout=SLOW)
    expect(page).to_have_url(re.compile(f"asked={before + 5}"))

    page.keyboard.press("3")
    expect(page.locator(".option")).to_have_count(4, timeout=SLOW)
    expect(page.locator(".option.hinted")).to_contain_text("(C)")
    page.get_by_text("(B)", exact=True).click()
    expect(page.locator(".option.hinted")).to_contain_text("(B)", timeout=SLOW)
    expect(page).to_have_url(re.compile("hint=B"))

    settled(page)
    page.keyboard.press("4")
    expect(page.locator(".thought[data-chains='7']")).to_be_visible(timeout=SLOW)
    page.get_by_role("button", name="Draw 2 more chains").click()
    expect(page.locator(".thought[data-chains='9']")).to_be_visible(timeout=SLOW)
    expect(page).to_have_url(re.compile("asked=9"))
