"""The comparison of two runs in a real browser: the parting, the keys, the address, and what has to fit."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import expect_fit

Open = Callable[[str], Page]


@pytest.fixture
def opened(page: Page, server: str, settled: Callable[[Page], Page]) -> Open:
    def at(path: str) -> Page:
        page.goto(server + path)
        settled(page).wait_for_selector(".stepper")
        return page

    return at


def expect_pair(page: Page, number: int) -> None:
    expect(page.locator(".stepper .place")).to_contain_text(f"pair {number} of")
    expect(page.locator(".pair").nth(number - 1)).to_have_attribute("aria-current", "step")


def test_the_first_parting_is_lit_and_in_view(opened: Open):
    page = opened("/compare?left=injection&right=injection-obeyed")
    parted = page.locator(".pair.parted")
    expect(parted).to_have_count(1)
    expect(parted).to_have_attribute("aria-current", "step")
    expect(parted).to_be_in_viewport()


def test_the_keys_go_through_the_pairs_and_the_address_follows(opened: Open):
    page = opened("/compare?left=dense&right=sparse&step=4")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect_pair(page, 6)
    page.keyboard.press("PageUp")
    expect_pair(page, 5)
    page.wait_for_function("location.search.includes('step=5')")
    opened("/compare?left=dense&right=sparse&step=5")
    expect_pair(page, 5)


def test_another_run_is_gone_to_where_it_parts(opened: Open, choose):
    page = opened("/compare?left=react&right=react")
    expect(page.locator(".sentence")).to_have_text("Both runs do the same in every step.")
    choose(page.get_by_role("combobox", name="The right run"), "Acting alone")
    expect(page.locator(".pair.parted")).to_have_attribute("aria-current", "step")
    page.wait_for_function("location.search.includes('right=act')")


@pytest.mark.parametrize("pair", ["left=open-loop&right=react", "left=calculator&right=long-run&step=150"])
def test_the_screen_fits_into_the_window(opened: Open, pair: str):
    page = opened(f"/compare?{pair}")
    expect_fit(page)
    expect(page.locator(".stepper")).to_be_in_viewport(ratio=1)
