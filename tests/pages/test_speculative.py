"""The speculative screen without a browser: what Python sends, and what the address holds."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from core.lm import embedded, load_tokenizer
from core.teaching.drafting import DRAFTING_EXAMPLES
from tests.pages.app import components, open_page

opened = partial(open_page, "speculative")
SHORT = {"prompt": "Once upon a time, there was", "layers": "2", "gamma": "2"}  # two layers are soon read


def picture(app: AppTest) -> dict:
    return components(app)[0]


def tokens(app: AppTest) -> list[str]:
    return [chip["name"] for chip in picture(app)["chips"]]


def rounds(app: AppTest) -> int:
    return picture(app)["chips"][-1]["round"] + 1


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def test_the_screen_opens_with_one_round():
    view = picture(opened(**SHORT))
    assert view["round"]["title"] == "Round 1"
    assert len(view["round"]["drafted"]) == 2
    assert "the logits of 3 positions" in view["round"]["passes"]


def test_a_step_makes_a_round_back_takes_it_back_and_the_same_seed_makes_it_again():
    app = press(opened(**SHORT, seed="3"), "Step")
    before = tokens(app)
    assert rounds(app) == 2
    assert rounds(press(app, "Back")) == 1
    assert tokens(press(app, "Step")) == before
    assert rounds(press(app, "Begin again")) == 1


def test_a_link_restores_the_rounds_and_the_one_in_view():
    app = press(press(opened(**SHORT, seed="1"), "Step"), "Step")
    again = opened(**SHORT, seed="1", rounds="3", round="2")
    assert tokens(again) == tokens(app)
    assert picture(again)["round"]["title"] == "Round 2"


def test_at_t_0_the_text_is_the_greedy_one_and_the_screen_says_so():
    ids = load_tokenizer().encode(SHORT["prompt"])
    for _ in range(3):
        ids.append(int(embedded().next_logits(ids).argmax()))
    app = opened(**SHORT, T="0", rounds="3")
    assert "plain greedy generation writes the same" in picture(app)["note"]
    greedy = [load_tokenizer().decode([token]) for token in ids[-3:]]
    assert [name.replace("·", " ") for name in tokens(app)[:3]] == greedy


def test_a_copy_is_looked_up_without_a_pass_of_a_draft():
    copy = DRAFTING_EXAMPLES[2]
    view = picture(opened(prompt=copy.prompt, draft="lookup", T="0", rounds="2"))
    assert view["round"]["passes"].startswith("0 passes of the draft")
    assert view["round"]["drafted"]


def test_an_example_sets_prompt_draft_and_temperature():
    app = opened(**SHORT)
    app.selectbox(key="speculative_example").set_value(DRAFTING_EXAMPLES[2].title).run()
    assert app.segmented_control(key="speculative_draft").value == "lookup"
    assert app.slider(key="speculative_temperature").value == 0
    assert app.query_params["draft"] == "lookup"


def test_the_proof_has_three_rules_of_which_the_wrong_one_fails():
    app = opened(prompt="The weather in Berlin is", layers="27", view="proof")
    rows = picture(app)["rows"]
    assert [row["holds"] for row in rows] == [True, True, False]
    assert all("10,000 drafts" in row["accepted"] for row in rows)


def test_where_nothing_is_drafted_there_is_nothing_to_prove():
    assert picture(opened(prompt="Rain", draft="lookup", view="proof"))["rows"] == []


def test_the_map_has_a_row_for_each_exit_for_the_draft_in_use_and_for_what_is_supposed():
    asked = {"prompt": "One, two, three. One, two,", "draft": "lookup", "alpha": "0.5", "cost": "0.5"}
    view = picture(opened(**asked, view="speed"))
    assert [row["name"] for row in view["map"]["rows"]][-2:] == ["L = 29", "lookup"]
    assert view["supposed"]["rows"][0]["cells"][0]["label"] == "1.00"  # (1 + α) / (1 + c)
    assert "it does not: 1.00 times at best" in view["what_if"]
    assert [line["value"] for line in view["lines"]][-1] == "not known yet"


def test_papers_are_named_with_what_they_measured_on():
    view = picture(opened(prompt="One two three", layers="2", view="speed"))
    assert [paper["speed_up"] for paper in view["papers"]] == ["2.3 to 3.4 times", "2 to 2.5 times"]


def test_another_draft_begins_the_text_again():
    app = press(opened(**SHORT), "Step")
    app.segmented_control(key="speculative_draft").set_value("lookup").run()
    assert rounds(app) == 1


@pytest.mark.parametrize(
    "address",
    [
        {"draft": "crystal ball", "view": "nonsense", "gamma": "x", "layers": "-1", "rounds": "-2"},
        {"T": "hot", "top_k": "2.5", "top_p": "nan", "seed": "1e9", "alpha": "7", "cost": "?", "draws": "3"},
        {"round": "99", "window": "0"},
    ],
)
def test_an_address_that_makes_no_sense_is_left_out(address):
    app = opened(**address)
    assert rounds(app) == 1
    assert app.slider(key="speculative_gamma").value == 4
    assert app.slider(key="speculative_layers").value == 27


def test_an_address_beyond_the_ends_of_the_dials_is_taken_as_their_ends():
    app = opened(prompt="Rain", draft="lookup", gamma="400", T="9")
    assert app.slider(key="speculative_gamma").value == 8
    assert app.slider(key="speculative_temperature").value == 3


def test_a_prompt_beyond_the_context_is_refused_in_a_sentence():
    app = opened(**SHORT)
    app.text_area(key="speculative_prompt").set_value("a " * 9000).run()
    assert not app.exception
    for label in ("Step", "Play", "Back", "Begin again"):
        assert "shorten it" in press(app, label).warning[0].value


def test_without_the_model_an_installation_is_offered(monkeypatch, tmp_path):
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path))
    app = opened()
    assert any(button.label.startswith("Install it") for button in app.button)
