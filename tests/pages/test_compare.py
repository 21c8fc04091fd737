"""The comparison of two runs without a browser: which runs, from which row, and what the address holds."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from core.figures.compare_view import PRESETS
from core.messages.types import AssistantMessage
from core.trace import Step, StepKind, Trace
from pages.common.run import OWN, Loaded
from tests.pages.app import components, open_page

opened = partial(open_page, "compare")


def sent(app: AppTest) -> dict:
    return components(app)[0]


def address(app: AppTest) -> tuple[str, ...]:
    return tuple(app.query_params[name] for name in ("left", "right", "step"))


def test_the_first_pair_is_shown_from_where_it_parts():
    app = opened()
    left, right = next(iter(PRESETS.values()))
    data = sent(app)
    assert data["anchor"]["step"] == data["view"]["parted"] + 1
    assert address(app) == (left, right, str(data["anchor"]["step"]))


def test_a_link_opens_its_runs_at_its_row():
    app = opened(left="dense", right="sparse", step="5")
    assert (app.selectbox(key="left run").value, app.selectbox(key="right run").value) == ("dense", "sparse")
    assert sent(app)["anchor"]["step"] == 5
    assert address(app) == ("dense", "sparse", "5")


@pytest.mark.parametrize("step", ["0", "-1", "999", "two", ""])
def test_a_row_that_is_none_is_the_one_where_they_part(step: str):
    app = opened(left="dense", right="sparse", step=step)
    assert sent(app)["anchor"]["step"] == sent(app)["view"]["parted"] + 1


def test_an_unknown_run_is_told_in_one_sentence_that_does_not_repeat_it():
    app = opened(left="<b>nobody</b>", right="react", step="4")
    assert address(app)[:2] == ("open-loop", "react")
    assert app.caption[0].value == "The address names a run that is not here; another is shown in its place."


def test_another_run_is_compared_from_where_it_parts():
    app = opened(left="dense", right="sparse", step="5")
    before = sent(app)["anchor"]["revision"]
    app.selectbox(key="right run").select("budget").run()
    data = sent(app)
    assert address(app)[:2] == ("dense", "budget")
    assert data["anchor"]["revision"] != before
    assert data["anchor"]["step"] == data["view"]["parted"] + 1


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_chooses_both_runs_and_can_be_chosen_again(name: str):
    app = opened(left="berlin", right="parallel")
    app.selectbox(key="preset of runs compared").select(name).run()
    assert address(app)[:2] == PRESETS[name]
    assert app.selectbox(key="preset of runs compared").value is None


def test_a_run_with_itself_never_parts():
    data = sent(opened(left="berlin", right="berlin"))
    assert data["view"]["parted"] is None
    assert data["anchor"]["step"] == 1


def test_a_run_of_this_session_can_be_compared_and_one_without_steps_too():
    app = opened(left="berlin", right="parallel")
    answer = Step(kind=StepKind.ANSWER, turn=1, text="Yes.", appended=AssistantMessage(content="Yes."))
    app.session_state[OWN] = {
        "file-1": Loaded(Trace(title="Mine", source="imported", steps=(answer,))),
        "file-2": Loaded(Trace(title="Nothing", source="imported")),
    }
    app.run()
    app.selectbox(key="left run").select("file-1").run()
    assert sent(app)["view"]["rows"][-1]["left"]["line"] == "answer: Yes."
    app.selectbox(key="right run").select("file-2").run()
    app.selectbox(key="left run").select("file-2").run()
    assert not app.exception
    assert app.caption[-1].value == "Neither run has steps yet."


def test_text_and_native_are_told_apart_behind_a_button():
    table = next(one.value for one in opened().markdown if "with native tool calls" in one.value)
    rows = [row.split(" | ")[0].strip("| *") for row in table.splitlines()[2:]]
    assert rows == ["Thought", "Action", "Observation", "Final answer"]


def test_a_link_opens_the_terms_at_one_and_leaves_out_what_is_none():
    app = opened(terms="toolformer")
    assert any(one.value.startswith(":orange-background[**Toolformer**]") for one in app.markdown)
    assert app.query_params["terms"] == "toolformer"
    assert opened(elements="open").query_params["elements"] == "open"
    assert "terms" not in opened(terms="<b>").query_params
