"""What is supposed on the context screen: by widgets, by a link, and when the screen is left and opened."""

from functools import partial

import pytest

from core.context import Strategy
from core.lm.install import install
from pages.common.summarising import WORK, WRITING
from tests.pages.app import components, open_page

opened = partial(open_page, "context")


def view(app):
    return components(app)[0]["view"]


def facts(app):
    return {fact["label"]: fact["value"] for fact in view(app)["facts"]}


def test_any_window_can_be_supposed():
    app = opened(scenario="parallel", window="3k")
    assert view(app)["window"] == 3072
    assert app.query_params["window"] == "3072"


def test_a_strategy_shortens_the_calls():
    app = opened(scenario="refund", window="512")
    before = view(app)["calls"][-1]["total"]
    app.selectbox(key="strategy").set_value(Strategy.BLOCKS).run()
    last = view(app)["calls"][-1]
    assert last["total"] + sum(lost["tokens"] for lost in last["lost"]) == before
    assert app.query_params["strategy"] == "blocks"


def test_the_summary_of_a_compaction_is_what_the_reader_writes_and_stands_in_the_link():
    app = opened(scenario="refund", window="512", strategy="compact", keep="2", summary="In short.")
    assert any("In short." in text for text in view(app)["texts"])
    app.text_area(key="summary").set_value("Otherwise.").run()
    assert any("Otherwise." in text for text in view(app)["texts"])
    assert app.query_params["summary"] == "Otherwise."


def test_a_link_restores_what_is_supposed():
    app = opened(
        scenario="refund",
        window="1024",
        strategy="compact",
        reserve="64",
        threshold="60",
        keep="2",
        clock="head",
    )
    states = app.session_state
    assert (states["strategy"], states["reserve"], states["threshold"]) == (Strategy.COMPACT, 64, 60)
    assert (states["keep"], states["clock"]) == (2, "head")
    assert {name: app.query_params[name] for name in ("strategy", "reserve", "keep")} == {
        "strategy": "compact",
        "reserve": "64",
        "keep": "2",
    }


@pytest.mark.parametrize(
    "nonsense",
    [
        {"strategy": "forget"},
        {"reserve": "-1"},
        {"threshold": "101"},
        {"keep": "x"},
        {"tools": "99"},
        {"clock": "sundial"},
        {"window": "1e9"},
        {"reorder": "1"},
        {"price": "free"},
        {"speed": "nan"},
        {"part": "nonsense"},
        {"more": "nonsense"},
    ],
)
def test_what_makes_no_sense_in_the_address_is_left_out_and_told(nonsense):
    app = opened(scenario="refund", **nonsense)
    assert "left out" not in facts(app)
    ((name, text),) = nonsense.items()
    said = app.caption[0].value.replace("\\", "")
    assert said.startswith(f"The address says {name}={text}, but {name} is ")
    app.slider(key="tools").set_value(1).run()
    assert "The address says" not in app.caption[0].value


def test_all_that_makes_no_sense_is_named():
    said = opened(scenario="refund", keep="x", threshold="101", facts="5").caption[0].value
    assert said.endswith(r"it is left out\, and so are keep\, facts\.")


def test_a_model_that_is_not_here_writes_no_summary():
    app = opened(scenario="refund", window="512", strategy="compact", writer="ollama:gone")
    assert "model is not here" in app.caption[0].value
    assert app.text_area(key="summary").value


def test_a_model_that_is_stopped_leaves_what_it_has_written():
    install(lambda *_: None)
    app = opened(scenario="refund", window="512", strategy="compact", keep="2", writer="embedded")
    app.session_state[WRITING] = "embedded"
    app.session_state[f"work: {WORK}"] = ("the work", iter(()), "Asha asked for")
    app.run()
    next(button for button in app.button if button.label == "Stop").click().run()
    (written,) = [
        area for area in app.text_area if area.label.startswith("By SmolLM2-135M-Instruct, stopped")
    ]
    assert written.value == "Summary of the conversation so far: Asha asked for"
    assert not any(button.label in ("Stop", "Write it") for button in app.button)


def test_one_tool_has_no_order_to_reverse():
    assert "reorder" not in [box.key for box in opened(scenario="long-run").checkbox]
    assert "reorder" in [box.key for box in opened(scenario="refund").checkbox]


def test_a_run_of_text_says_that_it_cannot_be_replayed():
    app = opened(scenario="text", window="512", strategy="blocks")
    assert "native tool calling" in app.caption[0].value


def test_the_window_follows_the_run_unless_it_was_chosen():
    app = opened(scenario="parallel", window="512")
    app.selectbox[0].set_value("no-tool").run()
    assert view(app)["window"] == 512


def test_the_number_of_tools_follows_the_run_unless_it_was_chosen():
    app = opened(scenario="berlin")
    app.selectbox[0].set_value("refund").run()
    assert "tools" not in app.query_params
    assert "left out" not in facts(app)


def test_the_cache_says_where_calls_part():
    app = opened(scenario="refund", clock="head", more="cache")
    assert any(
        "part from the one before in the clock of the system prompt" in text.value for text in app.text
    )


def test_the_clock_is_set_beside_the_cache_too():
    app = opened(scenario="refund", more="cache")
    app.segmented_control(key="clock of the cache").set_value("head").run()
    assert (app.session_state["clock"], app.query_params["clock"]) == ("head", "head")
    assert any("in the clock of the system prompt" in text.value for text in app.text)


def test_a_bill_is_made_of_what_was_entered():
    app = opened(scenario="refund", more="cache", speed="100")
    assert any(text.value.startswith("Time of reading") for text in app.text)
    assert not any(text.value.startswith("Cost") for text in app.text)


def test_one_key_goes_from_strategy_to_strategy_and_round():
    app = opened(scenario="refund", window="1024")
    for strategy in [*list(Strategy)[1:], Strategy.NONE]:
        app.button(key="next strategy").click().run()
        assert app.session_state["strategy"] is strategy
