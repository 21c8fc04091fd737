"""The sampling screen in a real browser: the picture follows the hand, and says what core computes."""

import random
import re
from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import expect

from core.lm import embedded, load_tokenizer, visible
from core.sampling import SamplerSettings, distribution, presort

FRANCE = "The capital of France is"
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
TEMPERATURE, TOP_K, TOP_P, MIN_P = "Temperature T", "Top-k", "Top-p", "Min-p"


@pytest.fixture
def opened(server, settled):
    """Open the screen in a tab at an address, and wait until its picture is drawn."""

    def open_screen(page, **address: str):
        page.goto(f"{server}/sampling?{urlencode(address)}")
        settled(page).locator(".distribution[data-key]").wait_for()
        page.get_by_role("button", name="Begin again").wait_for()  # the keys are the buttons'
        return page

    return open_screen


def labels(page) -> list[str]:
    return page.locator(".bars > div:not(.tail) .percent").all_inner_texts()


def address(page) -> dict[str, str]:
    """As the page itself has it: `page.url` hears of a change a moment later."""
    asked = parse_qs(page.evaluate("location.search.slice(1)"))
    return {name: values[0] for name, values in asked.items()}


def wait_for_address(page, **wanted: str) -> None:
    page.wait_for_function(
        "wanted => Object.entries(wanted).every(([name, value]) =>"
        " new URLSearchParams(location.search).get(name) === value)",
        arg=wanted,
    )


def type_prompt(page, text: str) -> None:
    drawn = page.locator(".distribution").get_attribute("data-key")
    page.get_by_label("Prompt").fill(text)
    page.get_by_label("Prompt").press("Control+Enter")
    page.wait_for_function(
        """drawn => [...document.querySelectorAll('*')].some(host =>
             host.shadowRoot?.querySelector('.distribution')?.dataset.key !== undefined
             && host.shadowRoot.querySelector('.distribution').dataset.key !== drawn)""",
        arg=drawn,
    )


def set_dial(page, label: str, value: float) -> None:
    """Move a dial as a hand does: an input event for the way, a change event for letting go."""
    page.get_by_role("slider", name=label).evaluate(
        """(dial, value) => {
             dial.value = value;
             dial.dispatchEvent(new Event('input'));
             dial.dispatchEvent(new Event('change'));
           }""",
        value,
    )


def test_a_cold_deep_link_shows_the_models_distribution(page, opened):
    opened(page, prompt=FRANCE)
    expect(page.locator(".bars .token").first).to_have_text("·Paris")


def test_typing_a_prompt_changes_the_distribution(page, opened):
    opened(page)
    type_prompt(page, "Two plus two equals")
    expect(page.locator(".chips .token")).to_have_text(["Two", "·plus", "·two", "·equals"])
    expect(page.locator(".bars .token").first).not_to_have_text("·Paris")


def test_dragging_the_temperature_redraws_before_it_is_let_go(page, opened, settled):
    opened(page)
    dial = page.get_by_role("slider", name=TEMPERATURE)
    box = dial.bounding_box()
    before, shown = labels(page), address(page)
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2, steps=8)
    page.evaluate(DRAWN)
    during = labels(page)
    assert during != before
    assert address(page) == shown  # Python has heard nothing yet
    page.mouse.up()
    page.wait_for_url(re.compile("T=2"))
    settled(page)
    assert labels(page) == during


def test_what_the_picture_shows_is_what_core_computes(page, opened):
    """Ten random settings, every engine: the percentages and the reasons of all rows."""
    ranked = presort(embedded().next_logits(load_tokenizer().encode(FRANCE)))
    opened(page, prompt=FRANCE)
    hand = random.Random(7)
    for _ in range(10):
        settings = SamplerSettings(
            round(hand.choice([0, 0.3, 0.7, 1, 1.6, 3]), 2),
            hand.choice([0, 1, 3, 8, 40]),
            round(hand.choice([0, 0.5, 0.8, 0.9, 1]), 2),
            round(hand.choice([0, 0, 0.05, 0.2]), 2),
            hand.choice(["transformers", "llama.cpp", "ollama", "vllm"]),
        )
        page.get_by_label("engine").select_option(settings.engine)
        set_dial(page, TEMPERATURE, settings.temperature)
        set_dial(page, TOP_K, settings.top_k)
        set_dial(page, TOP_P, settings.top_p)
        set_dial(page, MIN_P, settings.min_p)
        page.evaluate(DRAWN)
        expected = distribution(ranked, settings)
        for row, token in zip(page.locator(".bars > div:not(.tail)").all(), expected.top(12), strict=True):
            shown = row.locator(".percent").inner_text(), row.locator(".reason").inner_text()
            share = token.prob if token.cut_by is None else token.model_prob
            assert percentage_fits(shown[0], share), (settings, token)
            first = "greedy" if token.rank == 0 else ""
            assert shown[1] == (f"cut by {token.cut_by}" if token.cut_by else first)


def percentage_fits(text: str, share: float) -> bool:
    if text.startswith("<"):
        return 0 < share < 0.0005
    if text.startswith(">"):
        return 0.9995 <= share < 1
    return abs(float(text.removesuffix(" %")) - 100 * share) <= 0.0501


def test_keys_draw_append_and_take_back(page, opened, settled):
    opened(page, prompt=FRANCE)
    page.keyboard.press("g")
    page.locator("button:enabled", has_text="Append").wait_for()
    page.keyboard.press("a")
    wait_for_address(page, added="7042")
    page.get_by_text("·Paris").first.wait_for()
    settled(page)
    page.keyboard.press("d")
    wait_for_address(page, by="draw", draws="1")
    settled(page)
    page.keyboard.press("u")
    page.wait_for_function("() => !location.search.includes('added')")


def test_every_press_of_the_key_counts_however_fast_they_come(page, opened):
    opened(page)
    for _ in range(4):
        page.keyboard.press("d")
    wait_for_address(page, draws="4")


def test_keys_work_with_a_dial_in_focus(page, opened, settled):
    opened(page)
    page.get_by_role("slider", name=TEMPERATURE).focus()
    page.keyboard.press("ArrowRight")
    wait_for_address(page, T="1.05")
    settled(page)
    page.keyboard.press("d")
    wait_for_address(page, draws="1")


def test_the_address_restores_the_picture(page, opened, browser, settled):
    opened(page, prompt="Her name was")
    set_dial(page, TEMPERATURE, 1.5)
    wait_for_address(page, T="1.5")
    settled(page)
    page.keyboard.press("d")
    wait_for_address(page, draws="1")
    settled(page)
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(page.evaluate("location.href"))
        settled(other).locator(".distribution[data-key]").wait_for()
        line = other.locator(".cumulative")
        expect(line).to_contain_text("u = ")
        expect(page.locator(".cumulative")).to_have_text(line.text_content())
        assert labels(other) == labels(page)


def test_two_sessions_do_not_touch_each_other(page, opened, browser):
    opened(page, prompt=FRANCE)
    with browser.new_context() as context:
        other = opened(context.new_page(), prompt=FRANCE)
        page.keyboard.press("g")
        wait_for_address(page, by="greedy")
        set_dial(other, TOP_K, 2)
        wait_for_address(other, top_k="2")
        assert address(page) == {"prompt": FRANCE, "by": "greedy"} or address(page) == {"by": "greedy"}
        assert "by" not in address(other)
        type_prompt(other, "Two plus two equals")
        expect(page.locator(".chips .token").last).to_have_text("·is")


@pytest.mark.parametrize(
    "text", ["costs $5 or $6", "*a* _b_ `c` :red[x]", "<img src=x onerror=alert(1)><b>x</b>", "&lt; </div>"]
)
def test_a_prompt_is_shown_character_for_character(page, opened, text):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog), dialog.dismiss()))
    opened(page, prompt=text)
    tokenizer = load_tokenizer()
    expected = [visible(tokenizer.token_bytes(token_id)) for token_id in tokenizer.encode(text)]
    assert page.locator(".chips .token").all_inner_texts() == expected
    assert not dialogs


def test_the_dials_survive_a_visit_to_another_screen(page, opened, settled):
    opened(page)
    set_dial(page, TOP_P, 0.8)
    wait_for_address(page, top_p="0.8")
    settled(page)
    page.get_by_role("link", name="ReAct").click()
    page.wait_for_url(re.compile("/react"))
    settled(page)
    page.get_by_role("link", name="Sampling").click()
    page.wait_for_url(re.compile("/sampling"))
    settled(page)
    expect(page.get_by_role("slider", name=TOP_P)).to_have_value("0.8")


def test_dragging_u_picks_the_token_on_which_it_lies(page, opened):
    opened(page, numbers="lecture-flat")
    for u, letter in ((0.39, "A"), (0.41, "B"), (0.71, "C"), (0.96, "D"), (0.99, "E")):
        set_dial(page, "u, the number that picks the token", u)
        expect(page.locator(".is-picked .token")).to_have_text(letter)
    wait_for_address(page, by="hand", u="0.99")


def test_u_stays_while_the_dials_reshape_the_distribution(page, opened):
    opened(page, numbers="lecture-flat", by="hand", u="0.75")
    expect(page.locator(".is-picked .token")).to_have_text("C")
    set_dial(page, TOP_K, 2)
    expect(page.locator(".is-picked .token")).to_have_text("B")
    expect(page.locator(".cumulative")).to_contain_text("u = 0.7500")


def test_the_engines_that_part_are_named_with_their_tokens(page, opened):
    # At T = 0.2 probabilities go as their fifth powers: two tokens reach 0.928. At T = 1 it takes three.
    opened(page, numbers="lecture-flat", top_p="0.9", T="0.2")
    told = "llama.cpp and ollama keep 1 more token than transformers: C."
    expect(page.locator(".parting")).to_have_text(told)


def test_stages_are_put_in_another_order_with_the_arrow_keys(page, opened):
    opened(page)
    page.locator(".order .chip", has_text="top-p").focus()
    page.keyboard.press("ArrowLeft")
    wait_for_address(page, order="temperature.top-p.top-k.min-p")
    expect(page.locator(".order .chip")).to_have_text(["T", "top-p", "top-k", "min-p"])
    engine = page.get_by_label("engine")
    expect(engine.locator("option:checked")).to_have_text("own order")
    page.locator(".order .chip", has_text="top-p").press("ArrowRight")  # back where the engine has it
    expect(engine).to_have_value("transformers")


def test_pointing_at_a_token_follows_it_through_the_stages(page, opened):
    opened(page, numbers="lecture-flat", top_p="0.9")
    page.locator(".bars .token", has_text="D").hover()
    notes = page.locator(".stages .follow")
    notes.first.wait_for()
    assert set(notes.locator(".name").all_inner_texts()) == {"D"}
    score, *rest = notes.locator("span:last-child").all_inner_texts()
    assert re.fullmatch(r"-\d+\.\d\d", score)
    assert rest == [score, "3.0 %", "3.0 %", "cut", "cut", "cut"]
    # However long the name is, the number keeps its place.
    notes.locator(".name").evaluate_all(
        "names => names.forEach((name) => { name.textContent = 'W'.repeat(80) })"
    )
    fits = """numbers => numbers.every((number) => {
        const right = (element) => element.getBoundingClientRect().right;
        return right(number) <= right(number.closest(".card"));
    })"""
    assert notes.locator("span:last-child").evaluate_all(fits)


def test_many_draws_stand_beside_what_is_expected(page, opened):
    opened(page, numbers="lecture-flat")
    page.keyboard.press("m")
    page.get_by_text("1,000 draws:").wait_for()
    drawn = page.locator(".bars .reason", has_text="drawn").all_inner_texts()
    assert sum(int(text.removesuffix(" drawn").replace(",", "")) for text in drawn) == 1000


def test_what_a_link_opens_below_the_fold_comes_into_view(page, opened):
    opened(page, more="Numbers")
    expect(page.get_by_role("cell", name="17.3713")).to_be_in_viewport()


def test_an_ollama_is_chosen_shown_with_bounds_and_written_on(page, opened, choose):
    opened(page)
    choose(page.get_by_role("combobox", name="Model"), "some:1b")
    page.locator(".badge", has_text="exact").wait_for()
    page.get_by_role("slider", name=TEMPERATURE).press("PageUp")
    page.locator(".badge", has_text="bounded").wait_for()
    expect(page.locator(".partial .percent").first).to_contain_text("–")
    page.get_by_role("button", name="Greedy").click()
    page.locator(".is-picked", has_text="·Paris").wait_for()
    page.get_by_role("button", name="Append").click()
    page.wait_for_function("() => document.querySelector('textarea').value.endsWith(' is Paris')")


def test_going_back_leaves_the_screen_at_once_whatever_was_done_on_it(page, server, settled):
    page.goto(server)
    settled(page).get_by_test_id("stSidebarNavItems").get_by_role("link", name="Sampling").click()
    page.locator(".distribution[data-key]").wait_for()
    page.get_by_role("button", name="Begin again").wait_for()
    for draws in ("1", "2"):
        settled(page).keyboard.press("d")
        wait_for_address(page, draws=draws)
    page.go_back()
    page.wait_for_url(f"{server}/")
