"""The sampling screen without a browser: what Python sends, and what it remembers."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.app import components, open_page

opened = partial(open_page, "sampling")


def picture(app: AppTest) -> dict:
    """What the picture is drawn from."""
    return next(data for data in components(app) if "choice" in data)


def table(app: AppTest) -> list[list[str]]:
    """The first tokens in numbers, which are shown on request."""
    app.segmented_control[0].set_value("Numbers").run()
    return next(data for data in components(app) if "columns" in data)["rows"]


def button(app: AppTest, label: str):
    return next(button for button in app.button if button.label == label)


def prompt(app: AppTest) -> list[str]:
    return [token["text"] for token in picture(app)["prompt"]["tokens"]]


def test_it_shows_the_models_distribution_for_the_first_prompt():
    assert picture(opened())["names"][0] == "·Paris"


def test_another_prompt_has_another_distribution():
    app = opened()
    key = picture(app)["key"]
    app.text_area[0].set_value("Two plus two equals").run()
    assert prompt(app) == ["Two", "·plus", "·two", "·equals"]
    assert picture(app)["key"] != key


def test_the_address_restores_the_dials():
    settings = picture(opened(T="0.5", top_k="3", top_p="0.7", min_p="0.1", engine="ollama"))["settings"]
    dials = {"temperature": 0.5, "top_k": 3, "top_p": 0.7, "min_p": 0.1}
    assert settings == dials | {"engine": "ollama", "order": []}


def test_the_address_restores_an_order_of_ones_own():
    settings = picture(opened(order="top-p.top-k.min-p.temperature"))["settings"]
    assert settings["order"] == ["top-p", "top-k", "min-p", "temperature"]


def test_the_address_restores_a_u_that_was_set_by_hand():
    assert picture(opened(by="hand", u="0.25"))["choice"]["u"] == 0.25


def test_the_address_restores_seed_and_draw():
    # numpy.random.default_rng(3).random(2)[1]
    assert picture(opened(seed="3", draws="2", by="draw"))["choice"]["u"] == pytest.approx(0.2368105065960997)


def test_draws_under_a_seed_go_on_along_its_stream():
    app = opened(seed="3")
    button(app, "Draw").click().run()
    first = picture(app)["choice"]["u"]
    button(app, "Draw").click().run()
    assert (first, picture(app)["choice"]["u"]) == pytest.approx((0.08564916714362436, 0.2368105065960997))


def test_appending_continues_from_the_picked_token_and_undo_takes_it_back():
    app = opened()
    button(app, "Greedy").click().run()
    button(app, "Append").click().run()
    last = picture(app)["prompt"]["tokens"][-1]
    assert (last["text"], last["kind"]) == ("·Paris", "drawn")
    assert app.query_params["added"] == "7042"
    button(app, "Undo").click().run()
    assert prompt(app) == ["The", "·capital", "·of", "·France", "·is"]


def test_beginning_again_forgets_what_was_drawn():
    app = opened(added="7042", draws="4", by="greedy")
    button(app, "Begin again").click().run()
    assert picture(app)["choice"] is None
    assert not {"added", "draws", "by"} & set(app.query_params)


def test_another_prompt_forgets_what_was_drawn():
    app = opened(added="7042", draws="4", by="greedy")
    app.text_area[0].set_value("Two").run()
    assert prompt(app) == ["Two"]
    assert picture(app)["choice"] is None


def test_the_lectures_numbers_replace_the_prompt():
    rows = table(opened(numbers="lecture-flat", top_k="2"))
    assert [row[6] for row in rows] == ["0.571429", "0.428571", "0", "0", "0"]


def test_an_example_fills_the_prompt():
    app = opened()
    app.selectbox(key="example").select("Her name was").run()
    assert prompt(app) == ["Her", "·name", "·was"]


def test_an_empty_prompt_starts_from_the_start_token():
    app = opened()
    app.text_area[0].set_value("").run()
    assert prompt(app) == ["<|im_start|>"]


def test_a_prompt_beyond_the_context_is_refused_in_a_sentence():
    app = opened()
    app.text_area[0].set_value("a " * 9000).run()
    assert not app.exception
    assert "at most 8,192" in app.warning[0].value


@pytest.mark.parametrize(
    "address",
    [
        {"added": "x.-1.99999999.49152"},
        {"draws": "-1", "by": "magic"},
        {"numbers": "none"},
        {"T": "hot", "top_k": "2.5", "top_p": "nan", "min_p": "-1", "engine": "x", "seed": "1e9"},
        {"order": "top-k.top-k", "by": "hand", "u": "1"},
    ],
)
def test_an_address_that_makes_no_sense_is_left_out(address):
    app = opened(**address)
    assert prompt(app) == ["The", "·capital", "·of", "·France", "·is"]
    assert picture(app)["settings"] == {
        "temperature": 1.0,
        "top_k": 0,
        "top_p": 1.0,
        "min_p": 0.0,
        "engine": "transformers",
        "order": [],
    }


def test_what_an_engine_itself_would_refuse_is_said():
    assert "do_sample=False" in opened(T="0").caption[-1].value


def test_without_the_model_the_examples_are_shown_and_an_installation_is_offered(monkeypatch, tmp_path):
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path))
    app = opened()
    assert picture(app)["names"][0] == "·Paris"
    assert button(app, "Install it (98 MB)")


def test_without_the_model_another_prompt_is_refused_in_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path))
    assert "pick one, or install it" in opened(prompt="Something else").warning[0].value


@pytest.mark.parametrize("view", ["Over temperature", "Peaked and flat"])
def test_the_curves_are_drawn_on_request(view):
    app = opened()
    assert not app.get("plotly_chart")
    app.segmented_control[0].set_value(view).run()
    assert not app.exception
    assert app.get("plotly_chart")


def test_own_probabilities_replace_the_prompt():
    rows = table(opened(numbers="own-probabilities", own="x: 0.6; y: 0.4", T="0"))
    assert [(row[1], row[6]) for row in rows] == [("x", "1.000000"), ("y", "0")]


def test_own_logits_go_through_the_softmax():
    rows = table(opened(numbers="own-logits", own="0, 0"))
    assert [row[5] for row in rows] == ["0.500000", "0.500000"]


def test_probabilities_that_do_not_sum_to_1_are_said_and_divided_on_request():
    app = opened(numbers="own-probabilities", own="1 1 2")
    assert "sum to 4" in app.warning[0].value
    button(app, "Divide them by their sum").click().run()
    assert [row[5] for row in table(app)] == ["0.500000", "0.250000", "0.250000"]


def test_text_that_holds_no_numbers_is_refused_in_a_sentence():
    app = opened(numbers="own-logits", own="<b>hot</b>")
    assert not app.exception
    assert app.warning
