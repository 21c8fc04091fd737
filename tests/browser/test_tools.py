"""The tool screen in a browser: keys, typing, links, and that data stay data."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import expect_fit, expect_true


@pytest.fixture
def opened(page, server, settled):
    """Open the tool screen in the tab `page`."""

    def go(**query: str) -> None:
        page.goto(f"{server}/tools?{urlencode(query)}")
        settled(page)
        expect(page.locator(".tools").first).to_be_visible()

    return go


def expect_address(page, **values: str | None) -> None:
    script = """values => { const address = new URLSearchParams(window.location.search);
        return Object.entries(values).every(([name, value]) => address.get(name) === value) }"""
    page.wait_for_function(script, arg=values)


def write(page, label: str, text: str) -> None:
    """Type into a field and leave it, as a reader does."""
    field = page.get_by_label(label)
    field.fill(text)
    field.press("Control+Enter")


def test_the_schema_has_the_colour_of_its_part_and_is_in_view(page, opened):
    opened()
    schema = page.locator(".stretch.tool-schemas")
    expect(schema).to_contain_text('{"type": "function"')
    expect_true(
        page.locator(".seen .text"),
        """([panel]) => { const box = panel.getBoundingClientRect();
            const schema = panel.querySelector('.tool-schemas').getBoundingClientRect();
            return schema.top >= box.top && schema.bottom <= box.bottom }""",
    )


def test_what_is_copied_is_what_is_sent(page, opened):
    opened(template="smollm2")
    text = page.locator(".seen .text").evaluate("panel => panel.textContent")
    assert text == (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        "<|im_start|>user\nWhat is the weather in Berlin?<|im_end|>\n<|im_start|>assistant\n"
    )


def test_typing_a_description_changes_the_text_and_the_address(page, opened):
    opened()
    write(page, "Description", "Use it before every walk.")
    expect(page.locator(".stretch.tool-schemas")).to_contain_text("Use it before every walk.")
    expect_address(page, description="Use it before every walk.")


def test_bad_json_says_where_it_is_bad_and_keeps_the_last_schema(page, opened):
    opened()
    write(page, "Parameters, in JSON Schema", '{"type": "object",}')
    expect(page.get_by_text("The parameters are not JSON")).to_be_visible()
    expect(page.locator(".stretch.tool-schemas")).to_contain_text('"city"')


def test_digits_choose_a_view_and_page_down_the_next_template(page, opened):
    opened()
    page.keyboard.press("PageDown")
    expect_address(page, template="qwen2.5")
    page.keyboard.press("2")
    expect(page.locator(".rung")).to_have_count(5)
    expect_address(page, view="call")


def test_keys_that_are_typed_into_a_field_are_text(page, opened):
    opened()
    field = page.get_by_label("Description")
    field.fill("")
    field.press_sequentially("236")
    expect(field).to_have_value("236")
    expect(page.locator(".seen")).to_be_visible()


def test_page_down_goes_through_the_examples_and_back(page, opened):
    opened(view="call")
    page.keyboard.press("PageDown")
    expect(page.locator(".rung.bad")).to_contain_text("JSON")
    expect(page.locator(".way mark")).to_have_text('"')
    page.keyboard.press("PageUp")
    expect(page.locator(".rung.good")).to_have_count(5)


def test_fast_presses_all_count(page, opened):
    opened()
    for _ in range(3):
        page.keyboard.press("PageDown")
    expect_address(page, template="mistral")


def test_the_answer_hangs_below_the_check_that_failed(page, opened):
    opened(view="call", tool="get_forecast", call='{"unit": "celsius"}')
    expect_true(
        page.locator(".rung.bad, .drop"),
        """both => both.length === 2
            && Math.abs(both[0].getBoundingClientRect().x - both[1].getBoundingClientRect().x) <= 1""",
    )
    expect(page.locator(".answer")).to_contain_text("$.city is missing")


def test_a_call_that_is_typed_is_run(page, opened):
    opened(view="call")
    write(page, "The call as the model writes it", '{"city": "Madrid"}')
    expect(page.locator(".answer")).to_contain_text("21°C, sunny")


def test_a_call_that_is_cut_off_or_too_long_is_told_as_what_it_is(page, opened):
    opened(view="call")
    field = "The call as the model writes it"
    write(page, field, '{"name": "get_weather", "arguments": {"city": "Mad')
    expect(page.locator(".way .head").first).to_contain_text("a call as a model writes it into its text")
    expect(page.locator(".rung.bad")).to_contain_text("JSON")
    write(page, field, "x" * 8_001)
    expect(page.get_by_text("The call has 8,001 characters, and at most 8,000 are read")).to_be_visible()
    write(page, field, '{"city": "Madrid"}')
    expect(page.locator(".rung.good")).to_have_count(5)


def test_markup_in_a_schema_and_in_a_call_stays_text(page, opened):
    opened(description="<img src=x onerror=window.hurt=1> **bold** $x$")
    expect(page.locator(".stretch.tool-schemas")).to_contain_text(
        "<img src=x onerror=window.hurt=1> **bold** $x$"
    )
    opened(view="call", call='{"city": "<img src=x onerror=window.hurt=1>"}')
    expect(page.locator(".way .source").first).to_contain_text("<img src=x")
    assert page.evaluate("window.hurt") is None


def test_the_four_forms_stand_side_by_side_with_call_and_result_in_view(page, opened):
    opened(view="wire")
    expect(page.locator(".forms h2")).to_have_text(["OpenAI chat", "OpenAI Responses", "Anthropic", "Ollama"])
    results = page.locator(".forms section").filter(has_text="result")
    expect(results.first).to_be_in_viewport(ratio=1)


def test_wrong_calls_that_pass_stand_out(page, opened):
    opened(view="interface", tool="get_weather")
    expect(page.locator(".trial.passes")).to_have_count(2)
    expect(page.locator(".rule")).to_have_count(5)


def test_both_kinds_of_tools_on_one_task_in_both_formats_and_what_the_sandbox_stops(page, opened):
    opened(view="kinds")
    expect(page.locator(".pairs .call").last).to_contain_text('run_python({"code": "points')
    page.keyboard.press("PageDown")
    expect(page.locator(".corner .result")).to_have_text(["385"] * 4)
    expect_address(page, show="axes")
    page.keyboard.press("PageDown")
    expect(page.locator(".tried .verdict")).to_have_text(["stopped"] * 6)
    expect_address(page, show="sandbox")


def test_an_address_opens_the_terms_at_one_and_a_click_beside_them_closes_them(page, opened):
    opened(view="wire", terms="inference-engine")
    terms = page.locator(".st-key-terms_of_the_view")
    expect(terms.locator("strong").filter(has_text="Inference engine")).to_be_in_viewport(ratio=1)
    expect(terms).to_contain_text("The engine is not the runtime")
    page.locator("h2").first.click()
    expect(terms).to_be_hidden()
    expect_address(page, terms=None)


def test_an_unknown_name_stands_beside_the_tool_set_and_runs_nothing(page, opened):
    opened(view="call", call='{"name": "get_temperature", "arguments": {"city": "Oslo"}}')
    expect(page.locator(".entry")).to_have_count(9)
    expect(page.locator(".entry.missing")).to_contain_text("get_temperature → not in the table")


def test_the_messages_of_the_server_are_shown_on_request(page, server, settled):
    page.goto(f"{server}/tools?view=mcp")
    settled(page)
    expect(page.locator(".crossings")).to_have_count(0)
    page.get_by_text("A book by Jurafsky").click()
    expect(page.locator(".crossings summary")).to_have_count(6)
    expect(page.locator(".crossings details[open] .source")).to_contain_text('"method": "tools/call"')
    expect_address(page, served="book")
    page.get_by_text("Read a resource").click()
    expect(page.locator(".crossings summary")).to_have_count(8)
    expect(page.locator(".crossings details[open] .source")).to_contain_text('"method": "resources/read"')
    expect(page.locator(".said")).to_contain_text("28 days")


@pytest.mark.parametrize("view", ["model", "call", "interface"])
def test_the_picture_fits_the_window(page, opened, view):
    opened(view=view)
    expect_fit(page)
