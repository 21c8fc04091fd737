"""The sampling screen without a browser: what Python sends, and what it remembers."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PAGE = str(Path(__file__).parents[2] / "pages" / "sampling.py")


def opened(**address: str) -> AppTest:
    app = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def picture(app: AppTest) -> dict:
    """The data of the first component on the page."""
    return json.loads(app.get("bidi_component")[0].proto.json)


def test_it_shows_the_models_distribution_for_the_first_prompt():
    assert picture(opened())["rows"][0]["name"] == "·Paris"


def test_another_prompt_has_another_distribution():
    app = opened()
    app.text_area[0].set_value("Two plus two equals").run()
    assert [token["text"] for token in picture(app)["prompt"]["tokens"]] == [
        "Two",
        "·plus",
        "·two",
        "·equals",
    ]
    assert picture(app)["rows"][0]["name"] != "·Paris"


def test_the_dials_reach_the_sampler():
    app = opened()
    app.slider(key="top_k").set_value(3).run()
    assert picture(app)["summary"].startswith("3 of 49,152 tokens kept.")


def test_the_address_restores_settings_seed_and_draw():
    shown = picture(opened(T="0.5", top_p="0.7", seed="3", draws="2", by="draw"))
    assert shown["stages"][1]["title"] == "÷ T = 0.50"
    # numpy.random.default_rng(3).random(2)[1]
    assert shown["draw"]["label"] == "u = 0.2368"


def test_appending_continues_from_the_picked_token_and_undo_takes_it_back():
    app = opened()
    button(app, "Greedy").click().run()
    button(app, "Append").click().run()
    tokens = picture(app)["prompt"]["tokens"]
    assert (tokens[-1]["text"], tokens[-1]["kind"]) == ("·Paris", "drawn")
    assert app.query_params["added"] == "7042"
    button(app, "Undo").click().run()
    assert len(picture(app)["prompt"]["tokens"]) == 5


def test_beginning_again_forgets_what_was_drawn():
    app = opened(added="7042", draws="4", by="greedy")
    button(app, "Begin again").click().run()
    assert picture(app)["draw"]["u"] is None
    assert not {"added", "draws", "by"} & set(app.query_params)


def test_the_lectures_numbers_replace_the_prompt():
    app = opened(numbers="lecture-flat", top_k="2")
    assert [row["label"] for row in picture(app)["rows"][:2]] == ["57.1 %", "42.9 %"]


def test_an_empty_prompt_starts_from_the_start_token():
    app = opened()
    app.text_area[0].set_value("").run()
    assert [token["text"] for token in picture(app)["prompt"]["tokens"]] == ["<|im_start|>"]


def test_a_prompt_beyond_the_context_is_refused_in_a_sentence():
    app = opened()
    app.text_area[0].set_value("a " * 9000).run()
    assert not app.exception
    assert "at most 8,192" in app.warning[0].value


@pytest.mark.parametrize(
    "address",
    [{"added": "x.-1.99999999.49152"}, {"draws": "-1"}, {"by": "magic"}, {"numbers": "none"}, {"T": "hot"}],
)
def test_an_address_that_makes_no_sense_is_left_out(address):
    assert picture(opened(**address))["prompt"]["count"] == "5 tokens · exact"


def test_without_the_model_the_examples_are_shown_and_an_installation_is_offered(monkeypatch, tmp_path):
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path))
    app = opened()
    assert picture(app)["rows"][0]["name"] == "·Paris"
    assert button(app, "Install it (98 MB)")


def test_without_the_model_another_prompt_is_refused_in_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path))
    assert "pick one, or install it" in opened(prompt="Something else").warning[0].value


def button(app: AppTest, label: str):
    return next(button for button in app.button if button.label == label)
