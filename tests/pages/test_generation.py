"""The generation screen without a browser: what Python sends, and what the address holds."""

from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from core.lm import embedded, load_tokenizer
from tests.pages.app import components, open_page

FRANCE = "The capital of France is"
opened = partial(open_page, "generation")


def picture(app: AppTest) -> dict:
    return components(app)[0]


def tokens(app: AppTest) -> list[str]:
    return [chip["text"] for chip in picture(app)["text"]["chips"]]


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def by_argmax(prompt: str, count: int) -> list[int]:
    """Greedy's text by numpy alone."""
    ids = load_tokenizer().encode(prompt)
    for _ in range(count):
        ids.append(int(embedded().next_logits(ids).argmax()))
    return ids[-count:]


def test_a_step_generates_the_next_token():
    app = press(press(opened(T="0"), "Step"), "Step")
    assert app.query_params["added"] == ".".join(map(str, by_argmax(FRANCE, 2)))
    assert tokens(app) == ["·Paris", "."]


def test_back_takes_a_token_back_and_a_step_draws_it_again():
    app = press(press(opened(seed="5"), "Step"), "Step")
    before = tokens(app)
    assert tokens(press(app, "Back")) == before[:1]
    assert tokens(press(app, "Step")) == before


def test_beginning_again_under_the_same_seed_gives_the_same_text():
    app = press(press(opened(seed="3"), "Step"), "Step")
    before = tokens(app)
    assert tokens(press(app, "Begin again")) == []
    assert tokens(press(press(app, "Step"), "Step")) == before


def test_another_seed_begins_another_text_and_keeps_the_first():
    app = press(opened(prompt="Her name was"), "Step")
    app.number_input[0].set_value(1).run()
    assert tokens(app) == []
    press(app, "Step")
    assert len(picture(app)["branches"]) == 2


def test_a_changed_temperature_counts_from_the_next_token_on():
    app = press(opened(T="0"), "Step")
    app.slider[0].set_value(1.5).run()
    assert tokens(app) == ["·Paris"]
    assert "T = 1.5" in picture(press(app, "Step"))["panel"]["facts"]


def test_the_address_restores_the_branch_and_the_token_in_view():
    app = opened(added="7042.284", token="1", T="0")
    assert tokens(app) == ["·Paris", "·and"]
    # Greedy says "·Paris." here, so "·and" was put there.
    assert [chip["kind"] for chip in picture(app)["text"]["chips"]] == ["", "hand"]
    assert picture(app)["panel"]["token"] == "·Paris"


def test_the_address_restores_every_branch_and_how_each_token_was_drawn():
    app = press(press(opened(prompt="Her name was", T="0.8"), "Step"), "Step")
    app.slider[0].set_value(1.5).run()
    press(app, "Step")
    app.number_input[0].set_value(1).run()
    press(press(app, "Step"), "Step")
    address = {name: "".join(values) for name, values in dict(app.query_params).items()}
    again = opened(**address)
    assert len(picture(again)["branches"]) == 2
    assert picture(again)["branches"] == picture(app)["branches"]
    assert [chip["kind"] for chip in picture(again)["text"]["chips"]] == ["", ""]  # by no hand
    for shown in ("token", "how", "facts"):
        assert picture(again)["panel"][shown] == picture(app)["panel"][shown]
    assert again.query_params == app.query_params


def test_branches_in_an_address_that_make_no_sense_are_left_out():
    app = opened(added="7042~T9x_30~q_.", branches="~~x-1.y~~-~~99-8~T_")
    assert tokens(app) == ["·Paris", "."]


def test_the_panel_links_to_the_sampling_screen_with_the_same_context():
    link = parse_qs(urlsplit(picture(opened(added="7042.284", T="0", top_k="5"))["panel"]["href"]).query)
    assert link == {"prompt": [FRANCE], "added": ["7042"], "T": ["0"], "top_k": ["5"]}


def test_the_plain_text_is_the_decoded_string():
    assert picture(opened(added="7042.30.198"))["plain"] == "The capital of France is Paris.\n"


def test_an_empty_prompt_starts_from_the_start_token_and_says_so():
    app = opened(prompt="")
    assert picture(app)["prompt"]["tokens"] == ["<|im_start|>"]
    assert "starts from <|im_start|>" in picture(app)["note"]


def test_a_prompt_beyond_the_context_is_refused_in_a_sentence():
    app = opened()
    app.text_area[0].set_value("a " * 9000).run()
    assert not app.exception
    for label in ("Step", "Play", "Back", "Begin again"):
        assert "reads at most 8,192" in press(app, label).warning[0].value


def test_an_address_beyond_the_ends_of_the_dials_is_taken_as_their_ends():
    app = opened(T="9", top_k="400", view="four", temps="0_1_2_9")
    assert [field.value for field in app.number_input][:4] == [0, 1, 2, 3]
    assert app.slider[0].value == 100


@pytest.mark.parametrize(
    "address",
    [
        {"added": "x.-1.99999999.49152", "token": "7"},
        {"T": "hot", "top_k": "2.5", "top_p": "nan", "min_p": "-1", "seed": "1e9"},
        {"view": "five", "colour": "pink", "temps": "1_2"},
    ],
)
def test_an_address_that_makes_no_sense_is_left_out(address):
    app = opened(**address)
    assert tokens(app) == []
    assert [slider.value for slider in app.slider] == [1.0, 0, 1.0, 0.0]


def test_a_text_that_has_ended_is_not_gone_on_with():
    app = opened(added="2")
    assert picture(app)["text"]["ending"] == "<|im_end|> ends the text."
    assert tokens(press(app, "Step")) == ["<|im_end|>"]


def test_four_temperatures_are_stepped_together():
    app = press(opened(view="four", temps="0_0.5_1_2"), "Step")
    lanes = picture(app)["lanes"]
    assert [lane["title"] for lane in lanes] == ["T = 0", "T = 0.5", "T = 1", "T = 2"]
    assert [len(lane["text"]["chips"]) for lane in lanes] == [1, 1, 1, 1]
    assert lanes[0]["text"]["chips"][0]["text"] == "·Paris"


def test_at_equal_temperatures_each_text_has_a_seed_of_its_own():
    app = press(opened(view="four", temps="1_1_0_1", prompt="Her name was"), "Step")
    lanes = picture(app)["lanes"]
    assert [lane["title"] for lane in lanes] == ["T = 1", "T = 1, seed 1", "T = 0", "T = 1, seed 2"]
    assert "log P = " in lanes[3]["note"]
    alone = press(opened(seed="2", prompt="Her name was"), "Step")
    assert [chip["text"] for chip in lanes[3]["text"]["chips"]] == tokens(alone)
    assert [lane["best"] for lane in lanes].count(True) == 1


def test_a_use_case_sets_prompt_and_temperature_and_leaves_top_p():
    app = opened(T="1.4")
    for name, temperature in (
        ("Tool call", 0),
        ("Factual answer", 0),
        ("Summary", 0.5),
        ("Brainstorming", 1),
    ):
        press(app, name)
        assert [slider.value for slider in app.slider] == [temperature, 0, 0.95, 0.0]
        assert app.text_area[0].value.startswith("<|im_start|>user")


def test_several_parameters_at_once_are_remarked_on():
    assert any("one at a time" in caption.value for caption in opened(T="1.5", top_k="5").caption)


def test_without_the_model_an_installation_is_offered(monkeypatch, tmp_path):
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path))
    app = opened()
    assert any(button.label.startswith("Install it") for button in app.button)


def test_a_search_steps_all_beams_at_once_and_back():
    app = press(opened(view="beams"), "Step")
    shown = components(app)[-1]["lanes"]
    assert [len(lane["text"]["chips"]) for lane in shown] == [1, 1, 1, 1]
    assert shown[0]["text"]["chips"][0]["text"] == "·Paris"
    assert [lane["best"] for lane in shown] == [True, False, False, False]
    assert components(press(app, "Back"))[-1]["lanes"][0]["text"]["chips"] == []


def test_the_address_restores_the_four_texts_and_the_steps_of_a_search():
    four = press(press(opened(view="four", temps="0_0_1_1", prompt="Her name was"), "Step"), "Step")
    again = opened(**four.query_params)
    assert picture(again)["lanes"] == picture(four)["lanes"]
    searched = press(press(opened(view="beams"), "Step"), "Step")
    again = opened(view="beams", steps="2")
    assert components(again)[-1]["lanes"] == components(searched)[-1]["lanes"]


@pytest.mark.parametrize("address", [{"texts": "a~~-1~~99999999"}, {"texts": "7042~~7042~~7042~~7042~~1"}])
def test_texts_in_an_address_that_make_no_sense_are_left_out(address):
    lanes = picture(opened(view="four", **address))["lanes"]
    assert {len(lane["text"]["chips"]) for lane in lanes} <= {0, 1}
    assert len(lanes) == 4
