"""The curves say what the samples are; hostile token texts stay texts."""

import pytest

from core.figures.curves import literal, over_temperature, two_shapes
from core.sampling import SamplerSettings, distribution, logits_from_probs, presort, sweep

RANKED = presort(logits_from_probs([0.4, 0.3, 0.25, 0.03, 0.02]))


def letter(token_id: int) -> str:
    return "ABCDE"[token_id]


def test_each_of_the_first_tokens_has_a_line_through_its_own_probability_at_t_1():
    figure = over_temperature(sweep(RANKED, SamplerSettings(), 3, (0.5, 1.0, 2.0)), letter, 1.0)
    at_one = {line.name: line.y[1] for line in figure.data[:3]}
    assert at_one == pytest.approx({"A": 0.4, "B": 0.3, "C": 0.25})


def test_the_temperature_in_force_is_marked_where_the_axis_has_it():
    curves = sweep(RANKED, SamplerSettings(), 1, (0.5, 2.0))
    assert {shape.x0 for shape in over_temperature(curves, letter, 1.5).layout.shapes} == {1.5}
    assert not over_temperature(curves, letter, 0.0).layout.shapes


def test_the_same_settings_on_two_shapes_say_how_many_tokens_each_keeps():
    peaked = presort(logits_from_probs([0.95, 0.03, 0.02]))
    settings = SamplerSettings(top_p=0.9)
    shapes = [
        (text, distribution(ranked, settings), letter) for text, ranked in (("a", peaked), ("b", RANKED))
    ]
    figure = two_shapes(shapes)
    assert [title.text for title in figure.layout.annotations] == ["a: 1 token kept", "b: 3 tokens kept"]
    assert list(figure.data[2].marker.pattern.shape[:5]) == ["", "", "", "/", "/"]


def test_two_shapes_show_what_the_dials_make_of_the_model_beside_the_model():
    shapes = [("b", distribution(RANKED, SamplerSettings(temperature=0.5, top_k=2)), letter)]
    after, model = two_shapes(shapes).data
    # 16 : 9, as 0.4² : 0.3²; what is cut stands as in the model, and no token is beyond the five.
    assert list(after.y) == pytest.approx([0.64, 0.36, 0.25, 0.03, 0.02, 0])
    assert list(model.y) == pytest.approx([0.4, 0.3, 0.25, 0.03, 0.02, 0])


@pytest.mark.parametrize("text", ["<b>x</b>", "$5 and $6", "&lt;", "<br>"])
def test_a_token_is_no_markup_in_a_figure(text):
    assert not set("<>$") & set(literal(text))


def test_the_temperature_is_written_where_its_line_stands():
    figure = over_temperature(sweep(RANKED, SamplerSettings(), 1, (0.5, 20.0)), letter, 10.0)
    # Plotly places lines on a logarithmic axis by the value, and texts by its exponent.
    written = [note.x for note in figure.layout.annotations if note.text == "T = 10"]
    assert written == pytest.approx([1.0, 1.0])
