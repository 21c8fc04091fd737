"""The context screen in a browser: what a click, a key and a link show.

The run `parallel` makes its first call at step 2 and its second at step 12; its steps are 13.
"""

import re
from itertools import pairwise
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from core.lm.install import install

WRITTEN = 300_000  # milliseconds: a summary by the embedded model, on a machine that may be busy


@pytest.fixture
def opened(page, server, settled):
    """Open the context screen in the tab `page`."""

    def go(query: str = "scenario=parallel&step=5") -> None:
        page.goto(f"{server}/context?{query}")
        settled(page)
        expect(page.locator(".column.selected")).to_be_visible()

    return go


def expect_call(page, name: str) -> None:
    expect(page.locator(".budget .list .title")).to_have_text(name)


def expect_address(page, **values: str | None) -> None:
    """The address catches up with the screen once the server has heard of it."""
    script = """values => { const address = new URLSearchParams(window.location.search);
        return Object.entries(values).every(([name, value]) => address.get(name) === value) }"""
    page.wait_for_function(script, arg=values)


def test_a_cold_link_shows_the_call_in_force_at_its_step(page, opened):
    opened()
    expect_call(page, "Call 1")
    expect(page.locator(".column")).to_have_count(2)
    expect(page.locator(".column.selected .name")).to_have_text("call 1")


def test_before_the_first_call_the_first_call_is_announced(page, opened):
    opened("scenario=parallel&step=1")
    expect(page.locator(".budget .list h3")).to_have_text("Call 1not sent yet: it comes next")


def test_a_click_on_a_part_of_a_bar_shows_the_text_of_that_part_in_that_call(page, opened):
    opened()
    page.locator(".column").nth(1).locator("[data-part=tool-result]").click()
    expect_call(page, "Call 2")
    expect(page.locator(".text section .piece")).to_have_text(["12°C, rainy", "18°C, cloudy"])
    expect_address(page, part="tool-result", step="12")


def test_a_click_on_a_part_of_the_list_shows_its_text_and_a_second_click_the_whole_context(page, opened):
    opened()
    user = page.locator("button.row", has_text="user")
    user.click()
    expect(page.locator(".text section .piece")).to_have_text(["Is it warmer in Berlin or in Paris?"])
    expect_address(page, part="user")
    user.click()
    expect(page.locator(".text .running")).to_be_visible()
    expect_address(page, part=None)


def test_the_whole_context_reads_as_the_text_that_is_sent(page, opened):
    opened("scenario=no-tool&step=2")
    text = page.locator(".text").evaluate("panel => panel.textContent")
    assert text.startswith("<|im_start|>system\nYou are a helpful assistant.")
    assert text.endswith("<|im_start|>user\nWhat is a tool call?<|im_end|>\n<|im_start|>assistant\n")


def test_stepping_selects_the_call_at_once_and_moves_the_address(page, opened):
    opened("scenario=parallel&step=11")
    page.keyboard.press("PageDown")
    expect_call(page, "Call 2")
    expect_address(page, step="12")
    page.keyboard.press("PageUp")
    expect_call(page, "Call 1")


def test_stepping_leaves_the_bars_in_place(page, opened, settled):
    opened("scenario=parallel&step=11")
    bars = page.locator(".chart").element_handle()
    page.keyboard.press("PageDown")
    expect_address(page, step="12")
    settled(page)
    assert bars.evaluate("bars => bars.isConnected")


def test_a_part_is_chosen_by_its_number_and_by_the_arrows(page, opened):
    opened()
    chosen = page.locator("button.row[aria-pressed=true]")
    page.keyboard.press("2")
    expect(chosen).to_contain_text("tool schemas")
    chosen.focus()
    page.keyboard.press("ArrowDown")
    expect(chosen).to_contain_text("user")
    expect(chosen).to_be_focused()
    page.keyboard.press("0")
    expect(chosen).to_contain_text("whole context")


def test_a_link_restores_step_part_and_window(page, opened):
    opened("scenario=parallel&step=12&part=tool-call&window=512")
    expect_call(page, "Call 2")
    expect(page.locator("button.row[aria-pressed=true]")).to_contain_text("tool call")
    expect(page.locator(".lines .window")).to_have_text("window 512")


def test_a_part_that_does_not_exist_shows_the_whole_context(page, opened):
    opened("scenario=parallel&step=12&part=nonsense")
    expect(page.locator(".text .running")).to_be_visible()


def test_a_window_far_above_the_calls_stands_beside_them_to_scale(page, opened):
    opened()
    whole = page.locator(".overview .pillar").bounding_box()
    filled = page.locator(".overview .stack").bounding_box()
    assert filled["height"] / whole["height"] == pytest.approx(200 / 8192, abs=0.005)


def test_the_step_carries_over_to_the_loop_and_back(page, opened, settled):
    opened("scenario=parallel&step=11")
    page.keyboard.press("PageDown")
    expect_address(page, step="12")
    settled(page).get_by_role("link", name="ReAct").click()
    page.wait_for_url("**/react?*")
    settled(page).locator(".code [aria-current]").wait_for()
    expect_address(page, scenario="parallel", step="12")
    expect(page.locator(".stepper .place")).to_contain_text("step 12 of 13")
    page.keyboard.press("PageUp")
    expect_address(page, step="11")
    settled(page).get_by_role("link", name="Context budget").click()
    expect(page.locator(".budget .list .title")).to_have_text("Call 1")
    expect_address(page, scenario="parallel", step="11")


def test_the_screen_fits_the_window(page, opened):
    opened()
    expect(page.locator(".stepper")).to_be_in_viewport(ratio=1)


def test_the_address_is_complete(page, opened):
    opened("scenario=parallel&step=12&part=user&window=1024")
    address = parse_qs(urlparse(page.url).query)
    assert address == {"scenario": ["parallel"], "step": ["12"], "part": ["user"], "window": ["1024"]}


def type_window(page, text: str) -> None:
    box = page.get_by_role("combobox", name="Window")
    box.click()
    box.fill(text)
    page.keyboard.press("Enter")


def test_any_window_can_be_typed(page, opened):
    opened()
    type_window(page, "3k")
    expect_address(page, window="3072", scenario="parallel")


def test_a_window_that_is_none_is_answered_with_a_sentence(page, opened):
    opened()
    type_window(page, "plenty")
    expect(page.get_by_text("Give the window in tokens")).to_be_visible()


def test_a_strategy_draws_what_it_leaves_out_and_says_what_happens(page, opened):
    opened("scenario=long-run&step=100&window=2048&strategy=ollama")
    expect(page.locator(".column .lost")).to_have_count(28)
    expect(page.locator(".run")).to_contain_text("The question fell out.")
    fallen = page.locator(".text .piece", has_text="Read our help pages")
    expect(fallen).to_have_class(re.compile(r"\bfell\b"))


def test_a_run_that_fits_offers_a_window_and_a_run_that_do_not(page, opened):
    opened("scenario=refund&step=12&strategy=blocks")
    run = page.locator(".run")
    expect(run).to_contain_text("All calls fit: none is longer than the 8,192 tokens that there are.")
    run.get_by_role("button", name="Window 512").click()
    expect(page.locator(".column .lost")).not_to_have_count(0)
    expect_address(page, window="512", scenario="refund")
    opened("scenario=refund&step=12&strategy=blocks")
    run.get_by_role("button", name="Forty turns").click()
    expect(page.locator(".column")).to_have_count(40)
    expect(run.locator(".fit")).to_have_count(0)
    expect_address(page, window="2048", scenario="long-run")


def test_what_is_hovered_moves_nothing_and_each_part_says_what_it_is(page, opened):
    opened("scenario=assembled&step=2&part=retrieved&window=1024&reserve=512&strategy=ollama")
    expect(page.locator(".text .about")).to_contain_text("retrieval-augmented generation (RAG)")
    expect(page.locator(".run")).to_contain_text("+ retrieved 93 + memory 45 + template 121")
    chart = page.locator(".chart")
    before = chart.bounding_box()
    page.locator(".column").first.locator(".slice").last.hover()
    expect(page.locator(".readout")).to_contain_text("call 1, template")
    assert chart.bounding_box() == before


def test_a_later_call_reads_as_the_text_that_it_sends(page, opened):
    """The last call of this run sends all ten queries and results of the calls before it."""
    opened("scenario=long-run&step=198")
    page.get_by_role("button", name="Show what stands before").click()
    text = page.locator(".text").evaluate("panel => panel.textContent")
    assert text.startswith("<|im_start|>system\nYou write guides")
    assert text.count("<tool_response>\n") == 39
    assert text.endswith("<|im_start|>assistant\n")


def test_the_numbers_of_forty_calls_do_not_run_into_each_other(page, opened):
    opened("scenario=long-run&step=1")
    boxes = page.locator(".column .name span:not(.unnamed)").evaluate_all(
        """all => all.map((one) => {
            const { left, right } = one.getBoundingClientRect();
            return [left, right];
        })"""
    )
    assert len(boxes) == 20
    assert all(before[1] <= after[0] for before, after in pairwise(boxes))


def test_a_model_writes_the_summaries_until_it_is_stopped_and_they_can_be_written_over(page, opened):
    install(lambda *_: None)
    opened("scenario=long-run&step=100&window=2048&strategy=compact&writer=embedded")
    page.get_by_role("button", name="What if").click()
    page.get_by_role("button", name="Write the 5 that are missing").click()
    page.get_by_role("button", name="Stop").click(timeout=WRITTEN)
    expect(page.get_by_role("button", name=re.compile(r"Write the \d that are missing"))).to_be_visible(
        timeout=WRITTEN
    )
    opened("scenario=refund&step=12&window=512&strategy=compact&keep=2&writer=embedded")
    page.get_by_role("button", name="What if").click()
    page.get_by_role("button", name="Write it").click()
    by = page.get_by_label("By SmolLM2-135M-Instruct, before call")
    expect(by).to_have_value(
        re.compile("^Summary of the conversation so far: .+", re.DOTALL), timeout=WRITTEN
    )
    run = page.locator(".run")
    expect(run).to_contain_text("gave way to a summary by SmolLM2-135M-Instruct:", timeout=WRITTEN)
    by.fill("Asha asked for a refund.")
    by.press("Control+Enter")
    expect(run).to_contain_text("by SmolLM2-135M-Instruct, edited:", timeout=WRITTEN)
    expect(page.locator(".text .running")).to_contain_text("Asha asked for a refund.", timeout=WRITTEN)
