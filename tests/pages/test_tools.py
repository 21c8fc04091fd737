"""The tool screen without a browser: what Python sends to the pictures, and what the address keeps."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from core.teaching.tool_bench import BENCH, EXAMPLES
from pages.common.tooling import VIEWS
from tests.pages.app import components, open_page

opened = partial(open_page, "tools")


def view(app: AppTest) -> dict:
    return components(app)[0]["view"]


def text(app: AppTest) -> str:
    return "".join(stretch["text"] for stretch in view(app)["stretches"])


def verdicts(app: AppTest) -> list[str]:
    return [rung["verdict"] for rung in view(app)["rungs"]]


def test_the_screen_opens_with_the_text_that_holds_the_first_tool():
    app = opened()
    assert '"get_weather"' in text(app)
    assert app.query_params["tool"] == "get_weather"


@pytest.mark.parametrize("shown", VIEWS)
def test_every_view_opens_from_its_link(shown):
    app = opened(view=shown)
    assert not app.warning
    assert components(app)


def test_the_server_is_not_started_before_somebody_asks():
    assert view(opened(view="mcp"))["crossings"] == []


def test_a_link_to_a_call_of_the_server_makes_it():
    assert view(opened(view="mcp", served="bad-day"))["lesson"].startswith("Nothing crossed")


def test_another_tool_comes_with_its_own_schema_and_call():
    app = opened(call="{}")
    app.selectbox(key="tool_menu").set_value("find_room").run()
    assert '"find_room"' in text(app)
    assert app.query_params["tool"] == "find_room"
    assert "call" not in app.query_params


def test_the_template_in_the_address_is_the_one_that_writes():
    assert "[AVAILABLE_TOOLS]" in text(opened(template="mistral"))


def test_the_text_of_the_next_call_holds_the_call_and_its_real_result():
    app = opened(call='{"city": "Oslo"}')
    app.toggle(key="tool_turn").set_value(True).run()
    assert '{"city": "Oslo"}' in text(app)
    assert "6°C, snowy" in text(app)
    assert app.query_params["turn"] == "1"


def test_an_edited_description_is_in_the_text_and_in_the_address():
    app = opened()
    app.text_area(key="tool_description").set_value("Use it daily.").run()
    assert "Use it daily." in text(app)
    assert app.query_params["description"] == "Use it daily."
    assert "parameters" not in app.query_params


def test_a_link_restores_an_edited_schema():
    written = '{"type": "object", "properties": {"town": {"type": "string"}}}'
    app = opened(parameters=written, description="In a town.")
    assert '"description": "In a town."' in text(app)
    assert '"town"' in text(app)


def test_a_new_name_is_in_the_text_and_in_the_address():
    app = opened()
    app.text_input(key="tool_name").set_value("weather_in").run()
    assert '"name": "weather_in"' in text(app)
    assert app.query_params["name"] == "weather_in"


def test_json_that_is_none_is_told_in_a_sentence_and_the_last_schema_stays_in_view():
    app = opened()
    app.text_area(key="tool_description").set_value("Kept.").run()
    before = text(app)
    app.text_area(key="tool_parameters").set_value('{"type": ').run()
    assert "not JSON" in app.warning[0].value
    assert text(app) == before
    assert app.text_area(key="tool_parameters").value == '{"type": '


def test_a_name_that_another_tool_has_is_refused():
    app = opened()
    app.text_input(key="tool_name").set_value("find_room").run()
    assert "Another tool is called find_room" in app.warning[0].value


def test_an_edited_schema_can_be_put_back():
    app = opened(description="Changed.", call='{"city": "Oslo"}')
    next(button for button in app.button if button.label == "As it was").click().run()
    assert "Changed." not in text(app)
    assert "description" not in app.query_params
    assert app.query_params["call"] == '{"city": "Oslo"}'


def test_a_call_is_checked_against_the_schema_as_it_is_edited():
    closed = '{"type": "object", "properties": {"city": {"enum": ["Oslo"]}}, "required": ["city"]}'
    assert verdicts(opened(view="call", parameters=closed))[2] == "failed"


def test_the_call_in_the_address_is_run():
    app = opened(view="call", call='{"city": "Paris"}')
    assert view(app)["result"] == "18°C, cloudy"


def test_an_example_brings_its_tool_and_its_call():
    app = opened(view="call")
    app.selectbox(key="tool_example").set_value("A value outside the enum").run()
    assert app.selectbox(key="tool_menu").value == "get_forecast"
    assert "must be one of" in view(app)["result"]


def test_a_typed_call_that_is_an_example_is_named_in_the_menu():
    example = EXAMPLES[1]
    app = opened(view="call", tool=example.tool, call=example.text)
    assert app.selectbox(key="tool_example").value == example.title


def test_python_literals_are_read_only_with_the_switch():
    app = opened(view="call", call="{'city': 'Berlin'}")
    assert verdicts(app)[0] == "failed"
    app.toggle(key="tool_repair").set_value(True).run()
    assert verdicts(app) == ["passed"] * 5
    assert app.query_params["repair"] == "1"


def test_a_call_that_cannot_be_read_at_all_is_told_in_a_sentence():
    app = opened(view="call", call='{"type": "tool_use", "name": 3}')
    assert app.warning
    assert not app.exception


def test_an_empty_call_stays_empty_behind_its_link():
    app = opened(view="call")
    app.text_area(key="tool_call_text").set_value("").run()
    assert verdicts(opened(view="call", call=app.query_params["call"]))[2] == "failed"


def test_the_call_and_its_result_stand_in_four_forms():
    assert [form["name"] for form in view(opened(view="wire"))["forms"]] == [
        "OpenAI chat",
        "OpenAI Responses",
        "Anthropic",
        "Ollama",
    ]


def test_a_call_of_another_tool_is_shown_with_the_schema_of_that_tool():
    app = opened(view="wire", call='{"name": "calculate", "arguments": {"expression": "1+1"}}')
    advertised = view(app)["forms"][0]["sections"][2]["lines"]
    assert any('"calculate"' in piece["text"] for line in advertised for piece in line["pieces"])


def test_the_interface_is_checked_for_the_schema_as_it_is_edited():
    app = opened(view="interface", description="Use it, such as for Oslo, but not for the sea at all.")
    texts = [finding["text"] for finding in view(app)["rules"][2]["findings"]]
    assert "It says when to use the tool." in texts


@pytest.mark.parametrize(
    "name", ["view", "template", "turn", "served", "repair", "show", "terms", "function"]
)
def test_nonsense_in_the_address_is_as_if_it_were_not_there(name):
    app = opened(**{name: "nonsense"})
    assert name not in app.query_params
    assert components(app)


def test_a_tool_that_does_not_exist_is_named_as_such():
    app = opened(tool="nonsense")
    assert "does not exist" in app.caption[0].value
    assert app.query_params["tool"] == next(iter(BENCH))


def test_a_menu_that_is_cleared_leaves_the_call_as_it_is():
    app = opened(view="call", tool="get_weather")
    before = app.text_area[0].value
    app.selectbox(key="tool_example").set_value(None).run()
    assert not app.exception
    assert app.text_area[0].value == before


def test_a_link_opens_the_terms_of_its_view_and_lights_one():
    app = opened(view="wire", terms="inference-engine")
    lit = [text.value for text in app.markdown if "orange-background" in text.value]
    assert [text.startswith(":orange-background[**Inference engine**]") for text in lit] == [True]
    assert app.query_params["terms"] == "inference-engine"


def test_a_link_opens_the_function_that_the_runtime_runs():
    app = opened(tool="search_docs", function="open")
    assert app.query_params["function"] == "open"
    [function] = [code.value for code in app.code if code.value.startswith("def search_docs(")]
    assert "No matching documents." in function


def test_four_corners_of_format_and_kind_come_to_one_result():
    shown = view(opened(view="kinds", show="axes"))["corners"]
    assert [corner["result"].strip() for corner in shown] == ["385"] * 4
