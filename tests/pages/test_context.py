"""The context screen without a browser: what Python sends to the figure, and what the address keeps."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.app import components, open_page

opened = partial(open_page, "context")


def sent(app: AppTest) -> dict:
    return components(app)[0]


def test_the_line_below_the_question_names_run_calls_and_count():
    app = opened(scenario="parallel")
    assert app.header[0].value == "What is sent at every call?"
    title, calls, counted = app.caption[0].value.split(" · ")
    assert (title, calls) == ("Two cities at once", "2 model calls")
    assert counted == "tokens\\: exact counts by the SmolLM2 tokenizer and ChatML template"


def test_there_is_one_bar_for_every_model_call():
    assert [call["number"] for call in sent(opened(scenario="repair"))["view"]["calls"]] == [1, 2, 3]


def test_the_parts_of_each_bar_add_up_to_its_total():
    for call in sent(opened(scenario="refund"))["view"]["calls"]:
        assert sum(part["tokens"] for part in call["slices"]) == call["total"]


def test_the_step_in_the_address_is_the_one_to_start_from():
    assert sent(opened(scenario="parallel", step="5"))["anchor"]["step"] == 5


def test_the_window_is_that_of_the_run_until_another_is_supposed():
    app = opened(scenario="parallel")
    assert sent(app)["view"]["window"] == 8192
    assert "window" not in app.query_params
    app.selectbox(key="window").set_value("512").run()
    assert sent(app)["view"]["window"] == 512
    assert app.query_params["window"] == "512"


def test_the_window_in_the_address_is_supposed():
    assert sent(opened(window="1024"))["view"]["window"] == 1024


@pytest.mark.parametrize("nonsense", ["", "0", "-512", "many", "1e9"])
def test_an_impossible_window_in_the_address_is_replaced_by_that_of_the_run(nonsense):
    app = opened(window=nonsense)
    assert sent(app)["view"]["window"] == 8192
    assert "window" not in app.query_params


def test_a_part_that_there_is_not_leaves_the_address():
    assert "part" not in opened(scenario="parallel", part="foo").query_params


def test_the_part_in_the_address_reaches_the_figure():
    assert sent(opened(scenario="parallel", part="tool-call"))["part"] == "tool-call"


def test_another_scenario_is_drawn_when_it_is_chosen():
    app = opened(scenario="parallel")
    app.selectbox[0].set_value("no-tool").run()
    assert len(sent(app)["view"]["calls"]) == 1
    assert app.query_params["scenario"] == "no-tool"


def test_a_scenario_that_does_not_exist_is_named_as_such():
    assert "names no run that there is" in opened(scenario="nonsense").caption[0].value
