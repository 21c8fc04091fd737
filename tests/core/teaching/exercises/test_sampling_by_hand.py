"""The right answers of Part A, against solutions that use nothing of Loopscope's sampling."""

import pytest

from core.teaching.exercises import KINDS, NumberField, make
from tests.core.teaching.exercises.sampling_by_hand import SOLVE, probabilities, rows

SEEDS = range(1000)


def test_every_kind_of_part_a_has_a_solution_of_its_own():
    assert set(SOLVE) == {slug for slug, kind in KINDS.items() if kind.part == "A"}


@pytest.mark.parametrize("slug", SOLVE)
def test_the_right_answers_are_those_of_a_solution_by_hand(slug):
    for seed in SEEDS:
        exercise = make.__wrapped__(slug, seed)
        solved, answers = SOLVE[slug](exercise), exercise.made.answers
        assert solved.keys() == answers.keys(), seed
        for field in exercise.made.fields:
            if isinstance(field, NumberField):
                assert float(solved[field.name]) == pytest.approx(answers[field.name], abs=1e-9), (
                    seed,
                    field,
                )
            else:
                assert solved[field.name] == answers[field.name], (seed, field)


@pytest.mark.parametrize("slug", ["draw", "top-k", "top-p", "min-p", "renormalise", "greedy", "mask"])
def test_the_figures_are_humane(slug):
    for seed in range(200):
        exercise = make(slug, seed)
        probs = probabilities(exercise)
        assert len(probs) <= 5
        assert sum(probs.values()) == 1
        assert len(set(probs.values())) == len(probs), "ties have no unique answer"
        assert all(len(text) == 4 for text in rows(exercise)["P"].values()), "two decimals"
