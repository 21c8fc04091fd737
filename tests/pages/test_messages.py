"""The messages screen without a browser: what Python sends to the picture, and what the address keeps."""

import json
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from core.figures.messages_view import PROVIDERS
from core.figures.tool_view import FAMILIES
from core.teaching.conversation_changes import CHANGES
from pages.common import messaging
from pages.common.messaging import VIEWS
from tests.pages.app import components, open_page

opened = partial(open_page, "messages")


def view(app: AppTest) -> dict:
    return components(app)[0]["view"]


def text(app: AppTest) -> str:
    return "".join(piece["text"] for run in view(app)["rendered"]["runs"] for piece in run["pieces"])


def cards(app: AppTest) -> list[dict]:
    return view(app)["cards"]["cards"]


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def paste(app: AppTest, written: str) -> None:
    app.text_area(key="messages_json").set_value(written).run()
    press(app, "Read the conversation")


def choose_run(app: AppTest, slug: str) -> None:
    next(box for box in app.selectbox if box.label == "Scenario").set_value(slug).run()


def do(app: AppTest, **asked: object) -> None:
    """Let the picture ask for something, as it does in a browser."""
    state = app.session_state[messaging.KEY]
    app.session_state["asked"] = asked
    driver = AppTest.from_function(_act)
    for key in (messaging.KEY, "asked"):
        driver.session_state[key] = app.session_state[key]
    driver.session_state["slug"] = state.slug
    driver.run()
    assert not driver.exception
    app.session_state[messaging.KEY] = driver.session_state[messaging.KEY]
    app.run()
    assert not app.exception


def _act() -> None:
    import streamlit as st

    from pages.common import messaging
    from pages.common import run as running

    slug = st.session_state["slug"]
    shown = messaging.conversation(slug, running.trace_of(slug))
    messaging.act(slug, shown, st.session_state["asked"])


def test_the_screen_opens_with_the_lectures_trace():
    app = opened()
    assert [card["type"] for card in cards(app)] == [
        "SystemMessage",
        "UserMessage",
        "AssistantMessage",
        "ToolResultMessage",
        "AssistantMessage",
    ]
    assert "<|im_start|>user\nWhat's the weather in Berlin?<|im_end|>" in text(app)


@pytest.mark.parametrize("shown", VIEWS)
def test_every_view_opens_from_its_link(shown):
    app = opened(view=shown, scenario="parallel")
    assert components(app)
    assert app.query_params.get("view", "four") == shown


@pytest.mark.parametrize("template", FAMILIES)
def test_the_template_in_the_address_writes_the_text(template):
    assert view(opened(template=template))["template"] == template


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_provider_in_the_address_writes_the_json(provider):
    assert view(opened(provider=provider))["provider"] == provider


def test_the_selected_message_is_in_the_address_and_comes_back_from_it():
    app = opened(message="3")
    assert components(app)[0]["anchor"]["message"] == 3
    assert app.query_params["message"] == "3"


@pytest.mark.parametrize("change", CHANGES)
def test_a_link_can_suppose_a_change(change):
    app = opened(change=change, scenario="parallel")
    assert app.query_params["change"] == change
    assert components(app)


def test_a_change_that_the_run_has_nothing_for_is_told_and_dropped():
    app = opened(change="twice", scenario="no-tool")
    assert "no call with a result" in app.caption[0].value
    assert "change" not in app.query_params


def test_what_is_supposed_can_be_chosen_and_taken_back():
    app = opened(scenario="parallel")
    app.selectbox(key="messages_change").set_value("orphan").run()
    assert any(row["faults"] for card in cards(app) for row in card["rows"])
    press(app, "As it was")
    assert not any(row["faults"] for card in cards(app) for row in card["rows"])


def test_a_conversation_that_is_pasted_takes_the_place_of_the_run():
    app = opened()
    paste(app, json.dumps({"system": "S", "messages": [{"role": "user", "content": "hi"}]}))
    assert [card["rows"][0]["text"] for card in cards(app)] == ["S", "hi"]
    assert view(app)["provider"] == "anthropic"
    assert app.caption[0].value.startswith("Kept in this session")
    assert app.query_params["own"] == "1"


def test_bad_json_is_one_sentence_and_nothing_is_lost():
    app = opened()
    paste(app, '[{"role": "user", "content": "mine"}]')
    paste(app, '{"messages": [}')
    assert app.warning[0].value == "This is not JSON: Expecting value at line 1, column 15."
    assert app.text_area(key="messages_json").value == '{"messages": [}'
    assert [card["rows"][0]["text"] for card in cards(app)] == ["mine"]


def test_the_run_comes_back():
    app = opened()
    paste(app, '[{"role": "user", "content": "mine"}]')
    press(app, "As it was")
    assert len(cards(app)) == 5
    assert "own" not in app.query_params


def test_another_run_and_back_keeps_the_conversation_of_ones_own():
    app = opened()
    paste(app, '[{"role": "user", "content": "mine"}]')
    choose_run(app, "parallel")
    assert len(cards(app)) == 6
    choose_run(app, "berlin")
    assert [card["rows"][0]["text"] for card in cards(app)] == ["mine"]


def test_a_link_to_somebodys_own_conversation_says_that_it_is_not_here():
    assert "only their session holds" in opened(own="1").caption[0].value


def test_a_template_of_ones_own_writes_the_text():
    app = opened()
    app.text_area(key="messages_jinja").set_value(
        "{% for m in messages %}<{{ m.content }}>{% endfor %}"
    ).run()
    press(app, "Use the template")
    assert text(app).startswith("<You are a helpful assistant.><What's the weather in Berlin?>")


def test_what_is_no_template_is_told_in_a_sentence():
    app = opened()
    app.text_area(key="messages_jinja").set_value("Hello").run()
    press(app, "Use the template")
    assert "no Jinja template" in app.warning[0].value
    assert view(app)["template"] == "chatml"


def test_an_edit_is_in_every_view():
    app = opened()
    do(app, do="edit", message=1, fields={"content": "Snow in Oslo?"})
    assert cards(app)[1]["rows"][0]["text"] == "Snow in Oslo?"
    assert "Snow in Oslo?" in text(app)
    assert any("Snow in Oslo?" in line["text"] for line in view(app)["wire"]["lines"])


@pytest.mark.parametrize(
    ("verb", "count"), [("user", 6), ("answer", 6), ("call", 6), ("result", 6), ("remove", 4)]
)
def test_messages_are_added_and_removed(verb, count):
    app = opened()
    do(app, do=verb, message=1)
    assert len(cards(app)) == count


def test_ids_that_mistral_refuses_are_renamed_on_request():
    app = opened(template="mistral")
    assert view(app)["rendered"]["refusal"]["nine"]
    do(app, do="nine")
    assert view(app)["rendered"]["refusal"] is None
    assert app.query_params["change"] == "nine"


@pytest.mark.parametrize(
    "asked",
    [
        {"do": "edit", "message": 99, "fields": {"content": "x"}},
        {"do": "edit", "message": 1, "fields": {"content": 7}},
        {"do": "remove", "message": -1},
        {"do": "provider", "name": "nobody"},
        {"do": "template", "name": "own"},
        {"do": "suppose", "name": "nonsense"},
        {"do": "dance"},
    ],
)
def test_what_makes_no_sense_changes_nothing(asked):
    app = opened()
    before = view(app)
    do(app, **asked)
    assert view(app) == before


@pytest.mark.parametrize("name", ["view", "provider", "template", "message", "change"])
def test_nonsense_in_the_address_is_as_if_it_were_not_there(name):
    app = opened(**{name: "nonsense"})
    assert name not in app.query_params
    assert components(app)


def test_the_template_inside_the_operators_model_can_be_used(tmp_path, monkeypatch):
    jinja = "{{ bos_token }}{% for message in messages %}({{ message.content }}){% endfor %}"
    (tmp_path / "chat_template.jinja").write_text(jinja)
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<s>"}')
    monkeypatch.setenv("LOOPSCOPE_MODEL", str(tmp_path))
    app = opened()
    press(app, f"Use the template of {tmp_path.name}")
    assert text(app).startswith("<s>(You are a helpful assistant.)")


def test_a_model_without_a_template_is_told_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("LOOPSCOPE_MODEL", str(tmp_path))
    app = opened()
    press(app, f"Use the template of {tmp_path.name}")
    assert "holds no chat template" in app.warning[0].value
