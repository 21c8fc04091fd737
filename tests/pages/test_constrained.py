"""The constrained screen without a browser: what Python sends, and what the address holds."""

import json
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.lm import embedded, load_tokenizer
from tests.pages.app import components, open_page

opened = partial(open_page, "constrained")
DATE = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
MOOD = {"kind": "choice", "constraint": "yes\nno", "prompt": "Is it raining? Answer:"}


def picture(app: AppTest) -> dict:
    return components(app)[0]


def tokens(app: AppTest) -> list[str]:
    return [chip["name"] for chip in picture(app)["text"]["chips"]]


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def test_the_screen_opens_with_one_token_of_a_tool_call():
    app = opened()
    assert tokens(app) in (["{"], ['{"'])
    assert picture(app)["step"]["removed"].startswith("The mask removes ")


def test_the_removed_mass_is_that_of_everything_but_the_choices():
    # Of "yes" and "no" the vocabulary has the tokens y, ye, yes, n, no: everything else is masked.
    tokenizer = load_tokenizer()
    logits = embedded().next_logits(tokenizer.encode(MOOD["prompt"])).astype(np.float64)
    probs = np.exp(logits - logits.max())
    probs /= probs.sum()
    ids = [
        i
        for i in range(tokenizer.vocab_size)
        if tokenizer.token_bytes(i) in (b"y", b"ye", b"yes", b"n", b"no")
    ]
    step = picture(opened(**MOOD))["step"]
    assert step["removed_mass"] == pytest.approx(1 - probs[ids].sum(), abs=1e-6)
    assert f"{len(ids)} of 49,152 tokens are allowed" in step["removed"]


def test_a_step_draws_back_takes_back_and_the_same_seed_draws_again():
    app = press(press(opened(example="date", seed="5"), "Step"), "Step")
    before = tokens(app)
    assert len(before) == 3
    assert tokens(press(app, "Back")) == before[:2]
    assert tokens(press(app, "Step")) == before
    assert tokens(press(app, "Begin again")) == before[:1]


def test_the_first_token_stays():
    app = press(opened(example="date"), "Back")
    assert len(tokens(app)) == 1


def test_a_link_restores_the_text_and_the_token_in_view():
    app = press(press(opened(example="date"), "Step"), "Step")
    again = opened(example="date", tokens="3", token="2")
    assert tokens(again) == tokens(app)
    assert (picture(again)["position"], picture(again)["step"]["title"]) == (1, "Token 2")


def test_a_finished_text_is_checked_and_its_meaning_is_not_the_masks():
    view = picture(opened(example="date", tokens="20"))
    assert view["text"]["conforms"]
    assert view["text"]["verdict"].startswith("Checked")
    said = "".join(chip["name"] for chip in view["text"]["chips"])
    assert ("as a right answer does" in view["moral"]) == ("1969-07-20" in said)


def test_a_constraint_that_cannot_be_used_is_told_and_the_last_one_stays():
    app = opened(example="date")
    app.text_area(key="constrained_draft").set_value("[0-9").run()
    assert "cannot be used" in app.warning[0].value
    assert app.text_area(key="constrained_draft").value == "[0-9"
    assert len(tokens(app)) == 1
    assert "constraint" not in app.query_params


def test_a_constraint_that_no_text_fits_is_told():
    app = opened(example="book")
    app.text_area(key="constrained_draft").set_value('{"type": "integer", "minimum": 2, "maximum": 1}').run()
    assert app.warning
    assert not app.exception


def test_an_edited_constraint_goes_into_the_address():
    app = opened(example="mood")
    app.text_area(key="constrained_draft").set_value("left\nright").run()
    address = opened(**{name: "".join(value) for name, value in app.query_params.items()})
    assert address.text_area(key="constrained_draft").value == "left\nright"
    assert tokens(address) == tokens(app)


def test_a_kind_brings_its_first_example_with_its_prompt():
    app = opened()
    app.segmented_control(key="constrained_kind").set_value("regex").run()
    assert app.text_area(key="constrained_draft").value == DATE
    assert "Apollo" in app.text_area(key="constrained_prompt").value


def test_free_and_masked_stand_beside_each_other():
    view = picture(opened(example="date", view="beside", tokens="3"))
    assert (len(view["free"]), len(view["masked"])) == (3, 3)


def test_the_engines_part_with_top_k():
    view = picture(opened(example="date", view="engines", top_k="3"))
    assert view["columns"][2:] == ["transformers", "llama.cpp", "ollama", "vllm"]
    assert view["summary"].startswith("With these settings none of them draws")


def test_nothing_is_counted_before_somebody_asks():
    app = opened(view="trial", T="0.5")
    assert picture(app)["texts"] == []
    assert [row["name"] for row in picture(app)["rows"]] == ["first token fits, computed"]
    assert any(button.label == "Draw and count" for button in app.button)


def test_what_was_captured_is_there_at_once():
    shown = picture(opened(view="trial"))
    assert list(shown["arms"]) == ["not asked", "asked", "masked"]
    assert len(shown["texts"]) == 10


def test_a_dial_begins_the_text_again():
    app = press(opened(example="date"), "Step")
    app.slider(key="constrained_temperature").set_value(0.0).run()
    assert len(tokens(app)) == 1
    assert picture(app)["step"]["draws"].startswith("Greedy takes")


@pytest.mark.parametrize(
    "address",
    [
        {"kind": "regex", "constraint": "(("},
        {"kind": "poem", "constraint": "x"},
        {"example": "nonsense", "view": "nonsense", "tokens": "-3", "token": "999", "pairs": "7"},
        {"T": "hot", "top_k": "2.5", "top_p": "nan", "seed": "1e9", "engine": "steam"},
    ],
)
def test_an_address_that_makes_no_sense_opens_the_first_example(address):
    app = opened(**address)
    assert json.loads(app.text_area(key="constrained_draft").value)["properties"]["name"]
    assert len(tokens(app)) == 1


def test_a_prompt_beyond_the_context_is_refused_in_a_sentence():
    app = opened(example="date")
    app.text_area(key="constrained_prompt").set_value("a " * 9000).run()
    assert not app.exception
    for label in ("Step", "Play", "Back", "Begin again"):
        assert "shorten it" in press(app, label).warning[0].value


def test_without_the_model_an_installation_is_offered(monkeypatch, tmp_path):
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path))
    app = opened()
    assert any(button.label.startswith("Install it") for button in app.button)
