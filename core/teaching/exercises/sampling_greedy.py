"""By hand: settings that leave no chance."""

import numpy as np

from core.sampling import SamplerSettings, distribution, logits_from_probs, presort
from core.teaching.exercises.base import Kind, Made, Mistake, SetField, Step
from core.teaching.exercises.sampling_drawn import given, probabilities

OFFERED = 6


def greedy(rng: np.random.Generator) -> Made:
    """Which of some settings leave no chance in this draw."""
    probs = probabilities(rng, 4)
    ranked = sorted(probs, reverse=True)
    ratio = ranked[1] / ranked[0]
    below = round(max(0.05, ranked[0] - float(rng.integers(1, 6)) / 100), 2)
    above = round(min(0.99, ranked[0] + float(rng.integers(1, 6)) / 100), 2)
    offered = {
        "T = 0": SamplerSettings(temperature=0),
        "T = 0.2": SamplerSettings(temperature=0.2),
        "top-k = 1": SamplerSettings(top_k=1),
        "top-k = 2": SamplerSettings(top_k=2),
        f"top-p = {below:g}": SamplerSettings(top_p=below),
        f"top-p = {above:g}": SamplerSettings(top_p=above),
        "min-p = 1": SamplerSettings(min_p=1),
    }
    lower = int(ratio * 20) / 20
    if lower and ratio - lower > 1e-6:
        offered[f"min-p = {lower:g}"] = SamplerSettings(min_p=lower)
    logits = presort(logits_from_probs(probs))
    left = {name: distribution(logits, settings).kept_count for name, settings in offered.items()}
    names = list(offered)
    options = tuple(names[i] for i in rng.permutation(len(names))[:OFFERED].tolist())
    if all(left[name] > 1 for name in options):
        options = (names[0], *options[1:])
    right = frozenset(name for name in options if left[name] == 1)

    def without(name: str, sentence: str) -> list[Mistake]:
        return [Mistake(sentence, {"settings": right - {name}})] if name in right else []

    def added(name: str, sentence: str) -> list[Mistake]:
        return [Mistake(sentence, {"settings": right | {name}})] if name in set(options) - right else []

    highest = f"{ranked[0]:.2f}"
    return Made(
        task="Which of these settings, alone, always give the most probable token here?",
        given=(given(probs),),
        fields=(SetField("settings", "Greedy here", options),),
        answers={"settings": right},
        hint="Look for settings with which only one token is left.",
        mistakes=(
            *added("T = 0.2", "A small T is not greedy: every token keeps a probability above 0."),
            *added(f"top-p = {above:g}", f"{highest} does not reach {above:g}: a second token is kept."),
            *added(f"min-p = {lower:g}", "The second token reaches this min-p: it is kept."),
            *added("top-k = 2", "Top-k = 2 keeps two tokens."),
            *without("T = 0", "T = 0 is greedy by name: the largest logit is taken."),
            *without("top-k = 1", "Top-k = 1 keeps the most probable token alone."),
            *without(f"top-p = {below:g}", f"Top-p = {below:g} is greedy here: {highest} reaches it alone."),
            *without("min-p = 1", "Min-p = 1 keeps only what is as probable as the first."),
        ),
        steps=tuple(
            Step(f"{name}: {'1 token is' if left[name] == 1 else f'{left[name]} tokens are'} left.")
            for name in options
        ),
    )


GREEDY = (Kind("greedy", "Settings that are greedy", "A", 1, greedy),)
