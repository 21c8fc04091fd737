"""Files of runs without a browser: opened from any screen, chosen from, refused, and saved."""

import json

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.traces import FORMATS, dump, load
from core.traces.examples import FILES, example
from tests.pages.app import menu_of_runs


def screen(title: str) -> None:
    """The screen of the loop with the sidebar of a screen, as app.py puts them together."""
    import runpy
    from pathlib import Path

    import pages
    from pages.common import files

    files.controls(title)
    runpy.run_path(str(Path(pages.__file__).parent / "react.py"))


@pytest.fixture
def switched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The screens that were switched to: a test of a page has only one, which is run again."""
    to: list[str] = []

    def switch(page: str) -> None:
        to.append(page)
        st.rerun()

    monkeypatch.setattr(st, "switch_page", switch)
    return to


@pytest.fixture
def app(switched: list[str]) -> AppTest:
    assert not switched
    return AppTest.from_function(screen, default_timeout=120, args=("ReAct",)).run()


def uploaded(app: AppTest, data: bytes, name: str = "mine.json") -> AppTest:
    return app.sidebar.file_uploader[0].set_value((name, data, "application/json")).run()


def texts(found) -> list[str]:
    return [element.value for element in found]


def several(*questions: str) -> bytes:
    runs = [
        {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": "Yes."}]}
        for question in questions
    ]
    return "\n".join(map(json.dumps, runs)).encode()


@pytest.mark.parametrize(
    ("title", "led_to"),
    [("Home", ["pages/react.py"]), ("ReAct", []), ("Messages", []), ("Context budget", [])],
)
def test_a_file_brings_its_run_into_view_and_leads_to_the_loop_where_no_run_is_shown(
    switched: list[str], title: str, led_to: list[str]
):
    app = AppTest.from_function(screen, default_timeout=120, args=(title,)).run()
    uploaded(app, example("openai-chat.json"))

    assert not app.exception
    assert switched == led_to
    assert menu_of_runs(app).value == "file-1"
    assert app.query_params["scenario"] == "file-1"


def test_every_example_opens_from_the_menu(app: AppTest):
    for name in FILES:
        app.sidebar.menu_button[0].click(name).run()
        assert not app.exception
    assert app.query_params["scenario"] == f"file-{len(FILES)}"


def test_where_the_run_comes_from_is_one_line_with_details_behind_it(app: AppTest):
    uploaded(app, example("react-paper.txt"), "mine.txt")

    about = app.main.caption[0]
    assert about.value == "from mine\\.txt · ReAct text · lacks 7 things"
    assert about.help.startswith("- Not in this file\\: the tool schemas\\, the name of the model")


def test_of_a_file_with_several_runs_one_is_chosen(app: AppTest):
    uploaded(app, several("First?", "Second?"))
    assert "The file holds 2 runs." in texts(app.caption)

    app.selectbox(key="run of a file").select(1).run()
    next(button for button in app.button if button.label == "Open").click().run()

    assert menu_of_runs(app).options[-1].endswith("Second?")
    assert not app.exception


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00\x01\x02", b"{", b"[]", b"PK\x03\x04 no zip", b"<b>hi</b> :red[x]", b"[" * 100_000],
    ids=["empty", "binary", "broken", "no run", "no zip", "markup", "deep"],
)
def test_a_file_that_holds_no_run_ends_in_one_sentence(app: AppTest, data: bytes):
    uploaded(app, data)

    assert not app.exception
    assert len(app.warning) == 1
    assert texts(app.warning)[0].endswith(("\\.", ")"))


def test_a_refused_file_leaves_the_run_in_view(app: AppTest):
    uploaded(app, example("openai-chat.json"))
    uploaded(app, b"{")

    assert app.query_params["scenario"] == "file-1"
    assert len(app.warning) == 1
    assert len(app.run().warning) == 0


def test_the_run_in_view_is_offered_in_every_format_once_the_reader_asks(app: AppTest):
    uploaded(app, example("openai-chat.json"))
    assert len(app.download_button) == 0

    app.session_state["save the run"] = True
    app.run()

    assert len(app.download_button) == len(FORMATS)


def test_a_saved_run_opens_again(app: AppTest):
    uploaded(app, dump(load(example("openai-chat.json"), "first.json"), "loopscope"), "second.json")

    assert not app.exception
    assert app.main.caption[0].value.startswith("from first\\.json · OpenAI chat")
