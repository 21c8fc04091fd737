"""Exercises by kind and number: the same for all, answerable, and complete."""

import pytest

from core.errors import InputError
from core.teaching.exercises import (
    HIGHEST_SEED,
    KINDS,
    ChoiceField,
    OrderField,
    SetField,
    TextField,
    check,
    make,
    sheet,
)

SEEDS = range(25)


def written(answer):
    return repr(float(answer)) if isinstance(answer, int | float) else answer


@pytest.mark.parametrize("slug", KINDS)
def test_the_right_answers_are_found_right(slug):
    for seed in SEEDS:
        answers = make(slug, seed).made.answers
        verdicts = check(slug, seed, {name: written(answer) for name, answer in answers.items()})
        assert {verdict.state for verdict in verdicts} == {"right"}, seed


@pytest.mark.parametrize("slug", KINDS)
def test_every_field_has_its_answer_among_its_options(slug):
    for seed in SEEDS:
        made = make(slug, seed).made
        assert [field.name for field in made.fields] == list(dict.fromkeys(made.answers)), seed
        for field in made.fields:
            answer = made.answers[field.name]
            match field:
                case ChoiceField(options=options):
                    assert answer in options
                    assert len(set(options)) == len(options)
                case SetField(options=options):
                    assert answer, "none chosen means not answered"
                    assert answer <= set(options)
                    assert len(set(options)) == len(options)
                case OrderField(items=items):
                    assert sorted(answer) == sorted(items)
                    assert answer != items, "already in order"
                case TextField(name=name):
                    assert name in made.checks


@pytest.mark.parametrize("slug", KINDS)
def test_an_exercise_has_a_task_a_hint_and_a_solution(slug):
    for seed in SEEDS:
        made = make(slug, seed).made
        assert all([made.task, made.hint, made.steps, all(step.text for step in made.steps)])


@pytest.mark.parametrize("slug", ["draw", "mask", "pairing"])
def test_every_wrong_choice_is_told_why(slug):
    for seed in SEEDS:
        made = make(slug, seed).made
        for field in made.fields:
            for option in field.options if isinstance(field, ChoiceField) else ():
                (verdict,) = [one for one in check(slug, seed, {field.name: option}) if one.state != "empty"]
                assert verdict.text != "Not this one.", (seed, field.name, option)


@pytest.mark.parametrize("slug", KINDS)
def test_a_number_gives_everybody_the_same_figures_and_another_number_others(slug):
    def figures(seed):
        made = make.__wrapped__(slug, seed).made
        return made.task, made.given, made.fields, made.answers, made.steps

    assert figures(7) == figures(7)
    assert any(figures(7) != figures(seed) for seed in range(8, 12))


def test_kinds_with_one_number_do_not_share_their_figures():
    assert make("top-k", 5).made.given != make("min-p", 5).made.given


def test_a_sheet_has_one_exercise_of_every_kind():
    assert [exercise.kind.slug for exercise in sheet(3)] == list(KINDS)
    assert sheet(3)[0] == make(next(iter(KINDS)), 3)


@pytest.mark.parametrize("kind", ["top-q", "", "<b>", None, 3])
def test_an_unknown_kind_is_told(kind):
    with pytest.raises(InputError, match="choose one"):
        make(kind, 1)


@pytest.mark.parametrize("seed", [-1, HIGHEST_SEED + 1, 1.5, "1", None])
def test_a_number_that_is_none_is_told(seed):
    with pytest.raises(InputError, match="whole one"):
        make("top-k", seed)


@pytest.mark.parametrize("slug", KINDS)
def test_no_answer_raises(slug):
    junk = ["", " ", "$x$", "<script>", "9" * 5000, None, [], ["A", "A"], ["nothing known"], "\x00"]
    for answer in junk:
        fields = make(slug, 1).made.fields
        verdicts = check(slug, 1, {field.name: answer for field in fields} | {"unknown": answer})
        assert [verdict.field for verdict in verdicts] == [field.name for field in fields]
