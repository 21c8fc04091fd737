"""The code of the screens of Part I comes to the numbers of core."""

import numpy as np
import pytest

from core.decoding import ModelDraft, PromptLookup, generate, speculate, taken
from core.decoding.constrained import constrain_step
from core.decoding.constrained_matcher import Allowed
from core.errors import InputError
from core.lab.constrained import constrained_lab
from core.lab.generation import generation_lab
from core.lab.sampling import sampling_lab
from core.lab.speculative import speculative_lab
from core.sampling import SamplerSettings, distribution, draw, logits_from_probs
from tests.core.decoding.toy import TABLE, ToyModel
from tests.core.lab.running import ran, ran_notebook

# A vocabulary with a long tail, as 32-bit numbers like a model's, some of them equal.
LOGITS = np.round(np.random.default_rng(5).normal(0, 3, 3000), 1).astype(np.float32)
SETTINGS = [
    SamplerSettings(),
    SamplerSettings(temperature=0),
    SamplerSettings(temperature=1.7, top_p=0.9),
    SamplerSettings(temperature=0.6, top_k=40, engine="vllm"),
    SamplerSettings(temperature=1.5, top_k=900, top_p=0.95, min_p=0.001, engine="llama.cpp"),
    SamplerSettings(temperature=2, top_k=1, min_p=0.1, top_p=0),
    SamplerSettings(temperature=0.8, min_p=0.05, order=("min-p", "temperature", "top-p", "top-k")),
]


def name(token_id: int) -> str:
    return f"t{token_id}"


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("u", [0.0, 0.37, 0.999])
def test_the_sampling_snippet_gives_the_probabilities_and_the_draw_of_the_screen(settings, u):
    result = distribution(LOGITS, settings)
    names, printed = ran(sampling_lab("a prompt", result, name, u).snippet)

    shown = [candidate.prob for candidate in result.top(12)]
    assert names["p"][:12] == pytest.approx(shown, abs=1e-6)
    assert names["count"][np.isfinite(names["z"])].sum() == result.kept_count
    drawn = result.token(draw(result, u))
    said = name(drawn.token_id) if drawn.rank < 12 else "one that is not listed"
    assert printed.endswith(f"draws {said}\n")


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_sampling_notebook_comes_to_the_numbers_of_the_screen(settings):
    ran_notebook(sampling_lab("a prompt", distribution(LOGITS, settings), name, 0.37))


def test_numbers_of_ones_own_are_all_listed_and_kept_at_the_very_boundary():
    result = distribution(logits_from_probs([0.5, 0.3, 0.2]), SamplerSettings(top_p=0.8))
    made = sampling_lab("numbers", result, name, None)

    assert ran(made.snippet)[0]["p"] == pytest.approx([0.625, 0.375, 0])
    ran_notebook(made)


def test_tokens_that_are_forbidden_stand_in_a_group_of_their_own():
    logits = np.where(np.arange(3000) % 2, LOGITS, -np.inf)
    result = distribution(logits, SamplerSettings(temperature=1.5, top_p=0.9))
    made = sampling_lab("a prompt", result, name, 0.5)
    assert ran(made.snippet)[0]["p"][:12] == pytest.approx([one.prob for one in result.top(12)], abs=1e-6)
    ran_notebook(made)


def toy_text(settings: SamplerSettings, seed: int = 3):
    return list(generate(ToyModel(), [0], settings, seed, max_tokens=12))


def test_the_generation_notebook_draws_the_text_again():
    texts = {"T = 1": toy_text(SamplerSettings()), "T = 0": toy_text(SamplerSettings(temperature=0))}
    ran_notebook(generation_lab("a prompt", texts, 5, 3, name))


def test_the_generation_snippet_ends_with_the_token_in_view():
    drawn = toy_text(SamplerSettings())
    _, printed = ran(generation_lab("a prompt", {"one": drawn}, 2, 3, name).snippet)
    assert printed.splitlines()[-2].split() == [
        *("u", "=", f"{drawn[2].u:.4f}"),
        *("draws", name(drawn[2].token_id), "written", name(drawn[2].token_id)),
        *("P", "=", f"{drawn[2].model_prob:.4f}"),
    ]


def test_a_text_of_another_seed_keeps_its_own_numbers():
    ran_notebook(generation_lab("a prompt", {"one": toy_text(SamplerSettings(), seed=8)}, 2, 3, name))


def test_a_token_that_was_put_there_by_hand_is_not_drawn():
    by_hand = taken(ToyModel(), [0], SamplerSettings(), 3)
    _, printed = ran(generation_lab("a prompt", {"one": [by_hand]}, 0, 3, name).snippet)
    assert "(by hand)" in printed


def test_where_nothing_is_generated_there_is_no_code():
    with pytest.raises(InputError, match="no token yet"):
        generation_lab("a prompt", {"one": []}, -1, 0, name)


def masked(settings: SamplerSettings, allowed_ids, u: float):
    mask = np.zeros(len(LOGITS), dtype=bool)
    mask[list(allowed_ids)] = True
    allowed = Allowed(mask, int(mask.sum()), may_end=False, forced=mask.sum() == 1)
    return constrain_step(LOGITS, allowed, settings, u, 0.5)


MASKS = {
    "many": range(0, 3000, 7),
    "one": [int(np.argmin(LOGITS))],  # nearly all of P is removed
    "all": range(3000),
}


@pytest.mark.parametrize("allowed", MASKS.values(), ids=MASKS)
def test_the_constrained_code_comes_to_the_numbers_of_the_screen(allowed):
    step = masked(SamplerSettings(), allowed, 0.02)
    made = constrained_lab("a grammar", [step, step], 1, name)

    names, printed = ran(made.snippet)
    assert printed.endswith(f"draws {name(step.token.token_id)}\n")
    assert names["P_masked"][: len(step.shown)] == pytest.approx([one.lecture_prob for one in step.shown])
    ran_notebook(made)


@pytest.mark.parametrize(
    "settings", [SamplerSettings(engine="llama.cpp"), SamplerSettings(temperature=0.5)], ids=str
)
def test_a_draw_from_something_else_than_the_masked_distribution_is_not_repeated(settings):
    made = constrained_lab("a grammar", [masked(settings, range(0, 3000, 7), 0.5)], 0, name)
    assert "draws" not in ran(made.snippet)[1]
    ran_notebook(made)


@pytest.mark.parametrize(
    "settings", [SamplerSettings(), SamplerSettings(temperature=0), SamplerSettings(top_k=2)], ids=str
)
def test_the_speculative_code_comes_to_every_round_of_the_screen(settings):
    draft = ModelDraft("toy", ToyModel(table=0.5 * TABLE[[1, 2, 3, 0, 4, 5]] + 0.5 / 6), 0.3)
    rounds = list(speculate(ToyModel(), draft, [0], settings, seed=4, gamma=3, max_tokens=9))
    for position, done in enumerate(rounds):
        made = speculative_lab("a prompt", rounds, position, name)
        names, printed = ran(made.snippet)
        assert names["accepted"] == done.accepted
        if done.last:
            assert printed.endswith(f"draws {name(done.last.token_id)}\n")
        ran_notebook(made)


def test_a_round_without_a_draft_has_a_token_of_the_targets_own_and_no_bonus():
    rounds = list(
        speculate(ToyModel(), PromptLookup(6), [0], SamplerSettings(), seed=4, gamma=3, max_tokens=1)
    )
    made = speculative_lab("a prompt", rounds, 0, name)
    assert not rounds[0].drafted
    assert ("nothing was drafted" in made.snippet.lower(), "bonus is drawn" in made.snippet) == (True, False)
    ran_notebook(made)


def test_a_notebook_fails_where_the_screen_shows_another_number():
    made = constrained_lab("a grammar", [masked(SamplerSettings(), MASKS["many"], 0.5)], 0, name)
    screen = next(cell.text for cell in made.cells if cell.name == "screen")
    assert "screen = np.array([" in screen
    code = "\n\n".join(cell.text for cell in made.cells if not cell.is_markdown)
    with pytest.raises(AssertionError):
        ran(code.replace("screen = np.array([", "screen = 0.01 + np.array(["))
