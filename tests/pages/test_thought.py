"""The screen on chains without a browser."""

from tests.pages.app import components, open_page


def test_captured_questions_are_there_at_once_and_marked():
    app = open_page("thought", view="task", task="light", length="8")
    shown = components(app)[-1]
    assert [point["length"] for point in shown["points"]] == [2, 4, 8]
    assert all(point["captured"] == point["total"] > 0 for point in shown["points"])
    assert shown["guess"] == 0.5
    assert dict(app.query_params) == {"view": "task", "task": "light", "length": "8"}


def test_what_an_address_cannot_mean_is_left_out():
    app = open_page("thought", view="task", task="chess", length="99", seed="-3", hint="Z", question="0")
    shown = components(app)[-1]
    assert (shown["length"], shown["guess"]) == (4, None)  # a running sum of four


def test_another_seed_has_nothing_captured():
    app = open_page("thought", view="task", seed="7")
    assert components(app)[-1]["points"] == []
    assert any(button.label == "Ask 5 more" for button in app.button)


def test_several_chains_are_captured_and_more_can_be_drawn():
    app = open_page("thought", view="votes", question="3")
    shown = components(app)[-1]["view"]
    assert shown["asks"] == "What is the capital of France?"
    assert len(shown["rows"]) == 7
    assert any(button.label == "Draw 2 more chains" for button in app.button)
    assert dict(app.query_params) == {"view": "votes", "question": "3"}


def test_the_prompt_of_each_side_is_told_by_its_exemplars():
    shown = components(open_page("thought", length="2"))[-1]
    forms = [one["form"] for one in shown["exemplars"]]
    assert forms == ["⟨input, output⟩", "⟨input, chain of thought, output⟩"]
