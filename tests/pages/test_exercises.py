"""The exercises without a browser: links, answers, what is solved, sheets."""

from functools import partial

import pytest

from core.teaching.exercises import KINDS, make
from tests.pages.app import components, open_page

opened = partial(open_page, "exercises")


def said(app):
    """The verdicts in view."""
    return [data for data in components(app) if "state" in data]


def answer(app, **answers):
    """Fill the fields of top-k, number 12, and check them."""
    app.button_group[1].set_value(answers["kept"])
    for field, text in zip(app.text_input, answers["shares"], strict=True):
        field.set_value(text)
    next(button for button in app.button if button.label == "Check").click()
    return app.run()


def test_a_link_opens_its_exercise_and_stays_in_the_address():
    app = opened(kind="top-k", seed="12")
    assert components(app)[0]["task"] == make("top-k", 12).made.task
    assert {name: app.query_params[name] for name in ("kind", "seed")} == {"kind": "top-k", "seed": "12"}


def test_an_address_that_makes_no_sense_is_told_in_one_sentence():
    app = opened(kind="<b>top</b>", seed="-3", view="x", part="Z")
    assert (
        app.caption[0].value
        == "The address names an exercise that is not here; another is shown in its place."
    )
    assert components(app)[0]["task"] == make(next(iter(KINDS)), 1).made.task


def test_a_mistake_is_named_beside_its_field_and_what_is_right_is_solved():
    app = opened(kind="top-k", seed="12")
    # P is 0.30, 0.09, 0.15, 0.36, 0.10, and k = 2: asked are D and A.
    answer(app, kept=["A", "D"], shares=["0.36", ""])
    assert [verdict["state"] for verdict in said(app)] == ["right", "wrong", "empty"]
    assert said(app)[1]["text"].startswith("Not renormalised")
    assert app.caption[0].value == f"0 of {len(KINDS)} kinds solved"
    answer(app, kept=["A", "D"], shares=["36/66", "45 %"])
    assert {verdict["state"] for verdict in said(app)} == {"right"}
    assert app.caption[0].value == f"1 of {len(KINDS)} kinds solved"


def test_what_is_right_after_its_solution_was_opened_is_not_solved():
    app = opened(kind="top-k", seed="12")
    next(button for button in app.button if button.label == "Worked solution").click()
    app.run()
    next(button for button in app.button if button.label == "Worked solution").click()  # closed again
    answer(app, kept=["A", "D"], shares=["0.545", "0.455"])
    assert {verdict["state"] for verdict in said(app)} == {"right"}
    assert "do not count" in app.caption[1].value
    assert app.caption[0].value == f"0 of {len(KINDS)} kinds solved"


def test_answers_stay_with_their_exercise_and_what_is_solved_stays_in_the_address():
    app = opened(kind="top-k", seed="12")
    answer(app, kept=["A", "D"], shares=["36/66", "45 %"])
    app.selectbox[0].select("top-p").run()
    assert not said(app)
    app.selectbox[0].select("top-k").run()
    assert [field.value for field in app.text_input] == ["36/66", "45 %"]
    assert {verdict["state"] for verdict in said(app)} == {"right"}
    assert "A sampling · Top-k ✓" in app.selectbox[0].options
    done = app.query_params["done"]
    assert opened(done=done).caption[0].value == f"1 of {len(KINDS)} kinds solved"
    assert opened(done="0x" + done).caption[0].value == f"0 of {len(KINDS)} kinds solved"


def test_what_was_written_and_not_checked_stays_with_its_exercise():
    app = opened(kind="top-k", seed="12")
    app.button_group[1].set_value(["D"])
    app.text_input[1].set_value("45 %").run()
    app.selectbox[0].select("top-p").run()
    app.number_input[0].set_value(13).run()
    app.selectbox[0].select("top-k").run()
    assert [field.value for field in app.text_input] == ["", ""]
    app.number_input[0].set_value(12).run()
    assert app.button_group[1].value == ["D"]
    assert [field.value for field in app.text_input] == ["", "45 %"]
    assert not said(app)


def test_what_is_written_and_left_in_one_moment_stays_with_its_exercise():
    app = opened(kind="top-k", seed="12")
    app.text_input[0].set_value("0.5")
    app.number_input[0].set_value(13).run()
    assert app.text_input[0].value == ""
    app.number_input[0].set_value(12).run()
    assert app.text_input[0].value == "0.5"


@pytest.mark.parametrize("seed", ["-1", "1000000", "9" * 20, "x"])
def test_a_number_that_is_none_is_told(seed):
    app = opened(kind="top-k", seed=seed)
    assert "none from 0 to 999,999" in app.caption[0].value
    assert components(app)[0]["task"] == make("top-k", 1).made.task


def test_every_kind_can_be_chosen_with_hint_and_solution():
    app = opened()
    for slug in KINDS:
        app.selectbox[0].select(slug).run()
        for button in app.button:
            if button.label in ("Hint", "Worked solution"):
                button.click()
        app.run()
        assert not app.exception
        assert components(app)[0]["task"] == make(slug, 1).made.task
        assert components(app)[-1]["steps"] or components(app)[1]["steps"]


def test_a_sheet_has_a_link_of_its_own():
    app = opened(view="sheet", seed="7", part="B")
    assert {name: app.query_params.get(name) for name in ("kind", "seed", "view", "part")} == {
        "kind": None,
        "seed": "7",
        "view": "sheet",
        "part": "B",
    }
