"""The exercises in a browser: answering by keyboard, feedback, the next figures, a sheet to print."""

from pathlib import Path

from playwright.sync_api import Page, expect


def test_an_exercise_is_answered_corrected_and_left_by_keys_and_a_sheet_is_printed(
    page: Page, server: str, settled
):
    page.goto(f"{server}/exercises?kind=top-p&seed=12")  # p = 0.9; C 0.34, B 0.26, D 0.19, E 0.13, A 0.08
    main, verdicts = page.get_by_test_id("stMain"), page.locator(".verdict p")
    expect(page.locator(".exercise .task")).to_contain_text("Top-p with p = 0.9")
    settled(page)

    def choose(*tokens: str) -> None:
        for token in tokens:
            main.get_by_role("button", name=token, exact=True).click()

    choose("B", "C", "D")
    page.get_by_label("P′(C)").fill("0,34")
    page.get_by_label("P′(B)").fill("a quarter")
    page.get_by_label("P′(B)").press("Enter")
    expect(verdicts).to_contain_text(["one token too few", "Not renormalised", "is not a number"])
    settled(page)

    choose("E")
    page.get_by_label("P′(C)").fill("0,37")
    page.get_by_label("P′(B)").fill("26/92")
    page.get_by_label("P′(B)").press("Enter")
    expect(verdicts).to_contain_text(["Right.", "Right.", "Right."])
    expect(page.get_by_text("1 of ")).to_be_visible()
    settled(page)

    page.keyboard.press("w")  # all is right, so the keys belong to the page
    expect(page.locator(".exercise .steps")).to_contain_text("0.34 / 0.92 = 0.370")
    settled(page)
    page.keyboard.press("n")
    page.wait_for_url("**/exercises?kind=top-p&seed=13**")
    expect(verdicts).to_have_count(0)
    expect(page.locator(".exercise .steps")).to_have_count(0)
    settled(page)

    choose("E")
    page.get_by_label("P′(E)").fill("0,29")
    main.get_by_role("button", name="New").click()
    page.wait_for_url("**/exercises?kind=top-p&seed=14**")
    settled(page)
    page.go_back()  # each exercise is a step, and what was not checked is still there
    page.wait_for_url("**/exercises?kind=top-p&seed=13**")
    expect(page.get_by_label("P′(E)")).to_have_value("0,29")
    expect(main.get_by_role("button", name="E", exact=True)).to_have_attribute("aria-pressed", "true")
    settled(page)
    page.go_back()
    page.wait_for_url("**/exercises?kind=top-p&seed=12**")
    expect(verdicts).to_contain_text(["Right.", "Right.", "Right."])
    page.go_forward()
    page.wait_for_url("**/exercises?kind=top-p&seed=13**")
    expect(verdicts).to_have_count(0)
    settled(page)

    page.get_by_text("Sheet", exact=True).click()
    page.wait_for_url("**view=sheet**")
    expect(page.frame_locator("iframe").get_by_text("Key to A, sheet 13")).to_be_attached()
    settled(page)
    with page.expect_download() as download:
        main.get_by_role("button", name="Download sheet").click()
    sheet = Path(download.value.path()).read_text("utf-8")
    assert download.value.suggested_filename == "exercises-A-13.html"
    assert "Top-p with p = 0.6" in sheet
    assert "http" not in sheet
    settled(page)

    page.goto(f"{server}/exercises?kind=cot-or-react&seed=1")
    page.get_by_role("combobox", name="A", exact=True).click()
    expect(page.get_by_role("option", name="ReAct: a fact has to be looked up", exact=True)).to_be_visible()
