"""The ReAct screen without a browser: what Python sends to the picture, and what the address holds."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from core.scenarios import SCENARIOS
from core.trace import Trace
from pages.common.run import OWN, Loaded, plain
from tests.pages.app import components, open_page

opened = partial(open_page, "react")


def sent(app: AppTest) -> dict:
    return components(app)[0]


def address(app: AppTest) -> tuple[str, str]:
    return app.query_params["scenario"], app.query_params["step"]


def test_the_heading_is_a_question_and_the_line_under_it_says_where_the_run_comes_from():
    app = opened(scenario="parallel")
    assert app.header[0].value == "What does the loop do now?"
    assert app.caption[0].value == plain("scripted model, real loop, real tools")


def test_the_menu_of_runs_says_what_each_group_is_about():
    titles = opened().selectbox[0].options
    assert titles[0] == "First runs · The weather in Berlin"
    assert "Faults · A tool that does not exist" in titles
    assert titles[-1].startswith("Recorded · ")
    assert all(" · " in title for title in titles)


def test_a_run_whose_tokens_are_told_opens_at_one_of_them():
    app = opened(scenario="embedded", step="3", token="1.11")
    assert sent(app)["panel"]["title"] == "token 11 of 32 · tool call"
    assert app.query_params["token"] == "1.11"


@pytest.mark.parametrize("token", ["1.99", "9.1", "0.1", "1.0", "x", "1", "²." + "9" * 9, ""])
def test_a_token_that_is_none_is_left_out(token: str):
    app = opened(scenario="embedded", token=token)
    assert sent(app)["panel"] is None
    assert "token" not in app.query_params


def test_a_token_is_forgotten_with_another_run():
    app = opened(scenario="embedded", token="1.11")
    app.selectbox[0].select("parallel").run()
    assert sent(app)["panel"] is None
    assert "token" not in app.query_params


def test_the_first_scenario_is_shown_from_its_first_step():
    app = opened()
    assert sent(app)["anchor"]["step"] == 1
    assert address(app) == (SCENARIOS[0].slug, "1")


def test_every_step_is_sent_at_once():
    data = sent(opened(scenario="parallel"))
    assert len(data["timeline"]) == len(data["view"]["frames"]) == 13


def test_a_link_opens_its_scenario_and_step():
    app = opened(scenario="parallel", step="5")
    assert app.selectbox[0].value == "parallel"
    assert sent(app)["anchor"]["step"] == 5
    assert address(app) == ("parallel", "5")


def test_another_scenario_starts_from_its_first_step_with_a_new_revision():
    app = opened(scenario="parallel", step="5")
    before = sent(app)["anchor"]["revision"]
    app.selectbox[0].select("repair").run()
    assert sent(app)["anchor"]["step"] == 1
    assert sent(app)["anchor"]["revision"] != before
    assert address(app) == ("repair", "1")


def test_a_rerun_with_an_older_step_in_the_address_moves_nobody():
    app = opened(scenario="parallel", step="5")
    app.query_params["step"] = "3"
    app.run()
    assert sent(app)["anchor"]["step"] == 5
    assert address(app) == ("parallel", "5")


def test_going_back_to_another_scenario_follows_the_address():
    app = opened(scenario="parallel", step="5")
    app.query_params["scenario"], app.query_params["step"] = "repair", "4"
    app.run()
    assert (app.selectbox[0].value, sent(app)["anchor"]["step"]) == ("repair", 4)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [("99", "13"), ("0", "1"), ("-4", "1"), ("two", "1"), ("9" * 5000, "1"), ("²", "1"), ("", "1")],
    ids=["too far", "zero", "negative", "a word", "huge", "superscript", "empty"],
)
def test_a_bad_step_is_told_in_one_sentence_and_corrected(asked: str, kept: str):
    app = opened(scenario="parallel", step=asked)
    assert address(app) == ("parallel", kept)
    assert app.caption[0].value == ("This run has no such step; this is the nearest one.")


def test_a_bad_scenario_is_told_in_one_sentence_that_does_not_repeat_it():
    app = opened(scenario="<b>*nobody*</b>", step="3")
    assert address(app) == (SCENARIOS[0].slug, "1")
    assert app.caption[0].value == ("The address names no run that there is; this is the first.")


def test_a_run_without_steps_says_so():
    app = opened()
    app.session_state[OWN] = {"file-1": Loaded(Trace(title="Nothing", source="imported"))}
    app.run()
    app.selectbox[0].select("file-1").run()
    assert not app.exception
    assert not components(app)
    assert app.caption[-1].value == "This run has no steps."


def test_plain_text_is_escaped_for_markdown():
    assert plain("*a* $5 <b> :red[x] é") == r"\*a\* \$5 \<b\> \:red\[x\] é"


def test_a_link_opens_the_trajectory_and_another_run_stays_in_it():
    app = opened(scenario="detector", view="trajectory")
    assert [line["verdict"] for line in sent(app)["view"]["lines"]] == ["ok", "ok", "ok", "REPEATING"]
    app.selectbox[0].select("policy").run()
    assert [line["verdict"] for line in sent(app)["view"]["lines"]] == ["not permitted"]
    assert app.query_params["view"] == "trajectory"


def test_a_view_that_is_none_is_the_loop():
    assert "timeline" in sent(opened(scenario="detector", view="none"))
