"""What a lecturer has on every screen: the keys, a link for the class, a spotlight, projector mode."""

import re

from playwright.sync_api import Page, expect


def test_the_keys_of_a_screen_its_link_the_spotlight_and_projector_mode(page: Page, server: str, settled):
    page.goto(f"{server}/react?scenario=parallel&step=5")
    settled(page).wait_for_selector(".stepper")
    sheet, light = page.locator(".sheet"), page.locator(".light")

    page.keyboard.press("?")
    expect(sheet).to_contain_text("one step on")
    expect(sheet).to_contain_text("spotlight")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()

    page.keyboard.press("l")
    expect(light).to_be_visible()
    page.keyboard.press("l")
    expect(light).to_be_hidden()

    page.keyboard.press("q")
    expect(sheet.locator("svg.qr")).to_be_visible()
    expect(sheet).to_contain_text("--host 0.0.0.0")
    link = sheet.locator(".link").inner_text()
    assert re.fullmatch(re.escape(server) + r"/\?go=[a-z2-7]{5}", link)

    page.goto(link)
    expect(page.locator(".stepper .place")).to_contain_text("step 5 of 13")
    page.wait_for_function("location.search.includes('scenario=parallel&step=5')")

    settled(page).keyboard.press("x")
    page.wait_for_url(re.compile("embed=true"))
    expect(page.locator(".stepper .place")).to_contain_text("step 5 of 13")
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()


def test_letters_that_nobody_knows_say_so(page: Page, server: str):
    page.goto(f"{server}/?go=aaaaa")
    expect(page.get_by_text("This short link is not known here")).to_be_visible()
