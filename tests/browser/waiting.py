"""Waiting for what `expect` has no word for, on a machine that may be busy."""

import time

from playwright.sync_api import Locator, Page

PATIENCE = 120_000  # milliseconds: what a busy machine needs for what a quiet one does at once


def expect_true(elements: Locator, script: str) -> None:
    """Wait until `script`, a function of the list of elements, says true of them."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not elements.evaluate_all(script):
        assert time.monotonic() < deadline, f"{elements} never came to {script}"
        elements.page.wait_for_timeout(50)


FITS = """([main]) => main && main.scrollHeight <= Math.min(main.clientHeight, innerHeight)
    && main.scrollWidth <= main.clientWidth"""


def expect_fit(page: Page) -> None:
    """Wait until all of a screen is in the window, with nothing to scroll to."""
    expect_true(page.get_by_test_id("stMain"), FITS)
