"""Sampling parameters by use case, by the lecture's rules; see `core.teaching.use_cases`."""

from dataclasses import dataclass

import numpy as np

from core.teaching.exercises.base import ChoiceField, Kind, Made, Mistake, Step

COLD, WARM = "T = 0", "T ≈ 1"
ONE_OUTPUT = (
    "Write the arguments of a tool call",
    "Extract the invoice number from a letter",
    "Answer a multiple-choice test that is scored",
    "Check a file with a linter that runs on a model",
    "Translate a question into one database query",
    "Run the evaluation of last week once more",
    "Sort an e-mail into one of four folders",
    "Say whether a sentence is a question",
)
VARIETY = (
    "Suggest twenty names for a café",
    "Sample several candidate thoughts to search among",
    "Invent openings for a short story",
    "Collect unlike ideas for a birthday party",
    "Draw five different solutions and let a vote decide",
    "Write slogans to choose from",
    "Make up varied questions for practice",
)


@dataclass(frozen=True)
class Rule:
    """A question on one of the lecture's rules: the right option, and what each wrong one overlooks."""

    question: str
    right: str
    wrong: tuple[tuple[str, str], ...]
    why: str


RULES = (
    Rule(
        "Answers vary too much. What is changed first?",
        "the prompt",
        (
            ("the temperature", "The prompt first, usually the stronger of the two; then the temperature."),
            ("top-p", "Top-p normally stays; the prompt is improved first."),
            ("T and top-p together", "Both at once make the output hard to predict; the prompt comes first."),
        ),
        "The prompt usually has the stronger effect: it is improved first, the temperature adjusted second.",
    ),
    Rule(
        "The prompt is good. Which parameter is adjusted?",
        "T alone, top-p stays",
        (
            ("top-p alone, T stays", "Top-p normally stays at 0.9 to 0.95; T is the one to adjust."),
            ("both, upwards", "Both raised together make the output hard to predict."),
            ("both, downwards", "One parameter at a time: T."),
        ),
        "One parameter at a time: T is adjusted, top-p stays at 0.9 to 0.95.",
    ),
    Rule(
        "Where does top-p normally stay?",
        "0.9 to 0.95",
        (
            ("0.1 to 0.2", "That keeps hardly more than the first token."),
            ("0.5", "That cuts far more than the unlikely tail."),
            ("1", "At 1 top-p is off, and the unlikely tail can be drawn."),
        ),
        "At 0.9 to 0.95 top-p removes the unlikely tail and little else.",
    ),
    Rule(
        "Two runs have to be comparable. What is set?",
        "T = 0, and a fixed seed",
        (
            ("T = 1, and the same prompt", "At T = 1 each run draws anew."),
            ("top-p = 0.95", "Within the nucleus the draw is still random."),
            ("a new seed for each run", "New seeds give other draws."),
        ),
        "For tests and evaluations: T = 0, and a fixed seed if the API offers one.",
    ),
)


def use_case(rng: np.random.Generator) -> Made:
    """Three tasks, each with its temperature, and one of the rules."""
    warm_count = int(rng.integers(1, 3))
    tasks = [
        *((task, WARM) for task in rng.choice(VARIETY, warm_count, replace=False).tolist()),
        *((task, COLD) for task in rng.choice(ONE_OUTPUT, 3 - warm_count, replace=False).tolist()),
    ]
    tasks = [tasks[i] for i in rng.permutation(3).tolist()]
    rule = RULES[int(rng.integers(len(RULES)))]
    options = [rule.right, *(option for option, _ in rule.wrong)]
    shuffled = tuple(options[i] for i in rng.permutation(len(options)).tolist())
    mistakes = [
        Mistake(
            "One output is valid here: chance can only miss it."
            if right == COLD
            else "Variety is the goal; at T = 0 every draw is the same.",
            {f"task{i}": WARM if right == COLD else COLD},
        )
        for i, (_, right) in enumerate(tasks)
    ]
    return Made(
        task="Which temperature suits each task, and what do the rules answer to the last question?",
        fields=(
            *(ChoiceField(f"task{i}", task, (COLD, WARM)) for i, (task, _) in enumerate(tasks)),
            ChoiceField("rule", rule.question, shuffled),
        ),
        answers={f"task{i}": right for i, (_, right) in enumerate(tasks)} | {"rule": rule.right},
        hint="How many outputs would be acceptable?",
        mistakes=(*mistakes, *(Mistake(why, {"rule": option}) for option, why in rule.wrong)),
        steps=(
            *(
                Step(f"{task}: {'one output is valid' if right == COLD else 'variety is the goal'}, {right}.")
                for task, right in tasks
            ),
            Step(rule.why),
        ),
    )


USES = (Kind("use-case", "Parameters by use case", "A", 1, use_case),)
