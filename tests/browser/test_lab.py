"""The code of a picture in a real browser: opened, read, and kept as a notebook that runs."""

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.core.lab.running import ran

TOP = "() => document.querySelector('[data-testid=stHeading]').getBoundingClientRect().top"


def test_the_code_follows_the_picture_and_the_notebook_comes_to_its_numbers(
    page: Page, server: str, settled: Callable[[Page], Page], tmp_path: Path
):
    page.goto(f"{server}/sampling?numbers=lecture-flat&top_p=0.9")
    settled(page)
    code = page.locator(".st-key-lab_code")
    expect(code).to_have_count(0)  # nothing is made before it is asked for
    button = page.get_by_role("button", name="Code", exact=True)
    assert button.bounding_box()["y"] < page.evaluate(TOP)

    button.click()
    expect(code).to_contain_text("order = ['top-p']")
    expect(code).to_contain_text("u = None")
    page.keyboard.press("d")
    expect(code).to_contain_text("u = 0.63")  # the first number of seed 0

    with page.expect_download() as download:
        code.get_by_role("button", name="Notebook").click()
    assert download.value.suggested_filename == "loopscope-sampling.ipynb"
    download.value.save_as(tmp_path / "notebook")
    cells = json.loads((tmp_path / "notebook").read_text("utf-8"))["cells"]
    names, _ = ran("\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
    assert names["screen_kept"] == 3
