"""The loop screen in a real browser: stepping, the address, and text that must stay text."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from core.figures import palette
from core.figures.loop_timeline import timeline
from core.figures.loop_view import loop_view
from core.messages.types import AssistantMessage, ToolCall, ToolResultMessage, UserMessage
from core.trace import Step, StepKind, Trace, Validation
from tests.browser.waiting import expect_fit, expect_true

COMPONENTS = Path(__file__).parents[2] / "pages" / "common" / "components"
SCRIPTS = ("dom", "stepper", "chips", "loop_tokens", "loop")
HOSTILE = '<img src=x onerror="window.broken=1"> $5 and $6 *a* `b` \\(x\\) <script>window.broken=1</script>'
Open = Callable[[str], Page]


@pytest.fixture
def opened(page: Page, server: str, settled: Callable[[Page], Page]) -> Open:
    """Open a path of the real server as a cold deep link."""

    def at(path: str) -> Page:
        page.goto(server + path)
        settled(page).wait_for_selector(".stepper")
        return page

    return at


def expect_step(page: Page, number: int, count: int = 13) -> None:
    expect(page.locator(".stepper .place")).to_contain_text(f"step {number} of {count}")


def expect_address(page: Page, scenario: str, step: int) -> None:
    page.wait_for_function(f"location.href.endsWith('scenario={scenario}&step={step}')")


def test_a_cold_deep_link_opens_scenario_and_step(opened: Open):
    page = opened("/react?scenario=parallel&step=5")
    expect_step(page, 5)
    expect(page.get_by_role("combobox")).to_have_value(re.compile("Two cities at once"))
    expect(page.locator(".code [aria-current]")).to_contain_text("try result ← execute(call)")


def test_page_down_and_page_up_step_to_the_end_and_back(opened: Open):
    page = opened("/react?scenario=berlin")
    for number in [2, 3, 4, 5, 6, 7, 8, 8]:
        page.keyboard.press("PageDown")
        expect_step(page, number, 8)
    for number in [7, 6, 5, 4, 3, 2, 1, 1]:
        page.keyboard.press("PageUp")
        expect_step(page, number, 8)


def test_ten_fast_presses_move_ten_steps_and_the_address_follows(opened: Open):
    page = opened("/react?scenario=parallel&step=1")
    for _ in range(10):
        page.keyboard.press("PageDown")
    expect_step(page, 11)
    expect_address(page, "parallel", 11)


def test_ten_fast_clicks_move_ten_steps(opened: Open):
    page = opened("/react?scenario=parallel&step=1")
    page.locator(".stepper .next").evaluate("button => { for (let i = 0; i < 10; i++) button.click(); }")
    expect_step(page, 11)


def test_moving_on_while_a_report_is_on_its_way_is_not_undone(opened: Open, settled: Callable[[Page], Page]):
    page = opened("/react?scenario=budget&step=1")
    for number in range(2, 10):
        page.keyboard.press("PageDown")
        expect_address(page, "budget", number)  # it has just been reported
    settled(page)
    expect_step(page, 9, 20)
    expect_address(page, "budget", 9)


def test_home_end_buttons_dots_and_slider_step_too(opened: Open):
    page = opened("/react?scenario=parallel&step=3")
    page.keyboard.press("End")
    expect_step(page, 13)
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.keyboard.press("Home")
    expect_step(page, 1)
    expect(page.get_by_role("button", name="Back")).to_be_disabled()
    page.get_by_role("button", name="Next").click()
    expect_step(page, 2)
    page.get_by_role("button", name="Back").click()
    expect_step(page, 1)
    page.get_by_role("button", name="step 7:").click()
    expect_step(page, 7)
    page.get_by_role("slider", name="step").fill("4")
    expect_step(page, 4)
    page.get_by_role("slider", name="step").press("ArrowRight")
    expect_step(page, 5)
    expect_address(page, "parallel", 5)


def test_another_scenario_starts_at_its_first_step_and_takes_the_keys(opened: Open, choose):
    page = opened("/react?scenario=parallel&step=5")
    choose(page.get_by_role("combobox"), "The step budget runs out")
    expect_step(page, 1, 20)
    page.keyboard.press("PageDown")
    expect_step(page, 2, 20)
    expect_address(page, "budget", 2)


def test_going_back_leaves_the_scenario_not_the_step(opened: Open, choose):
    page = opened("/react?scenario=parallel&step=5")
    page.keyboard.press("PageDown")
    expect_address(page, "parallel", 6)
    choose(page.get_by_role("combobox"), "The step budget runs out")
    expect_address(page, "budget", 1)
    page.go_back()
    expect_step(page, 6)


def test_the_step_goes_along_to_the_context_screen_and_back(opened: Open, settled: Callable[[Page], Page]):
    page = opened("/react?scenario=parallel&step=1")
    for _ in range(4):
        page.keyboard.press("PageDown")
    expect_address(page, "parallel", 5)
    settled(page).get_by_role("link", name="Context budget").click()
    page.wait_for_url("**/context?*")
    settled(page).locator(".column.selected").wait_for()  # else the steps could still be those of the loop
    expect_step(page, 5)
    page.keyboard.press("PageDown")
    expect_address(page, "parallel", 6)
    settled(page).get_by_role("link", name="ReAct").click()
    page.wait_for_url("**/react?*")
    settled(page).locator(".code [aria-current]").wait_for()
    expect_step(page, 6)


def test_keys_are_heard_once_after_the_screen_was_left_and_opened_again(
    opened: Open, settled: Callable[[Page], Page]
):
    page = opened("/react?scenario=parallel&step=3")
    for name, path, sign in [
        ("Context budget", "context", ".column.selected"),
        ("ReAct", "react", ".code [aria-current]"),
    ]:
        settled(page).get_by_role("link", name=name).click()
        page.wait_for_url(f"**/{path}?*")
        settled(page).locator(sign).wait_for()
        expect_step(page, 3)
    page.keyboard.press("PageDown")
    expect_step(page, 4)


@pytest.mark.parametrize(
    "state",
    [
        "scenario=parallel&step=10",
        "scenario=embedded&step=3&token=1.11",
        "scenario=long-run&step=90",
        "scenario=policy&step=8",
        "scenario=injection&step=12",
        "scenario=text&step=10",
    ],
)
def test_the_screen_fits_into_the_window(opened: Open, state: str):
    page = opened(f"/react?{state}")
    expect_fit(page)
    expect(page.locator(".stepper")).to_be_in_viewport(ratio=1)


def test_the_note_and_the_stop_reason_of_a_run_are_on_the_screen(opened: Open):
    page = opened("/react?scenario=budget&step=1")
    expect(page.locator(".about-run .ended")).to_have_text("stop reason: step budget exhausted")
    expect(page.locator(".about-run .note")).not_to_be_empty()


def test_a_guard_is_marked_on_the_timeline(opened: Open):
    page = opened("/react?scenario=repetition&step=1")
    expect(page.locator(".stepper .dot.guard")).to_have_count(1)


def test_the_labels_of_forty_turns_do_not_collide(opened: Open):
    page = opened("/react?scenario=long-run&step=1")
    page.evaluate("document.fonts.ready")
    expect_true(
        page.locator(".stepper .turn"),
        """labels => {
            const told = labels.filter((label) => label.textContent).length;
            return 8 <= told && told <= 14 && labels.every((label) => label.scrollWidth <= label.clientWidth);
        }""",
    )


def test_a_click_on_a_token_opens_its_distribution_and_a_link_repeats_it(opened: Open):
    page = opened("/react?scenario=embedded&step=3")
    page.locator(".chip[data-token='1.11']").click()
    panel = page.locator(".token-panel")
    expect(panel).to_contain_text("token 11 of 32 · tool call")
    expect(panel.locator(".alternatives .taken .token")).to_have_text("get")
    expect(panel.locator(".alternatives .forbidden")).to_have_count(8)
    page.wait_for_function("location.search.includes('token=1.11')")
    opened("/react?scenario=embedded&step=3&token=1.11")
    expect(page.locator(".token-panel")).to_contain_text("token 11 of 32")
    expect(page.locator(".chip.chosen")).to_have_text("get")


def test_the_address_of_a_token_keeps_the_step(opened: Open):
    page = opened("/react?scenario=embedded&step=1")
    page.keyboard.press("End")
    page.wait_for_function("location.search.includes('step=8')")
    page.locator(".chip[data-token='1.11']").click()
    page.wait_for_function("location.search.includes('token=1.11') && location.search.includes('step=8')")


def test_tokens_are_reached_and_left_with_the_keyboard(opened: Open):
    page = opened("/react?scenario=embedded&step=3")
    page.locator(".chip[data-token='1.1']").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".token-panel")).to_contain_text("token 3 of 32")
    expect(page.locator(".chip[data-token='1.3']")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".token-panel")).to_have_count(0)
    expect(page.locator(".context")).to_be_visible()
    page.wait_for_function("!location.search.includes('token=')")


def test_stepping_on_brings_the_context_back(opened: Open):
    page = opened("/react?scenario=embedded&step=3&token=1.11")
    expect(page.locator(".token-panel")).to_be_visible()
    page.keyboard.press("PageDown")
    expect_step(page, 4, 8)
    expect(page.locator(".token-panel")).to_have_count(0)
    expect(page.locator(".context")).to_be_visible()
    expect_step(page, 4, 8)


def test_a_draw_of_a_tool_call_opens_on_the_sampling_screen(opened: Open):
    page = opened("/react?scenario=embedded&step=3&token=1.11")
    page.get_by_role("link", name="Open this draw").click()
    page.wait_for_url("**/sampling?*")
    # What the model had in mind, by its own trace: Os 34.3 %, O 19.8 %.
    first = page.locator(".bars > div").filter(has_text="Os").first
    expect(first).to_contain_text("34.", timeout=120_000)


def test_a_call_lights_its_result(opened: Open):
    page = opened("/react?scenario=parallel&step=13")
    page.locator(".message", has_text="Paris").filter(has_text="tool_call").hover()
    expect(page.locator(".message.paired")).to_have_count(2)
    expect(page.locator(".message.paired").nth(1)).to_contain_text("18°C, cloudy")


# So many presses at once, and the milliseconds that each took until the picture was laid out again.
PRESS = """count => Array.from({ length: count }, () => {
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", bubbles: true }));
    document.body.getBoundingClientRect();
    return performance.now() - start;
})"""
# When this timer ends, all that began before it with less have ended: a report waits for 150 ms.
LATER = "() => new Promise(done => setTimeout(done, 300))"


def drawn(page: Page, trace: Trace, step: int) -> Page:
    """Draw a trace with the component alone, in a page that has nothing else."""
    script = "".join((COMPONENTS / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    style = palette.css() + "".join(
        (COMPONENTS / f"{name}.css").read_text("utf-8") for name in ("base", *SCRIPTS[1:])
    )
    data = {
        "view": loop_view(trace).model_dump(),
        "timeline": [stop.model_dump() for stop in timeline(trace)],
        "anchor": {"step": step, "revision": "one"},
    }

    def answer(route: Route) -> None:
        is_script = route.request.url.endswith("loop.js")
        body = script if is_script else "<!doctype html><body><div id=host></div>"
        route.fulfill(body=body, content_type="text/javascript" if is_script else "text/html")

    page.route("http://component.test/**", answer)
    page.goto("http://component.test/")
    page.evaluate(
        """async ([style, data]) => {
            window.reported = [];
            const root = document.getElementById("host").attachShadow({ mode: "open" });
            const sheet = document.createElement("style");
            sheet.textContent = style;
            root.append(sheet);
            const component = (await import("/loop.js")).default;
            window.draw = (change) => component({
                data: { ...data, ...change }, parentElement: root,
                setStateValue: (name, value) => window.reported.push([name, value]),
            });
            window.cleanup = window.draw({});
        }""",
        [style, json.loads(json.dumps(data))],
    )
    return page


def hostile() -> Trace:
    call = ToolCall(id=HOSTILE, name=HOSTILE, arguments=HOSTILE)
    verdict = Validation(ok=False, stage="json", message=HOSTILE)
    steps = (
        Step(kind=StepKind.USER_INPUT, turn=0, line=1, appended=UserMessage(content=HOSTILE)),
        Step(
            kind=StepKind.TOOL_CALL,
            turn=1,
            line=6,
            tool_call=call,
            appended=AssistantMessage(content=HOSTILE, thinking=HOSTILE, tool_calls=(call,)),
        ),
        Step(kind=StepKind.VALIDATION, turn=1, line=7, tool_call=call, validation=verdict),
        Step(
            kind=StepKind.OBSERVATION,
            turn=1,
            line=8,
            tool_call=call,
            appended=ToolResultMessage(tool_call_id=HOSTILE, content=HOSTILE, is_error=True),
        ),
        Step(kind=StepKind.STOP, turn=1, text=HOSTILE),
    )
    return Trace(title=HOSTILE, source="imported", system=HOSTILE, steps=steps)


def test_hostile_text_stays_text_at_every_step(page: Page):
    drawn(page, hostile(), 1)
    for _ in range(5):
        assert page.locator("img, script").count() == 0
        page.keyboard.press("PageDown")
    assert page.evaluate("window.broken") is None
    expect(page.locator(".message .text").first).to_have_text(HOSTILE)
    expect(page.locator(".change")).to_contain_text(HOSTILE)


def many_cards() -> Trace:
    texts = [f"message {number} " + "x" * 300 for number in range(40)]
    steps = [
        Step(kind=StepKind.USER_INPUT, turn=0, line=1, appended=UserMessage(content=text)) for text in texts
    ]
    return Trace(title="long", source="imported", steps=tuple(steps))


def test_the_current_one_of_forty_cards_is_in_view(page: Page):
    drawn(page, many_cards(), 40)
    for key, number in [("End", 39), ("Home", 0), ("End", 39)]:
        page.keyboard.press(key)
        current = page.locator(".message[aria-current]")
        expect(current).to_contain_text(f"message {number} ")
        inside = """([card]) => {
            const [list, own] = [card.parentElement, card].map((element) => element.getBoundingClientRect());
            return own.top >= list.top - 1 && own.bottom <= list.bottom + 1 && own.right <= list.right;
        }"""
        expect_true(current, inside)


def test_only_a_new_revision_moves_the_step(page: Page):
    drawn(page, many_cards(), 10)
    page.keyboard.press("PageDown")
    page.evaluate("window.draw({ anchor: { step: 3, revision: 'one' } })")
    expect_step(page, 11, 40)
    page.evaluate("window.draw({ anchor: { step: 3, revision: 'two' } })")
    expect_step(page, 3, 40)


def test_a_report_carries_its_revision_and_comes_once_after_the_last_move(page: Page):
    drawn(page, many_cards(), 10)
    page.evaluate(PRESS, 5)
    page.wait_for_function("window.reported.length > 0")
    page.evaluate(LATER)
    assert page.evaluate("window.reported") == [["step", {"step": 15, "revision": "one"}]]


def test_nothing_is_heard_after_the_cleanup(page: Page):
    drawn(page, many_cards(), 10)
    page.keyboard.press("PageDown")
    before = page.evaluate("(window.cleanup(), window.reported.length)")
    page.keyboard.press("PageDown")
    page.evaluate(LATER)
    expect_step(page, 11, 40)
    assert page.evaluate("window.reported.length") == before


def test_keys_with_modifiers_and_keys_while_typing_are_left_alone(page: Page):
    drawn(page, many_cards(), 10)
    page.keyboard.press("Control+PageDown")
    page.evaluate("document.body.append(document.createElement('input'))")
    page.locator("body > input").press("PageDown")
    expect_step(page, 10, 40)


def test_a_key_is_answered_within_a_tenth_of_a_second(page: Page):
    drawn(page, many_cards(), 1)
    took = page.evaluate(PRESS, 21)
    expect_step(page, 22, 40)
    assert min(took) < 100  # of all, since another process may have the core for a while


def test_a_step_of_the_trajectory_opens_in_the_loop(page: Page, server: str, settled: Callable[[Page], Page]):
    page.goto(f"{server}/react?scenario=detector&view=trajectory")
    settled(page).wait_for_selector(".trajectory .calls")
    expect(page.locator(".trajectory .verdict.bad").first).to_have_text("REPEATING")
    expect_fit(page)
    page.get_by_title("Step 18 of the loop").click()
    expect(page.locator(".stepper .place")).to_contain_text("step 18 of 23")
    page.wait_for_function("location.search.includes('step=18') && !location.search.includes('view=')")
    page.keyboard.press("t")
    expect(page.locator(".trajectory .calls")).to_be_visible()
